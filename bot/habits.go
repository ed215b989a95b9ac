package bot

import (
	"context"
	"encoding/json"
	"time"

	"paladin/game/table"
	"paladin/store"
)

// habits are what a person has chosen for all their games, as the store keeps them in User.Data. Fields may be added whose zero value
// means what it meant before.
type habits struct {
	Version   int           `json:"v"`
	Way       table.Remind  `json:"way,omitempty"`
	Reminders int           `json:"reminders,omitempty"`
	Every     time.Duration `json:"every,omitempty"`
	QuietFrom int           `json:"quiet_from,omitempty"` // minutes after midnight
	QuietTo   int           `json:"quiet_to,omitempty"`
	Zone      string        `json:"zone,omitempty"` // a name of the time zone database
}

// decodeHabits reads what is stored of a person; what cannot be read are the defaults.
func decodeHabits(u store.User) table.Habits {
	var h habits
	if len(u.Data) == 0 || json.Unmarshal(u.Data, &h) != nil {
		return table.Habits{}
	}
	out := table.Habits{Way: h.Way, Reminders: h.Reminders, Every: h.Every}
	zone, err := time.LoadLocation(h.Zone)
	quiet := table.Quiet{From: h.QuietFrom, To: h.QuietTo, Zone: zone}
	if err == nil && quiet.Valid() {
		out.Quiet = quiet
	}
	return out
}

// habitsOf reads the habits of everybody seated at a table, for the pure functions that need them.
func (a *App) habitsOf(ctx context.Context, people []table.Person) (func(table.UserID) table.Habits, error) {
	all := make(map[table.UserID]table.Habits, len(people))
	for _, p := range people {
		u, err := a.store.User(ctx, string(p.ID))
		if err != nil {
			return nil, err
		}
		all[p.ID] = decodeHabits(u)
	}
	return func(user table.UserID) table.Habits { return all[user] }, nil
}
