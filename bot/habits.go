package bot

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/table"
	"paladin/store"
)

// habits are what a person has chosen for all their games, and what was last said to them about several, as the store keeps them in
// User.Data. Fields may be added whose zero value means what it meant before.
type habits struct {
	Version   int           `json:"v"`
	Way       table.Remind  `json:"way,omitempty"`
	Reminders int           `json:"reminders,omitempty"`
	Every     time.Duration `json:"every,omitempty"`
	QuietFrom int           `json:"quiet_from,omitempty"` // minutes after midnight
	QuietTo   int           `json:"quiet_to,omitempty"`
	Zone      string        `json:"zone,omitempty"` // a name of the time zone database
	// Language is the language that they chose; empty: their client's.
	Language string `json:"language,omitempty"`
	// Look is how much is drawn in what they alone read.
	Look render.Look `json:"look,omitempty"`
	// Learned are the hints that they need no more.
	Learned []render.Hint `json:"learned,omitempty"`
	// Locale is their client's language when the bot last heard from them.
	Locale string  `json:"locale,omitempty"`
	Digest *digest `json:"digest,omitempty"`
}

// digest is the last reminder that told somebody of several games.
type digest struct {
	At int64 `json:"at"` // seconds since 1970
	// From is the table whose reminder it was; Steps are the questions that it told of, by table.
	From  string            `json:"from"`
	Steps map[string]uint64 `json:"steps"`
	// Channel and Message are where it stands; empty where an older program sent it.
	Channel string `json:"channel,omitempty"`
	Message string `json:"message,omitempty"`
}

func readHabits(u store.User) habits {
	var h habits
	if len(u.Data) == 0 || json.Unmarshal(u.Data, &h) != nil {
		return habits{}
	}
	return h
}

// update changes what is stored of a person and leaves the rest alone; for use within the store's transactions.
func updateHabits(u *store.User, change func(*habits)) {
	h := readHabits(*u)
	change(&h)
	h.Version = 1
	if data, err := json.Marshal(h); err == nil { // plain values: it cannot fail
		u.Data = data
	}
}

// decodeHabits reads what is stored of a person; what cannot be read are the defaults.
func decodeHabits(u store.User) table.Habits { return readHabits(u).table() }

func (h habits) table() table.Habits {
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
		if errors.Is(err, store.ErrCorrupt) {
			u, err = store.User{}, nil // the defaults: it keeps nobody at the table from playing
		}
		if err != nil {
			return nil, err
		}
		all[p.ID] = decodeHabits(u)
	}
	return func(user table.UserID) table.Habits { return all[user] }, nil
}

// notices answers /paladin notices with somebody's own habits.
func (a *App) notices(ctx context.Context, i *request) answer {
	u, err := a.store.User(ctx, i.User.ID)
	if err != nil {
		return a.failure(i, "notices", "", err)
	}
	return answer{message: a.noticesPanel(i, readHabits(u), nil, "")}
}

func (a *App) noticesPanel(i *request, h habits, places []render.Zone, note string) discord.Message {
	return i.pr.NoticesPanel(render.Notices{Habits: h.table(), Zone: h.Zone, Now: a.clock.Now(), Places: places, Note: note, Language: h.Language, Look: h.Look})
}

// askedLately is how long after it was asked an answer to "what time is it for you now" is about the moment of the question.
const askedLately = 15 * time.Minute

// changeHabits carries out a press on the panel of somebody's own habits. It holds in all their games from then on.
func (a *App) changeHabits(ctx context.Context, i *request, id press.ID) answer {
	what, value := id.Arg(0), id.Arg(1)
	if what != render.HabitWay && what != render.HabitLook {
		if len(i.Values) != 1 {
			return say(i.pr.Say(render.TextForgedPress))
		}
		value = i.Values[0]
	}
	u, err := a.store.User(ctx, i.User.ID)
	if err != nil {
		return a.failure(i, "notices", "", err)
	}
	if what == render.HabitHour {
		hour, err := strconv.Atoi(value)
		at, ok := a.asked(id.Arg(1))
		if err != nil || hour < 0 || hour > 23 || !ok {
			return say(i.pr.Say(render.TextForgedPress))
		}
		return answer{message: a.noticesPanel(i, readHabits(u), render.ZonesAt(at, hour), ""), update: true}
	}
	// Tried on a copy first: the store's transaction has no way to refuse.
	tried := readHabits(u)
	note, ok := chooseHabit(&tried, what, value)
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	if note != "" {
		return answer{message: a.noticesPanel(i, readHabits(u), nil, i.pr.Say(note)), update: true}
	}
	var stored habits
	err = a.store.UpdateUser(ctx, i.User.ID, func(u *store.User) {
		updateHabits(u, func(h *habits) {
			if again := *h; isChosen(&again, what, value) {
				*h = again
			}
		})
		stored = readHabits(*u)
	})
	if err != nil {
		return a.failure(i, "notices", "", err)
	}
	a.counted.add(i.ID)
	if what == render.HabitLanguage || what == render.HabitLook {
		a.addressed(ctx, i) // the answer is the first that is read in the new language
	} else {
		a.replan(ctx, table.UserID(i.User.ID), stored.table())
	}
	return answer{message: a.noticesPanel(i, stored, nil, i.pr.Say(render.TextHabitsKept)), update: true}
}

