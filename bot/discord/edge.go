package discord

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// request is one call of the REST API. The route holds names for everything
// that varies: it is what discordgo, metrics and errors get to see, so that an
// interaction's token in the path cannot reach any of them.
type request struct {
	op     string // for errors: "edit message"
	method string
	route  string // "/channels/{channel}/messages/{message}"
	path   string // "/channels/123/messages/456", with query
	major  string // the id limits are kept by: channel, guild
	secret string // the interaction's token

	body        []byte
	contentType string

	// files: the body is a message that has files.
	files bool
	// token: authorised by an interaction's token, exempt from the law of 50.
	token bool
	// safe: may be repeated after an answer that does not say what happened.
	safe bool
	// maybe: not every server knows this route, so that any 404 may say that.
	maybe bool
	// unclear: an attempt may have taken effect, and what came back does not say so.
	unclear bool
	// gone is what a 404 without a code means, None if nothing is known of it.
	gone Class
}

// webhook reports whether the request goes by an interaction's token to its messages, as all do but the
// first answer.
func (rq *request) webhook() bool { return rq.token && strings.HasPrefix(rq.route, "/webhooks/") }

func (rq *request) bucket() string { return rq.method + rq.route + rq.major }

// redact removes the interaction's token from a text that came from outside.
func (rq *request) redact(s string) string {
	if rq.secret == "" {
		return s
	}
	return strings.ReplaceAll(s, rq.secret, "***")
}

// result is what came back.
type result struct {
	status int
	header http.Header
	body   []byte
	err    error // no answer; free of secrets
	sent   bool  // at least part of the request may have left
}

// exchange travels with the request's context to the round tripper and back.
type exchange struct {
	rq  *request
	res result
}

type exchangeKey struct{}

// maxAnswer bounds how much of an answer is read.
const maxAnswer = 8 << 20

// edge is the http.RoundTripper under discordgo's Session: it puts in the real
// address, API version and authorization, which discordgo is never given, and
// keeps the whole answer for us, because discordgo loses the status of some.
type edge struct {
	base    string // ".../api/v10"
	auth    string
	agent   string
	network http.RoundTripper
}

var errUnplanned = errors.New("request not made by this package")

// RoundTrip sends the request that the context carries.
func (t *edge) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errUnplanned
	}
	target, err := url.Parse(t.base + x.rq.path)
	if err != nil {
		return nil, errors.New("the path of the request is malformed")
	}
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.res.sent = true }}
	out := r.Clone(httptrace.WithClientTrace(r.Context(), trace))
	out.URL, out.Host = target, ""
	out.Header.Set("Authorization", t.auth)
	out.Header.Set("User-Agent", t.agent)
	answer, err := t.network.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	x.res.status, x.res.header = answer.StatusCode, answer.Header
	x.res.body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	answer.Body.Close()
	if err != nil && answer.StatusCode/100 != 2 {
		x.res.status = 0 // half a refusal says nothing
		return nil, err
	}
	// A success whose body broke off was a success all the same. discordgo is
	// told that all is well, since its opinion of errors is not asked.
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}, nil
}

// send makes one HTTP request with discordgo. Its own limiter gets a bucket that
// is thrown away: it would keep one for every interaction for ever, wait without
// regard to the context, and serialise what need not wait.
func (c *Client) send(ctx context.Context, rq *request) *result {
	x := &exchange{rq: rq}
	began := time.Now()
	throwaway := discordgo.NewRatelimiter().LockBucket("")
	_, err := c.rest.RequestWithLockedBucket(rq.method, discordgo.EndpointAPI+strings.TrimPrefix(rq.route, "/"),
		rq.contentType, rq.body, throwaway, 0,
		discordgo.WithContext(context.WithValue(ctx, exchangeKey{}, x)))
	if x.res.status == 0 {
		x.res.err = c.networkError(ctx, rq, err)
	}
	return c.observe(rq, &x.res, time.Since(began))
}

func (c *Client) observe(rq *request, res *result, took time.Duration) *result {
	if c.cfg.Observe == nil {
		return res
	}
	call := Call{Route: rq.route, Method: rq.method, Status: res.status, Duration: took, Counted: !rq.token}
	if e := judge(rq, res); e != nil {
		call.Code = e.Code
	}
	c.cfg.Observe(call)
	return res
}

