package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// monitorHandler answers on HTTP_ADDR: /healthz says that the process lives,
// /readyz whether it can serve players and if not why, /metrics how it does.
// Nothing there is about any one game or person.
func monitorHandler(gatherer prometheus.Gatherer, ready func() error) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			answer(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(w, http.StatusOK, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// serveMonitor serves until ctx is done. A fault of it is logged and no more:
// games go on without their metrics.
func serveMonitor(ctx context.Context, log *slog.Logger, listener net.Listener, handler http.Handler) {
	const patience = 2 * time.Second
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			_ = server.Close()
		}
	})
	log.Info("health and metrics", "address", listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Error("health and metrics are gone", "error", err)
	}
	if !stop() {
		<-stopped
	}
}
