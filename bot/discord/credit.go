package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const (
	// askAgain lies between two questions whether the bot token is refused.
	askAgain = 30 * time.Second
	// askLimit bounds such a question.
	askLimit = 5 * time.Second
	// portalRest is how long counted calls stop when something in front of Discord
	// answers 401 to whatever is asked.
	portalRest = time.Minute
	// silentRefusal is how long a server must answer 401 without a word, and
	// nothing else, until it is believed.
	silentRefusal = time.Hour
)

const textPortal = "something in front of Discord answers HTTP 401 (a network's login page?)"

// credit is what is known of the bot token. A 401 in Discord's own words is
// believed of a token that Discord has never taken. All others are doubted: hotel
// networks and proxies answer 401 too, and the program ends if it believes one.
type credit struct {
	mu     sync.Mutex
	taken  bool // Discord has taken the token once
	asking bool
	next   time.Time // no question before
	// since is from when on every answer is a 401 without Discord's words, zero if
	// that is not so; last is the last of them.
	since, last time.Time
}

// heard takes note of an answer of Discord, and whether it took the token.
func (k *credit) heard(taken bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.since = time.Time{}
	k.taken = k.taken || taken
}

func (k *credit) everTaken() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.taken
}

// mayAsk reports whether it is time for a question, which the caller then asks.
func (k *credit) mayAsk(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asking || now.Before(k.next) {
		return false
	}
	k.asking, k.next = true, now.Add(askAgain)
	return true
}

func (k *credit) asked() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asking = false
}

// silent takes note of a 401 without Discord's words in answer to the question,
// and returns for how long there has been nothing else.
func (k *credit) silent(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.since.IsZero() || k.since.After(now) {
		k.since = now
	}
	k.last = now
	return now.Sub(k.since)
}

// behind reports whether the bot sits behind a portal: it did a moment ago, and
// Discord has not been heard since.
func (k *credit) behind(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.since.IsZero() && now.Sub(k.last) < 2*portalRest
}

// verdict is what the second question said of the bot token.
type verdict int

const (
	unanswered verdict = iota
	unclear            // answered, but neither yes nor no
	good
	bad
	portal // a 401 that is not in Discord's words
)

// unauthorized decides whether e, which refuses the bot token, is believed. Until
// it is, it concerns this one call and the next of its route.
func (c *Client) unauthorized(ctx context.Context, rq *request, e *Error) {
	said := !e.unproven
	if said && e.Status == http.StatusUnauthorized && !c.Connected() && !c.token.everTaken() {
		c.tokenRefused(e)
		return
	}
	e.unproven = true
	v := unanswered
	if c.token.mayAsk(c.cfg.Now()) {
		v = c.askToken(ctx)
		c.token.asked()
	}
	switch {
	case v == bad, said && (v == unclear || v == portal):
		e.unproven, e.RetryAfter = false, 0
		c.tokenRefused(e)
	case v == portal:
		c.limits.stopCounted(portalRest, textPortal)
		c.log.Error(textPortal+": nothing is known of the bot token, all calls but answers to presses pause",
			"call", rq.op, "for", portalRest)
	default:
		c.log.Warn("a refusal of the bot token is not believed", "call", rq.op, "status", e.Status, "code", e.Code)
	}
}

// tokenRefused ends Run: the token is wrong.
func (c *Client) tokenRefused(e *Error) {
	if c.refused.CompareAndSwap(nil, e) {
		c.fatal(&FatalError{Text: textRefused, Err: e})
	}
}

// askToken asks who the bot is, which Discord answers to whoever has a good token.
func (c *Client) askToken(ctx context.Context) verdict {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	rq := &request{op: "check token", method: http.MethodGet, route: "/users/@me", path: "/users/@me", safe: true}
	if c.limits.admit(ctx, rq) != nil {
		return unanswered
	}
	began := c.cfg.Now()
	res := c.send(ctx, rq)
	c.limits.done(rq, res.header)
	e := judge(rq, res)
	if e != nil {
		c.limits.refuse(rq, e)
	}
	c.heard(rq, res, e, began)
	switch {
	case e == nil:
		var who wireUser
		if json.Unmarshal(res.body, &who) == nil && who.ID != "" {
			return good
		}
		return unclear
	case e.Status == http.StatusUnauthorized && e.unproven:
		if c.token.silent(c.cfg.Now()) >= silentRefusal && e.form != formPage {
			return bad
		}
		return portal
	case e.class() == Unauthorized:
		return bad
	case e.Status == 0, e.form == formPage, e.Cloudflare, e.Status >= 500,
		e.Status == http.StatusTooManyRequests, e.Status == http.StatusRequestTimeout:
		return unanswered
	}
	return unclear
}
