package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Listen opens the sandbox's listener and says at which URL its page is. addr is host:port with a
// loopback host (127.0.0.1 or another of that network, localhost, [::1]); port 0 takes any free one.
// Another host is refused: the sandbox has no passwords, so it must not be reachable from elsewhere.
func Listen(addr string) (listener net.Listener, url string, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", fmt.Errorf("sandbox address %q: want host:port, for example 127.0.0.1:8080: %w", addr, err)
	}
	if host != "localhost" {
		ip, err := netip.ParseAddr(host)
		if err != nil || !ip.IsLoopback() {
			return nil, "", fmt.Errorf("sandbox address %q: only this machine may reach the sandbox; use 127.0.0.1, localhost or [::1] as its host", addr)
		}
	}
	listener, err = net.Listen("tcp", addr)
	if err != nil {
		return nil, "", fmt.Errorf("sandbox address %q: %w", addr, err)
	}
	bound := listener.Addr().(*net.TCPAddr)
	if !bound.IP.IsLoopback() {
		_ = listener.Close()
		return nil, "", fmt.Errorf("sandbox address %q: %s is not a loopback address", addr, bound.IP)
	}
	if host != "localhost" {
		host = bound.IP.String()
	}
	// A browser knows no port by name, and writes none with zeros before it.
	return listener, "http://" + net.JoinHostPort(host, fmt.Sprint(bound.Port)) + "/", nil
}

// access is how much a request must prove before it is served.
type access int

const (
	accessPage   access = iota // reading the page: a link from elsewhere may lead here
	accessFile                 // attachments: not to be embedded by other sites
	accessBot                  // REST and gateway: a bot sends no Origin, a browser of another site does
	accessAction               // what changes something: only the page itself
)

// guarded serves h to this machine's own programs and pages only. It stands against three things: another
// machine, a foreign name that resolves to this one (DNS rebinding), and a foreign page open in the same
// browser (cross-site requests). What it refuses gets 403 and a line that says why.
func guarded(level access, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := refusal(level, r); reason != "" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintln(w, "refused: "+reason)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refusal says why a request must not be served, or nothing.
func refusal(level access, r *http.Request) string {
	if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !remote.Addr().Unmap().IsLoopback() {
		return "the sandbox answers this machine only"
	}
	if !ownHost(r) {
		return fmt.Sprintf("the Host %q is not this sandbox; open it as %s", r.Host, ownAddress(r))
	}
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if level == accessPage && safe {
		return ""
	}
	if origin != "" && origin != "http://"+r.Host {
		return fmt.Sprintf("a page of another origin (%s) may not use the sandbox", origin)
	}
	if site != "" && site != "same-origin" && site != "none" {
		return "a page of another site may not use the sandbox"
	}
	if (level == accessAction || level == accessPage) && origin == "" && site != "same-origin" {
		return "this belongs to the sandbox's page; the request names no Origin"
	}
	return ""
}

// ownAddress is where the sandbox is, as far as the request tells.
func ownAddress(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return local.String()
	}
	return "localhost or 127.0.0.1 with its own port"
}

// ownHost says whether the Host header names this listener by a loopback name and its port.
func ownHost(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(r.Host, "["), "]"), "80"
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || port == fmt.Sprint(local.Port)
}
