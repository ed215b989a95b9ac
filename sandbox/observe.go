package sandbox

import (
	"maps"
	"net/http"
	"slices"
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
	Status   int         // 0 while it is not answered (for Fault), or when the connection was cut
	Code     int         // Discord's error code in the answer, if any
	Response []byte
	Counted  bool // whether it counts against the global rate limit
	Faulty   bool // whether the answer is a fault's
	Time     time.Time
}

// Upload is a file of a multipart request.
type Upload struct {
	Field, Filename, ContentType string
	Size                         int
}

const requestMemory = 10_000

// Requests are all REST requests so far, oldest first (the last 10 000).
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests[max(0, len(s.requests)-requestMemory):])
}

// Counted is how many requests so far count against the global rate limit.
func (s *Server) Counted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted
}

// Observe calls f after every REST request, before its answer is sent and never twice
// at a time, until cancel is called.
func (s *Server) Observe(f func(Request)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observerID++
	id := s.observerID
	s.observers[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, id)
	}
}

// note keeps a finished request and shows it to the observers.
func (s *Server) note(r Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	if n := len(s.requests); n > 2*requestMemory {
		s.requests = slices.Clone(s.requests[n-requestMemory:])
	}
	if r.Counted {
		s.counted++
	}
	ids := slices.Sorted(maps.Keys(s.observers))
	observers := make([]func(Request), len(ids))
	for i, id := range ids {
		observers[i] = s.observers[id]
	}
	s.mu.Unlock()
	s.observing.Lock()
	defer s.observing.Unlock()
	for _, f := range observers {
		f(r)
	}
}
