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

// Inspection is what makes sense of the records of a database that mean nothing to the store, for store.Check.
func Inspection() store.Inspection {
	return store.Inspection{Table: inspectTable, Setting: inspectSetting, User: inspectUser, Intent: inspectIntent}
}

// inspectTable holds a table's row, its snapshot and its history against each other.
func inspectTable(row *store.Row, history []store.Entry) error {
	t, err := table.Decode(row.Snapshot)
	if err != nil {
		return fmt.Errorf("its snapshot: %w", err)
	}
	if t.ID() != row.ID || t.Live() != row.Live || t.Channel() != row.Channel || t.Guild() != row.Guild {
		return errors.New("its snapshot is that of another table")
	}
	entries := make([][]byte, len(history))
	for i, e := range history {
		entries[i] = e.Data
	}
	lines, err := table.ReadHistory(entries)
	if err != nil {
		return err
	}
	return table.Audit(&t, lines)
}

// inspectSetting looks at those settings that have a form.
func inspectSetting(key string, value []byte) error {
	kind, rest, _ := strings.Cut(key, "/")
	switch kind + "/" {
	case practiceKeys:
		return inspectPractice(table.UserID(rest), value)
	case looksKey(""):
		return json.Unmarshal(value, new(looks))
	case settingsKey(""):
		return json.Unmarshal(value, new(guildSettings))
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
