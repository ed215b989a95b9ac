package sandbox

import (
	"net/http"
	"time"
)

// Request is one REST request of the bot and its answer.
type Request struct {
	Method   string
	Path     string // as sent, with the version: /api/v10/channels/1/messages
	Route    string // with placeholders: /channels/{channel.id}/messages
	Query    string
	Header   http.Header // Authorization is left out
	Body     []byte      // JSON; of a multipart request its payload_json
	Files    []Upload    // of a multipart request
	Status   int         // 0 while it is not answered (for Fault)
	Code     int         // Discord's error code in the answer, if any
	Response []byte
	Counted  bool // whether it counts against the global rate limit
	Time     time.Time
}

// Upload is a file of a multipart request.
type Upload struct {
	Field, Filename, ContentType string
	Size                         int
}

// Requests are all REST requests so far, oldest first (the last 10 000).
func (s *Server) Requests() []Request { return s.requestLog() }

// Counted is how many requests so far count against the global rate limit.
func (s *Server) Counted() int { return s.countedRequests() }

// Observe calls f after every REST request, in the goroutine that serves it and
// after its answer is fixed, until cancel is called.
func (s *Server) Observe(f func(Request)) (cancel func()) { return s.observe(f) }
