package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// ExportSetting returns what a setting says about a user, as JSON; nil if it
// says nothing. It is called for settings in which the user's id stands.
type ExportSetting func(user, key string, value []byte) (json.RawMessage, error)

// Exported is the form of what Export returns. It holds nothing about others
// but the ids of tables, servers and channels, and no hidden card: of tables
// that are not over it tells no more than that they are.
type Exported struct {
	Version int                        `json:"version"` // of this form: 1
	User    ExportedUser               `json:"user"`
	Tables  []ExportedTable            `json:"tables"` // sorted by id
	All     *ExportedStanding          `json:"all_servers,omitempty"`
	Servers []ExportedStanding         `json:"servers"` // sorted by id
	Results []ExportedResult           `json:"results"` // the first one stored first
	Notes   map[string]json.RawMessage `json:"notes"`   // what settings say, by their keys
	// Forgetting is true while an earlier request to be forgotten is carried
	// out; Waiting are the tables whose end it waits for.
	Forgetting bool     `json:"forgetting,omitempty"`
	Waiting    []string `json:"waiting,omitempty"`
}

// ExportedUser is what is kept about the person, whatever the table.
type ExportedUser struct {
	ID            string     `json:"id"`
	Name          string     `json:"name,omitempty"`
	DMChannel     string     `json:"dm_channel,omitempty"`
	DMClosedUntil *time.Time `json:"dm_closed_until,omitempty"`
	// Data is the user's Data if it is JSON, else a text in base64.
	Data json.RawMessage `json:"data,omitempty"`
}

// ExportedTable is a table in which the user's id stands.
type ExportedTable struct {
	ID      string    `json:"id"`
	Guild   string    `json:"server,omitempty"`
	Channel string    `json:"channel,omitempty"`
	Live    bool      `json:"live"`
	Seated  bool      `json:"seated"` // it is their table, and not only one that tells of them
	Opened  time.Time `json:"opened"`
	Touched time.Time `json:"touched"`
}

// ExportedStanding is a standing.
type ExportedStanding struct {
	Guild       string          `json:"server,omitempty"`
	Name        string          `json:"name"`
	Games       int             `json:"games"`
	Wins        float64         `json:"wins"`
	Honour      int             `json:"honour"`
	Rating      *ExportedRating `json:"rating,omitempty"`
	Moves       int             `json:"moves"`
	InTime      int             `json:"moves_in_time"`
	SquireMoves int             `json:"squire_moves"`
	Timeouts    int             `json:"timeouts"`
	Last        time.Time       `json:"last_game"`
}

// ExportedRating is a rating with the number of games that it follows from.
type ExportedRating struct {
	Mu    float64 `json:"mu"`
	Sigma float64 `json:"sigma"`
	Games int     `json:"games"`
}

// ExportedResult is what the user did in a finished game.
type ExportedResult struct {
	Table       string    `json:"table"`
	Guild       string    `json:"server,omitempty"`
	Channel     string    `json:"channel,omitempty"`
	Finished    time.Time `json:"finished"`
	HouseDeck   bool      `json:"house_deck"`
	Seats       int       `json:"seats"`
	Seat        int       `json:"seat"` // from 1
	Name        string    `json:"name"`
	Honour      int       `json:"honour"` // of the seat, like Rank
	Rank        int       `json:"rank"`
	ToTheEnd    bool      `json:"to_the_end"` // the user held the seat at the end and made its moves
	Moves       int       `json:"moves"`
	InTime      int       `json:"moves_in_time"`
	SquireMoves int       `json:"squire_moves"`
	Timeouts    int       `json:"timeouts"`
}

// NewExportedUser returns the exported form.
func NewExportedUser(u User) ExportedUser {
	e := ExportedUser{ID: u.ID, Name: u.Name, DMChannel: u.DMChannel, Data: u.Data}
	if !u.DMClosedUntil.IsZero() {
		e.DMClosedUntil = &u.DMClosedUntil
	}
	if len(u.Data) > 0 && !json.Valid(u.Data) {
		e.Data, _ = json.Marshal(u.Data) // bytes: it cannot fail
	}
	return e
}

// NewExportedTable returns the exported form.
func NewExportedTable(row *Row, seated bool) ExportedTable {
	return ExportedTable{
		ID: row.ID, Guild: row.Guild, Channel: row.Channel, Live: row.Live, Seated: seated, Opened: row.Created, Touched: row.Touched,
	}
}

