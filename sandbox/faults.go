package sandbox

import (
	"encoding/json"
	"net/http"
	"time"
)

// Fault is what happens to a request instead of, or after, its normal course.
type Fault struct {
	// After lets the request take effect first and only then spoils the answer.
	After bool

	// Hang holds the request (before its effect, or after it with After) until the
	// channel is closed or the client gives up. With nothing else set the request
	// then goes on normally.
	Hang <-chan struct{}

	// Drop cuts the connection without an answer.
	Drop bool

	// Status, Header and Body are the answer; with Status 0 the normal answer
	// goes out. Header may be nil.
	Status int
	Header http.Header
	Body   []byte
}

// Fault asks f about every REST request before it is served, one after the other;
// nil from f leaves it alone. A nil f ends it. f must not wait: that is what Hang is
// for.
func (s *Server) Fault(f func(Request) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// askFault is the fault for a request, or nil.
func (s *Server) askFault(r Request) *Fault {
	s.mu.Lock()
	f := s.fault
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	return f(r)
}

// hold waits as the fault says; false when the client gave up meanwhile.
func (f *Fault) hold(r *http.Request) bool {
	if f.Hang == nil {
		return true
	}
	select {
	case <-f.Hang:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (f *Fault) answer() answer {
	var code struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal(f.Body, &code) // not every body has one
	return answer{status: f.Status, header: f.Header, body: f.Body, code: code.Code}
}

// ErrorFault answers with a status, one of Discord's codes and its error shape.
func ErrorFault(status, code int, message string) *Fault {
	return faultOf(refuse(status, code, message))
}

func faultOf(e *apiError) *Fault {
	h := e.header
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	return &Fault{Status: e.status, Header: h, Body: e.body()}
}

// RateLimitFault answers 429. scope is "user", "global" or "shared".
func RateLimitFault(retryAfter time.Duration, scope string) *Fault {
	return faultOf(tooMany(retryAfter, scope == "global", scope, "You are being rate limited."))
}

// CloudflareFault answers 429 with an HTML page, as Cloudflare does to an address
// it has banned.
func CloudflareFault() *Fault {
	h := http.Header{}
	h.Set("Content-Type", "text/html; charset=UTF-8")
	h.Set("Retry-After", "600")
	return &Fault{Status: http.StatusTooManyRequests, Header: h, Body: []byte("<!doctype html><title>Access denied</title><p>error code: 1015</p>\n")}
}

// Dispatch is one gateway event on its way to the bot.
type Dispatch struct {
	Type string // "INTERACTION_CREATE"
	Data json.RawMessage
}

// FaultDispatch asks f about every gateway event; what it returns is sent instead,
// in that order: nothing, twice the same, an older one kept back, one with fields
// missing. A nil f ends it. f must not call the Server.
func (s *Server) FaultDispatch(f func(Dispatch) []Dispatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faultDispatch = f
}

// GatewayFault is what happens instead of the answer to something the bot sent
// over the gateway.
type GatewayFault struct {
	Ignore    bool  // no answer: an ACK that never comes
	Reconnect bool  // op 7
	Invalid   *bool // op 9 with this d
	Close     int   // close with this code
}

// FaultGateway asks f about every payload the bot sends (1 heartbeat, 2 identify,
// 6 resume); nil from f leaves it alone. A nil f ends it. f must not call the
// Server.
func (s *Server) FaultGateway(f func(op int) *GatewayFault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faultGateway = f
}
