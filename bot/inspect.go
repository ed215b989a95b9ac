package bot

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paladin/bot/discord"
	"paladin/game/table"
	"paladin/store"
)

// Inspection is what makes sense of the records of a database that mean nothing to the store, for
// store.Check.
func Inspection() store.Inspection {
	return store.Inspection{Table: inspectTable, Setting: inspectSetting, User: inspectUser, Intent: inspectIntent}
}

// inspectTable holds a table's row, its snapshot and its history against each other. What is wrong
// with a game that nobody plays on is no fault: somebody knew of it and set it aside, and a backup
// would bring it back.
func inspectTable(row *store.Row, history []store.Entry) (err error) {
	defer panicked(&err)
	entries := dataOf(history)
	t, err := table.Decode(row.Snapshot)
	if err != nil {
		err = fmt.Errorf("its snapshot: %w", err)
	}
	aside := !row.Live && (err == nil && t.Live() || err != nil && !table.ToldItsEnd(entries))
	if err == nil {
		err = heldAgainst(row, &t, entries)
	}
	switch {
	case table.WasStruck(row.Snapshot, entries):
		return store.Remark("it could not be read when somebody in it was forgotten: what could not be done without them was deleted")
	case aside && err == nil:
		return store.Remark(errAside.Error())
	case aside:
		return store.Remark(fmt.Sprintf("%v: %v", errAside, err))
	case err == nil || !row.Live:
		return err
	case errors.Is(err, table.ErrVersion):
		return store.Remark(fmt.Sprintf("in channel %s: it was stored by a newer version of this program and stands still until that runs again",
			row.Channel))
	case errors.Is(err, errHistory):
		return fmt.Errorf("in channel %s: %w: the game goes on without it", row.Channel, err)
	default:
		return fmt.Errorf("in channel %s: %w: it stands still; /paladin new in its channel, or /paladin stop by whoever manages it, sets it aside",
			row.Channel, err)
	}
}

func dataOf(history []store.Entry) [][]byte {
	data := make([][]byte, len(history))
	for i, e := range history {
		data[i] = e.Data
	}
	return data
}

// panicked makes a panic over one record a fault of that one: the rest is looked at too. What the
// panic says may be about cards.
func panicked(err *error) {
	if recover() != nil {
		*err = errors.New("bug: what it holds makes this program panic")
	}
}

// heldAgainst is what is wrong with a table that can be decoded.
func heldAgainst(row *store.Row, t *table.Table, entries [][]byte) error {
	if !isOf(t, row) {
		return errAnother
	}
	lines, err := table.ReadHistory(entries)
	if err != nil {
		return fmt.Errorf("%w: %w", errHistory, err)
	}
	return table.Audit(t, lines)
}

// isOf reports whether a snapshot is the one of its row. A running game in a row that is not live
// was set aside.
func isOf(t *table.Table, row *store.Row) bool {
	return t.ID() == row.ID && (t.Live() || !row.Live) && t.Channel() == row.Channel && t.Guild() == row.Guild
}

var errAnother = errors.New("its snapshot is that of another table")

// inspectSetting looks at those settings that have a form.
func inspectSetting(key string, value []byte) (err error) {
	defer panicked(&err)
	kind, rest, _ := strings.Cut(key, "/")
	switch kind + "/" {
	case practiceKeys:
		return inspectPractice(table.UserID(rest), value)
	case looksKey(""):
		return json.Unmarshal(value, new(looks))
	case settingsKey(""):
		return json.Unmarshal(value, new(guildSettings))
	case scopesKey + "/":
		return json.Unmarshal(value, new(scopes))
	case identifiesKey + "/":
		return json.Unmarshal(value, new(discord.Identifies))
	default:
		return nil
	}
}

func inspectPractice(user table.UserID, value []byte) error {
	var kept practice
	if err := json.Unmarshal(value, &kept); err != nil {
		return err
	}
	t, err := table.Decode(kept.Table)
	if err != nil {
		return err
	}
	if !practising(t.ID()) || t.SeatOf(user) < 0 {
		return errors.New("it is no practice game of that user")
	}
	return table.Audit(&t, nil)
}

// inspectUser looks at what somebody chose.
func inspectUser(u *store.User) error {
	if len(u.Data) == 0 {
		return nil
	}
	return json.Unmarshal(u.Data, new(habits))
}

func inspectIntent(in *store.Intent) error { return json.Unmarshal(in.Payload, new(intent)) }
