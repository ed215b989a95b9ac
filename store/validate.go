package store

import (
	"fmt"
	"strings"
	"time"
)

// invalid builds an ErrInvalid with its reason.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// CheckName reports whether name may be an id, key, kind or name: 1 to MaxName
// bytes, none of them zero. what names it in the error, which is ErrInvalid.
func CheckName(what, name string) error {
	if name == "" {
		return invalid("%s is empty", what)
	}
	return checkText(what, name)
}

// checkText is CheckName for what may be empty.
func checkText(what, text string) error {
	if len(text) > MaxName {
		return invalid("%s has %d bytes, more than %d", what, len(text), MaxName)
	}
	// A zero byte ends a name inside the keys of the file.
	if strings.IndexByte(text, 0) >= 0 {
		return invalid("%s holds a zero byte", what)
	}
	return nil
}

// CheckValue reports whether value is short enough to be stored.
func CheckValue(what string, value []byte) error {
	if len(value) > MaxValue {
		return invalid("%s has %d bytes, more than %d", what, len(value), MaxValue)
	}
	return nil
}

// CheckTime reports whether t can be stored: its year in UTC is 1 to 9999,
// which includes the zero time.
func CheckTime(what string, t time.Time) error {
	if s := t.Unix(); s < minUnix || s > maxUnix {
		return invalid("%s is outside the years 1 to 9999", what)
	}
	return nil
}

func checkCount(what string, n int) error {
	if n > MaxItems {
		return invalid("%d %s, more than %d", n, what, MaxItems)
	}
	return nil
}

// firstError returns the first of its arguments that is an error.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Validate reports, as ErrInvalid, what about the change could never be
// stored. Commit does the same first.
func (c *Change) Validate() error {
	err := firstError(
		CheckName("the table id", c.Table),
		CheckValue("the snapshot", c.Snapshot),
		checkText("the channel", c.Channel),
		checkText("the guild", c.Guild),
		checkText("the interaction", c.Interaction),
		CheckTime("the time of the change", c.At),
		checkCount("users", len(c.Users)),
		checkCount("entries", len(c.Entries)),
		checkCount("dropped intents", len(c.DropIntents)),
		checkCount("deadlines", len(c.Deadlines)),
		ValidateIntents(c.Intents),
	)
	if err != nil {
		return err
	}
	if c.Result != nil {
		if c.Live {
			return invalid("a live table has no result")
		}
		if err := c.Result.Validate(); err != nil {
			return err
		}
	}
	if err := c.validateWith(); err != nil {
		return err
	}
	for _, user := range c.Users {
		if err := CheckName("a user", user); err != nil {
			return err
		}
	}
	for _, entry := range c.Entries {
		if err := CheckValue("an entry", entry); err != nil {
			return err
		}
	}
	for _, key := range c.DropIntents {
		if err := CheckName("the key of a dropped intent", key); err != nil {
			return err
		}
	}
	for _, d := range c.Deadlines {
		if err := firstError(CheckName("the kind of a deadline", d.Kind), CheckTime("a deadline", d.At)); err != nil {
			return err
		}
	}
	return nil
}

// validateWith reports what of the other table's change could not be stored
// with this one.
func (c *Change) validateWith() error {
	with := c.With
	switch {
	case with == nil:
		return nil
	case with.Table == c.Table:
		return invalid("a change of table %s with another one of the same table", c.Table)
	case with.Live || with.Interaction != "" || with.Result != nil || with.With != nil:
		return invalid("the change of table %s is to happen with that of %s and is live, or has an interaction, a result or a third table", with.Table, c.Table)
	}
	return with.Validate()
}

// ValidateIntents reports, as ErrInvalid, what about the intents could never
// be stored.
func ValidateIntents(intents []Intent) error {
	if err := checkCount("intents", len(intents)); err != nil {
		return err
	}
	for _, in := range intents {
		err := firstError(
			CheckName("the key of an intent", in.Key),
			checkText("the channel of an intent", in.Channel),
			CheckValue("the payload of an intent", in.Payload),
			CheckTime("the time of an intent", in.NotBefore),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// Validate reports, as ErrInvalid, what about the settlement could never be
// stored, as far as that can be known before its users are updated.
func (s *Settlement) Validate() error {
	err := firstError(
		CheckName("the table id", s.Table),
		checkText("the key of an intent", s.Key),
		checkCount("forgotten surfaces", len(s.Forget)),
		checkCount("surfaces", len(s.Put)),
		checkCount("users", len(s.Users)),
	)
	if err != nil {
		return err
	}
	for _, name := range s.Forget {
		if err := CheckName("the name of a forgotten surface", name); err != nil {
			return err
		}
	}
	for _, sf := range s.Put {
		err := firstError(
			CheckName("the name of a surface", sf.Name),
			checkText("the channel of a surface", sf.Channel),
			checkText("the message of a surface", sf.Message),
			CheckTime("the time of a surface", sf.Posted),
			CheckValue("the data of a surface", sf.Data),
		)
		if err != nil {
			return err
		}
	}
	for _, u := range s.Users {
		if err := CheckName("a user", u.ID); err != nil {
			return err
		}
		if u.Update == nil {
			return invalid("the update of user %s is nil", u.ID)
		}
	}
	return nil
}

// Validate reports, as ErrInvalid, what about the user could not be stored.
func (u *User) Validate() error {
	return firstError(
		CheckName("the user's id", u.ID),
		checkText("the user's name", u.Name),
		checkText("the user's DM channel", u.DMChannel),
		CheckTime("the time until which DMs are closed", u.DMClosedUntil),
		CheckValue("the user's data", u.Data),
	)
}