func isChosen(h *habits, what, value string) bool {
	note, ok := chooseHabit(h, what, value)
	return ok && note == ""
}

// asked is the moment about which somebody answered what time it is: the one at which the question was drawn, which the reader's own
// device showed, or the present one when the question is old. It is false for what is no moment.
func (a *App) asked(drawn string) (at time.Time, ok bool) {
	now := a.clock.Now()
	minutes, err := strconv.ParseInt(drawn, 10, 64)
	if at = time.Unix(minutes*60, 0); at.After(now) || now.Sub(at) >= askedLately {
		at = now
	}
	return at, err == nil
}

// chooseHabit changes one habit. It is false for what no panel offers; a note says why something that is offered cannot be had.
func chooseHabit(h *habits, what, value string) (note render.Text, ok bool) {
	number, err := strconv.Atoi(value)
	isNumber := err == nil
	switch what {
	case render.HabitWay:
		h.Way = table.Remind(value)
		return "", h.Way == table.RemindDM || h.Way == table.RemindMention || h.Way == table.RemindBoth || h.Way == table.RemindNone
	case render.HabitCount:
		h.Reminders = number
		if number == 0 {
			h.Reminders = -1 // 0 is the default
		}
		return "", isNumber && number >= 0 && number <= table.MaxReminders
	case render.HabitEvery:
		h.Every = time.Duration(number) * time.Hour
		return "", isNumber && number >= 0 && number <= 24
	case render.HabitPlace:
		zone, known := render.ZoneNamed(value)
		h.Zone = zone.Name
		return "", known
	case render.HabitLanguage:
		h.Language = value
		if value == render.NoLanguage {
			h.Language = ""
		}
		return "", h.Language == "" || slices.Contains(render.Languages, h.Language)
	case render.HabitLook:
		look, known := render.ParseLook(value)
		h.Look = look
		return "", known
	case render.HabitFrom, render.HabitTo:
		if value == render.NoQuiet {
			h.QuietFrom, h.QuietTo = 0, 0
			return "", what == render.HabitFrom
		}
		return chooseQuiet(h, what, number), isNumber && number >= 0 && number < 24
	default:
		return "", false
	}
}

// usualNight is how long quiet hours are of which only one end was chosen.
const usualNight = 8 * 60

func chooseQuiet(h *habits, what string, hour int) (note render.Text) {
	const day = 24 * 60
	if h.Zone == "" {
		return render.TextQuietZone
	}
	none := h.QuietFrom == h.QuietTo
	minute := (hour*60%day + day) % day
	if what == render.HabitFrom {
		h.QuietFrom = minute
		if none {
			h.QuietTo = (minute + usualNight) % day
		}
	} else {
		h.QuietTo = minute
		if none {
			h.QuietFrom = (minute - usualNight + day) % day
		}
	}
	if quiet := (table.Quiet{From: h.QuietFrom, To: h.QuietTo}); !quiet.Valid() {
		return render.TextQuietTooLong
	}
	return ""
}

// replan counts the deadlines of all of somebody's tables anew, by habits that are stored already. A table that is too busy to take it
// up has steps before it that count by the new habits anyway.
func (a *App) replan(ctx context.Context, user table.UserID, chosen table.Habits) {
	ids, err := a.store.TablesByUser(ctx, string(user))
	if err != nil {
		a.log.Error("the deadlines of somebody with new habits cannot be counted anew", "error", err)
		return
	}
	for _, id := range ids {
		a.submit(id, func(ctx context.Context) {
			res := a.act(ctx, id, table.Actor{}, table.Replan{User: user, Habits: chosen}, "")
			if res.err != nil && !a.noteUnreadable(res.err) {
				a.log.Error("deadlines cannot be counted anew", "table", id, "error", res.err)
			}
		})
	}
}

// awaitedHabits are those of the person whose decision a table waits for; the defaults when they cannot be read.
func (a *App) awaitedHabits(ctx context.Context, row store.Row) table.Habits {
	t, err := table.Decode(row.Snapshot)
	if err != nil {
		return table.Habits{}
	}
	who, awaited := t.AwaitedPerson()
	if !awaited {
		return table.Habits{}
	}
	u, err := a.store.User(ctx, string(who.ID))
	if err != nil {
		a.log.Warn("somebody's habits cannot be read", "table", row.ID, "error", err)
	}
	return decodeHabits(u)
}
