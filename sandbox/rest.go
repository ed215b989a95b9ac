package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// limitKind is which rate limit a route has.
type limitKind int

const (
	limitOther limitKind = iota
	limitCreate
	limitEdit
	limitDelete
	limitWebhook
	limitNone
)

// route is one REST route: its pattern has the names of path values in braces.
type route struct {
	method  string
	pattern string
	limit   limitKind
	open    bool // needs no Authorization: the token stands in the path
	serve   func(*Server, *call) (int, any, error)
}

// counted is whether it counts against the global limit: all but the routes of
// interactions do.
func (r *route) counted() bool { return !r.open }

var routes = slices.Concat(appRoutes, guildRoutes, channelRoutes, messageRoutes, commandRoutes, emojiRoutes, interactionRoutes)

// call is one request on its way.
type call struct {
	r     *http.Request
	route *route
	api   int    // 9 or 10
	base  string // http://host of this request, for absolute addresses
	body  []byte // JSON; the payload_json of a multipart request
	files []upload
	form  bool // multipart
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

// read decodes the body; an empty one is an empty object.
func (c *call) read() (value, *apiError) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return value{raw: map[string]any{}, set: true, all: &problems{}}, nil
	}
	if ct := c.r.Header.Get("Content-Type"); !c.form && !strings.HasPrefix(ct, "application/json") {
		return value{}, refuse(400, 50035, "Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.")
	}
	return decodeBody(c.body)
}

func (s *Server) handler() http.Handler {
	api := http.NewServeMux()
	for i := range routes {
		r := &routes[i]
		api.HandleFunc(r.method+" "+r.pattern, func(w http.ResponseWriter, req *http.Request) { s.serveRoute(w, req, r) })
	}
	unknown := &route{pattern: "/", limit: limitNone, serve: func(_ *Server, c *call) (int, any, error) {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			probe := c.r.Clone(c.r.Context())
			probe.Method = method
			if _, pattern := api.Handler(probe); pattern != "/" {
				return 0, nil, errMethod()
			}
		}
		return 0, nil, errNotFound()
	}}
	api.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) { s.serveRoute(w, req, unknown) })

	mux := http.NewServeMux()
	mux.Handle("/api/v10/", http.StripPrefix("/api/v10", api))
	mux.Handle("/api/v9/", http.StripPrefix("/api/v9", api))
	mux.HandleFunc("/gateway", s.serveGateway)
	mux.HandleFunc("/gateway/", s.serveGateway)
	mux.HandleFunc("GET /attachments/{channel}/{id}/{name}", s.serveFile)
	mux.HandleFunc("GET /emojis/{name}", s.serveEmoji)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { writeError(w, errNotFound()) })
	return mux
}

// answer is what goes back: fixed before a byte is written, so that observers and
// faults know it.
type answer struct {
	status int
	header http.Header
	body   []byte
	code   int // Discord's, of a refusal
}

func (s *Server) serveRoute(w http.ResponseWriter, req *http.Request, r *route) {
	c := &call{r: req, route: r, api: 10, base: "http://" + req.Host}
	log := Request{Method: req.Method, Path: req.URL.Path, Route: r.pattern, Query: req.URL.RawQuery, Header: req.Header.Clone(), Counted: r.counted()}
	log.Header.Del("Authorization")
	log.Path = originalPath(req)
	if strings.HasPrefix(log.Path, "/api/v9/") {
		c.api = 9
	}
	bodyErr := c.readBody(w)
	log.Body, log.Time = c.body, s.now()
	for _, f := range c.files {
		log.Files = append(log.Files, Upload{f.field, f.name, f.contentType, len(f.content)})
	}

	fault := s.askFault(log)
	if fault != nil && !fault.After {
		if !fault.hold(req) {
			return
		}
		if fault.Drop || fault.Status != 0 {
			s.finish(w, log, fault.answer(), fault)
			return
		}
	}
	ans := s.answerTo(c, bodyErr)
	if fault != nil && fault.After {
		if !fault.hold(req) {
			return
		}
		if fault.Status != 0 || fault.Drop {
			ans = fault.answer()
		}
	}
	s.finish(w, log, ans, fault)
}

// finish notes the answer and sends it.
func (s *Server) finish(w http.ResponseWriter, log Request, ans answer, fault *Fault) {
	log.Status, log.Code, log.Response = ans.status, ans.code, ans.body
	log.Faulty = fault != nil && (fault.Drop || fault.Status != 0)
	s.note(log)
	if fault != nil && fault.Drop {
		panic(http.ErrAbortHandler) // the documented way to cut a connection
	}
	for key, values := range ans.header {
		w.Header()[key] = values
	}
	w.WriteHeader(ans.status)
	if _, err := w.Write(ans.body); err != nil {
		s.log.Debug("answer not delivered", "path", log.Route, "error", err)
	}
}

// answerTo serves the request.
func (s *Server) answerTo(c *call, bodyErr *apiError) answer {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	var status int
	var body []byte
	err := s.update(func() error {
		if c.route.method != "" && !c.route.open {
			if c.r.Header.Get("Authorization") != "Bot "+s.token {
				return errUnauthorized()
			}
		}
		if err := s.admit(c.route, c, h); err != nil {
			return err
		}
		if bodyErr != nil {
			return bodyErr
		}
		st, result, err := c.route.serve(s, c)
		if err != nil {
			return err
		}
		status = st
		if result != nil {
			body = mustJSON(result)
		}
		return nil
	})
	if err == nil {
		return answer{status: status, header: h, body: body}
	}
	var refusal *apiError
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, ErrClosed):
		refusal = errOverloaded()
	default:
		s.log.Error("the sandbox failed", "method", c.r.Method, "route", c.route.pattern, "error", err)
		refusal = errInternal()
	}
	for key, values := range refusal.header {
		h[key] = values
	}
	s.log.Debug("refused", "method", c.r.Method, "route", c.route.pattern, "status", refusal.status, "code", refusal.code, "body", string(refusal.body()))
	return answer{status: refusal.status, header: h, body: refusal.body(), code: refusal.code}
}

func writeError(w http.ResponseWriter, e *apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body()) // nobody is left to tell
}

// originalPath is the path before the version was cut off.
func originalPath(r *http.Request) string {
	if i := strings.IndexByte(r.RequestURI, '?'); i >= 0 {
		return r.RequestURI[:i]
	}
	return r.RequestURI
}

// readBody reads the request, JSON or multipart.
func (c *call) readBody(w http.ResponseWriter) *apiError {
	if c.r.Body == nil {
		return nil
	}
	c.r.Body = http.MaxBytesReader(w, c.r.Body, maxRequest)
	ct := c.r.Header.Get("Content-Type")
	var err error
	if strings.HasPrefix(ct, "multipart/form-data") {
		c.form = true
		c.body, c.files, err = readForm(c.r)
	} else {
		c.body, err = io.ReadAll(c.r.Body)
	}
	var tooBig *http.MaxBytesError
	var refusal *apiError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooBig):
		return errTooLarge()
	case errors.As(err, &refusal):
		return refusal
	}
	return errInvalidJSON()
}

// query is a parameter of the query, or "".
func (c *call) query(name string) string { return c.r.URL.Query().Get(name) }

func ok(v any) (int, any, error) { return http.StatusOK, v, nil }

func done() (int, any, error) { return http.StatusNoContent, nil, nil }

// raw is JSON that is written as it is.
type raw = json.RawMessage