// NewExportedStanding returns the exported form.
func NewExportedStanding(s *Standing) ExportedStanding {
	e := ExportedStanding{
		Guild: s.Guild, Name: s.Name, Games: s.Games, Wins: s.Wins(), Honour: s.Honour,
		Moves: s.Moves, InTime: s.InTime, SquireMoves: s.SquireMoves, Timeouts: s.Timeouts, Last: s.Last,
	}
	if s.Rated > 0 {
		e.Rating = &ExportedRating{Mu: s.Rating.Mu, Sigma: s.Rating.Sigma, Games: s.Rated}
	}
	return e
}

// NewExportedResults returns the exported form, one for each seat that the user
// held.
func NewExportedResults(r *Result, user string) (list []ExportedResult) {
	r.Players(func(seat int, p *Player) {
		if p.User != user {
			return
		}
		s := &r.Seats[seat]
		list = append(list, ExportedResult{
			Table: r.Table, Guild: r.Guild, Channel: r.Channel, Finished: r.Finished, HouseDeck: r.HouseDeck,
			Seats: len(r.Seats), Seat: seat + 1, Name: p.Name, Honour: s.Honour, Rank: s.Rank, ToTheEnd: s.User == user && !s.Away,
			Moves: p.Moves, InTime: p.InTime, SquireMoves: p.SquireMoves, Timeouts: p.Timeouts,
		})
	})
	return list
}

// Encode returns the JSON value, with a line break at its end.
func (e *Exported) Encode() ([]byte, error) {
	e.Version = 1
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// Export implements Store. It is read in several transactions: what changes
// meanwhile may be found as it was or as it is.
func (db *DB) Export(ctx context.Context, user string, setting ExportSetting) ([]byte, error) {
	b, err := db.export(ctx, user, setting)
	if err != nil {
		return nil, fmt.Errorf("export user %q: %w", user, err)
	}
	return b, nil
}

func (db *DB) export(ctx context.Context, user string, setting ExportSetting) ([]byte, error) {
	if err := ValidateExport(user, setting); err != nil {
		return nil, err
	}
	e := Exported{Tables: []ExportedTable{}, Servers: []ExportedStanding{}, Results: []ExportedResult{}, Notes: map[string]json.RawMessage{}}
	dm := ""
	err := db.view(ctx, "read what is kept", func(x *tx) error {
		u, err := x.user(user)
		if err != nil {
			return err
		}
		m, ok, err := x.mark(user)
		if err != nil {
			return err
		}
		dm = cmp.Or(u.DMChannel, m.dm)
		u.DMChannel = dm
		e.User = NewExportedUser(u)
		e.Forgetting, e.Waiting = ok, m.waiting
		return x.exportGames(&e, user)
	})
	if err != nil {
		return nil, err
	}
	if err := db.exportTables(ctx, &e, user, dm); err != nil {
		return nil, err
	}
	found, err := db.settingsWith(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		note, err := setting(user, s.key, s.was)
		if err != nil {
			return nil, fmt.Errorf("setting %q: %w", s.key, err)
		}
		if note != nil {
			e.Notes[s.key] = note
		}
	}
	return e.Encode()
}

// ValidateExport reports, as ErrInvalid, what cannot be exported.
func ValidateExport(user string, setting ExportSetting) error {
	if setting == nil {
		return invalid("an export without a function for settings")
	}
	return CheckName("the user's id", user)
}

// exportGames adds results and standings.
func (x *tx) exportGames(e *Exported, user string) error {
	var all []Result
	if err := x.resultsBy(userResults, user, 0, 0, func(r Result) { all = append(all, r) }); err != nil {
		return err
	}
	for i := len(all) - 1; i >= 0; i-- {
		e.Results = append(e.Results, NewExportedResults(&all[i], user)...)
	}
	return eachPair(x.in(standingOf), standingEntry(user, ""), func(pool string, _ []byte) error {
		row, ok, err := x.standing(pool, user, "")
		if err != nil || !ok {
			return err
		}
		s := NewExportedStanding(&row.Standing)
		if pool == "" {
			e.All = &s
		} else {
			e.Servers = append(e.Servers, s)
		}
		return nil
	})
}

func (db *DB) exportTables(ctx context.Context, e *Exported, user, dm string) error {
	found, err := db.tablesNaming(ctx, user, dm)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(found, searchChunk) {
		err := db.view(ctx, "read the tables", func(x *tx) error {
			for _, id := range some {
				with, err := x.tableWith(id, user, dm)
				if err != nil {
					return err
				}
				if !with {
					continue
				}
				row, _, err := x.row(id, false)
				if err != nil {
					return err
				}
				e.Tables = append(e.Tables, NewExportedTable(&row, slices.Contains(row.Users, user)))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