// networkError reduces err to what may be shown: the reason without the address.
func (c *Client) networkError(ctx context.Context, rq *request, err error) error {
	if cause := ctx.Err(); cause != nil {
		return contextError(ctx, cause)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if err == nil {
		return errors.New("no answer")
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return context.DeadlineExceeded
	}
	return errors.New(c.redact(rq.redact(err.Error())))
}

// contextError keeps apart a caller who went away and a call that took too long.
func contextError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

const (
	maxTries   = 3
	firstPause = 500 * time.Millisecond
	lastPause  = 4 * time.Second
)

// do makes a call: waits for its turn, sends, and repeats what may be repeated
// as long as ctx (at most CallTimeout) allows.
func (c *Client) do(ctx context.Context, rq *request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.CallTimeout)
	defer cancel()
	for try := 1; ; try++ {
		res, e := c.once(ctx, rq)
		if e == nil {
			return res.body, nil
		}
		wait, ok := c.again(rq, e, try)
		if !ok || c.limits.pause(ctx, rq, wait, "") != nil {
			return nil, e
		}
	}
}

// once makes one attempt.
func (c *Client) once(ctx context.Context, rq *request) (*result, *Error) {
	if e := c.refused.Load(); e != nil && !rq.token {
		again := *e
		again.Op = rq.op
		return nil, &again
	}
	if e := c.limits.admit(ctx, rq); e != nil {
		return nil, e
	}
	began := c.cfg.Now()
	res := c.counted(ctx, rq)
	e := judge(rq, res)
	c.heard(rq, res, e, began)
	if e == nil {
		return res, nil
	}
	rq.unclear = rq.unclear || e.Sent && e.class() == Temporary
	e.Message = c.redact(e.Message)
	for i := range e.Fields {
		e.Fields[i] = c.redact(e.Fields[i])
	}
	c.consequences(ctx, rq, e)
	return nil, e
}

// heard takes note of an answer that certainly is Discord's own.
func (c *Client) heard(rq *request, res *result, e *Error, began time.Time) {
	own := res.err == nil && !bytes.HasPrefix(bytes.TrimSpace(res.body), []byte("<"))
	if e != nil {
		own = e.form == formDiscord && !e.Cloudflare && !e.unproven
	}
	if !own {
		return
	}
	if c.limits.heard(rq, e == nil, began) {
		c.log.Info("Discord answers again, the pause is over", "call", rq.op)
	}
	c.token.heard(e == nil && !rq.token && rq.route != "/gateway") // that one needs no token
}

// counted sends what was admitted and gives back what admit took, whatever
// happens: the next request of the route may wait for it.
func (c *Client) counted(ctx context.Context, rq *request) *result {
	var header http.Header
	defer func() { c.limits.done(rq, header) }()
	res := c.send(ctx, rq)
	header = res.header
	return res
}

// consequences draws from one refusal what concerns all other calls.
func (c *Client) consequences(ctx context.Context, rq *request, e *Error) {
	if c.limits.refuse(rq, e) {
		c.log.Error("too many refused requests, all calls but answers to presses pause", "limit", refusedLimit)
	}
	if !rq.token && (e.doubtful() || e.class() == Unauthorized) { // an interaction's token says nothing about the bot's
		c.unauthorized(ctx, rq, e)
		return
	}
	switch e.class() {
	case Cloudflare:
		c.log.Error("blocked in front of Discord, all calls but answers to presses pause", "for", e.RetryAfter, "call", e.Op)
	case RateLimited:
		if e.Status != 0 {
			c.log.Warn("rate limited", "call", e.Op, "for", e.RetryAfter, "scope", e.Scope, "global", e.Global)
		}
	case Other:
		if e.denied() {
			c.log.Warn("refused in front of Discord, this route rests", "call", e.Op, "for", e.RetryAfter)
		}
	case DMTooFast:
		c.log.Error("opening direct messages too fast", "call", e.Op)
	case TooLarge:
		c.log.Warn("Discord refuses a message with files", "call", e.Op, "status", e.Status, "code", e.Code, "reason", e.Message, "fields", e.Fields)
	case Invalid:
		c.log.Error("Discord calls a request invalid", "call", e.Op, "code", e.Code, "reason", e.Message, "fields", e.Fields)
	}
}

// again decides whether a failed attempt is repeated, and after what pause.
func (c *Client) again(rq *request, e *Error, try int) (time.Duration, bool) {
	if try >= maxTries {
		return 0, false
	}
	switch e.class() {
	case RateLimited:
		// Certainly not executed, so that even a create may be repeated. An
		// error without a status is our own limiter's: it has said its word.
		return e.RetryAfter + time.Duration(c.jitter()*float64(100*time.Millisecond)), e.Status != 0
	case Temporary:
		if e.doubtful() || e.Status/100 == 2 {
			return 0, false // in half a second it will be the same
		}
		wait := min(firstPause<<(try-1), lastPause)
		return wait/2 + time.Duration(c.jitter()*float64(wait/2)), rq.safe || !e.Sent
	}
	return 0, false
}
