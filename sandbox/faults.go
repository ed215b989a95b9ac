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

// Fault asks f about every REST request before it is served; nil from f leaves
// it alone. A nil f ends it.
func (s *Server) Fault(f func(Request) *Fault) { s.setFault(f) }

// ErrorFault answers with a status, one of Discord's codes and its error shape.
func ErrorFault(status, code int, message string) *Fault { return errorFault(status, code, message) }

// RateLimitFault answers 429. scope is "user", "global" or "shared".
func RateLimitFault(retryAfter time.Duration, scope string) *Fault {
	return rateLimitFault(retryAfter, scope)
}

// CloudflareFault answers 429 with an HTML page, as Cloudflare does to an address
// it has banned.
func CloudflareFault() *Fault { return cloudflareFault() }

// Dispatch is one gateway event on its way to the bot.
type Dispatch struct {
	Type string // "INTERACTION_CREATE"
	Data json.RawMessage
}

// FaultDispatch asks f about every gateway event; what it returns is sent instead,
// in that order: nothing, twice the same, an older one kept back, one with fields
// missing. A nil f ends it. f must not call the Server.
func (s *Server) FaultDispatch(f func(Dispatch) []Dispatch) { s.setFaultDispatch(f) }

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
func (s *Server) FaultGateway(f func(op int) *GatewayFault) { s.setFaultGateway(f) }

// DropGateway cuts every gateway connection without a close frame; the sessions
// can be resumed.
func (s *Server) DropGateway() { s.dropGateway() }

// CloseGateway closes every gateway connection with a code.
func (s *Server) CloseGateway(code int) { s.closeGateway(code) }

// Reconnect sends op 7 to every connection.
func (s *Server) Reconnect() { s.sendReconnect() }

// InvalidSession sends op 9 to every connection; without resumable the sessions
// are gone.
func (s *Server) InvalidSession(resumable bool) { s.sendInvalidSession(resumable) }

// RepeatReady sends READY, and the GUILD_CREATEs after it, once more.
func (s *Server) RepeatReady() { s.repeatReady() }

// Redeliver dispatches an interaction once more, same id and token.
func (s *Server) Redeliver(interaction string) error { return s.redeliver(interaction) }

// Connections is how many gateway sessions are connected and ready; ready is
// closed as soon as there is one.
func (s *Server) Connections() (n int, ready <-chan struct{}) { return s.connections() }
