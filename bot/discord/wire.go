package discord

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// The wire types take what they can use and leave the rest: encoding/json goes
// on after a field of the wrong type, and these go on inside one. So a server
// that sends an id as a number, or null where an object belongs, costs one field
// and never the whole event.

// text is a string; numbers and booleans are taken as they are written.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n' || b[0] == '{' || b[0] == '[':
	case b[0] == '"':
		var s string
		if json.Unmarshal(b, &s) == nil {
			*t = text(s)
		}
	default:
		*t = text(b)
	}
	return nil
}

// snowflake is an id: text that holds none stays empty, as if it had not been
// sent. What an answer calls an id becomes part of addresses, keys and links, and
// a server, or something before it, can answer anything.
type snowflake string

// UnmarshalJSON never fails.
func (s *snowflake) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b)
	if isSnowflake(string(t)) {
		*s = snowflake(t)
	}
	return nil
}

// maxSnowflake is the number of digits of the largest id.
const maxSnowflake = 20

// isSnowflake reports whether s is one of Discord's ids: a decimal number of 64
// bits that is not 0.
func isSnowflake(s string) bool {
	if len(s) > maxSnowflake {
		return false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && n != 0
}

// num is a whole number, possibly sent as a string.
type num int64

// UnmarshalJSON never fails.
func (n *num) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b)
	if v, ok := whole(string(t)); ok {
		*n = num(v)
	}
	return nil
}

// bits are permission flags: a decimal string, sometimes a number. known tells
// flags that were sent as none from flags that were not sent.
type bits struct {
	value uint64
	known bool
}

// UnmarshalJSON never fails.
func (p *bits) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b)
	if v, err := strconv.ParseUint(string(t), 10, 64); err == nil {
		*p = bits{v, true}
	}
	return nil
}

// seconds is a duration sent as a number of seconds with fractions.
type seconds time.Duration

// UnmarshalJSON never fails.
func (s *seconds) UnmarshalJSON(b []byte) error {
	var t text
	_ = t.UnmarshalJSON(b)
	s.parse(string(t))
	return nil
}

// parse sets s if v is a sensible number of seconds. A day is the most that is
// believed.
func (s *seconds) parse(v string) {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return
	}
	*s = seconds(min(f, 86400) * float64(time.Second))
}

// whole reads a whole number, also in the forms 3.0 and 3e0.
func whole(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

type wireUser struct {
	ID         snowflake `json:"id"`
	Username   text      `json:"username"`
	GlobalName text      `json:"global_name"`
	Bot        bool      `json:"bot"`
}

type wireMember struct {
	User        *wireUser   `json:"user"`
	Nick        text        `json:"nick"`
	Roles       []snowflake `json:"roles"`
	Permissions bits        `json:"permissions"`
}

type wireChannel struct {
	ID         snowflake       `json:"id"`
	GuildID    snowflake       `json:"guild_id"`
	Type       *num            `json:"type"`
	Name       text            `json:"name"`
	ParentID   snowflake       `json:"parent_id"`
	Position   num             `json:"position"`
	Overwrites []wireOverwrite `json:"permission_overwrites"`
	Thread     *struct {
		Archived bool `json:"archived"`
		Locked   bool `json:"locked"`
	} `json:"thread_metadata"`
}

type wireOverwrite struct {
	ID    snowflake `json:"id"`
	Type  text      `json:"type"`
	Allow bits      `json:"allow"`
	Deny  bits      `json:"deny"`
}

type wireMessage struct {
	ID        snowflake `json:"id"`
	ChannelID snowflake `json:"channel_id"`
	Flags     num       `json:"flags"`

	// Attachments and Components are read only where a message can have files.
	Attachments json.RawMessage `json:"attachments"`
	Components  json.RawMessage `json:"components"`
}

func (u *wireUser) user() User {
	if u == nil {
		return User{}
	}
	return User{ID: string(u.ID), Username: string(u.Username), GlobalName: string(u.GlobalName), Bot: u.Bot}
}

func (m *wireMember) user() User {
	if m == nil {
		return User{}
	}
	u := m.User.user()
	u.Nick = string(m.Nick)
	return u
}
