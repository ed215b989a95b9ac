package bot

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/bot/render"
	"paladin/game/rating"
	"paladin/game/squire"
	"paladin/game/table"
	"paladin/store"
)

// resultOf is how a finished table's game ended, for the standings; nil if what is known cannot be stored, which keeps no game from
// ending. lines are those of the step that ended it, which are not stored yet.
func (a *App) resultOf(ctx context.Context, t *table.Table, lines []table.Line) (*store.Result, error) {
	entries, err := a.store.History(ctx, t.ID(), 1, 0)
	if err != nil {
		return nil, err
	}
	stored := make([][]byte, len(entries))
	for i, e := range entries {
		stored[i] = e.Data
	}
	return resultFrom(a.log, t, append(readable(a.log, t, stored), lines...)), nil
}

// readable are the entries of a history that can be read; what cannot counts for nobody.
func readable(log *slog.Logger, t *table.Table, entries [][]byte) []table.Line {
	history := make([]table.Line, 0, len(entries))
	for i, e := range entries {
		var line table.Line
		if err := json.Unmarshal(e, &line); err != nil {
			log.Error("an entry does not count for the standings", "table", t.ID(), "entry", i+1, "error", err)
			continue
		}
		history = append(history, line)
	}
	return history
}

// resultFrom is the result of a finished table with this history; nil if it cannot be stored.
func resultFrom(log *slog.Logger, t *table.Table, history []table.Line) *store.Result {
	r := scored(t, history)
	if err := r.Validate(); err != nil {
		log.Error("a game does not count for the standings", "table", t.ID(), "error", err)
		return nil
	}
	return r
}

// Score returns what works out the results of games that ended before results were kept, for store.Options. The same counts as of a game
// that ends now, and what the older form of a history does not say counts for whoever held the seat then.
func Score(log *slog.Logger) func(id string, snapshot []byte, entries [][]byte) *store.Result {
	return func(id string, snapshot []byte, entries [][]byte) *store.Result {
		t, err := table.Decode(snapshot)
		if err != nil {
			log.Error("a game does not count for the standings", "table", id, "error", err)
			return nil
		}
		if t.Stage() != table.Finished {
			return nil // stopped, or never begun
		}
		r := resultFrom(log, &t, readable(log, &t, entries))
		if r == nil {
			return nil
		}
		var nobody []string
		r.Players(func(_ int, p *store.Player) {
			if table.UserID(p.User).Forgotten() {
				nobody = append(nobody, p.User)
			}
		})
		for _, user := range nobody {
			r.Forget(user)
		}
		return r
	}
}

// scored is the result of a finished table with this history.
func scored(t *table.Table, history []table.Line) *store.Result {
	scores := t.Tally(history)
	honour := make([]int, len(scores))
	for i, s := range scores {
		honour[i] = s.Honour
	}
	ranks := rating.Ranks(honour)
	public := t.Public()
	r := &store.Result{Finished: public.Ended, HouseDeck: public.HouseDeck}
	for i, s := range scores {
		seat := store.ResultSeat{Honour: s.Honour, Rank: ranks[i], Away: s.Away}
		if s.Squire != 0 {
			seat.Squire = s.Squire.String()
		} else {
			seat.Player = player(s.Holder)
		}
		for _, d := range s.Former[:min(len(s.Former), store.MaxFormer)] {
			seat.Former = append(seat.Former, player(d))
		}
		r.Seats = append(r.Seats, seat)
	}
	return r
}

func player(d table.Deeds) store.Player {
	return store.Player{
		User: string(d.ID), Name: strings.ReplaceAll(d.Name, "\x00", ""),
		Moves: d.Moves, InTime: d.InTime, SquireMoves: d.SquireMoves, Timeouts: d.Timeouts,
	}
}

// recordOf is a standing as people read it.
func recordOf(s store.Standing) render.Record {
	r := render.Record{
		Name: s.Name, Games: s.Games, Wins: s.Wins(), Honour: s.MeanHonour(), Rating: max(s.Rating.Mu, 0), Unsure: s.Rating.Sigma, Rated: s.Rated,
		SquireMoves: s.SquireMoves, Timeouts: s.Timeouts,
	}
	r.InTime, r.Asked = s.Reliability()
	if strength, err := squire.Parse(s.Squire); err == nil {
		r.Squire = strength
	}
	return r
}

// records are what those who sit in a lobby came to in its server. What cannot be read is left out: nobody waits for it.
func (a *App) records(ctx context.Context, p *table.Public) map[table.UserID]render.Record {
	if p.Stage != table.Lobby || p.Guild == "" {
		return nil
	}
	known := map[table.UserID]render.Record{}
	for _, seat := range p.Seats {
		if !seat.Human() {
			continue
		}
		s, ok, err := a.store.Standing(ctx, p.Guild, string(seat.Person.ID))
		if err != nil {
			a.log.Warn("a lobby does not tell what somebody came to", "table", p.ID, "error", err)
		} else if ok {
			known[seat.Person.ID] = recordOf(s)
		}
	}
	return known
}

// standingOrders are the store's orders by their words.
var standingOrders = map[string]store.StandingOrder{
	render.OrderRating: store.ByRating, render.OrderWins: store.ByWins, render.OrderHonour: store.ByHonour, render.OrderGames: store.ByGames,
	render.OrderReliability: store.ByReliability,
}

// standings answers /paladin standings and the presses on its pages.
func (a *App) standings(ctx context.Context, i *request) answer {
	if i.Guild == "" {
		return a.inDM(ctx, i, render.SubStandings)
	}
	asked, ok := askedStandings(i)
	if !ok {
		return say(i.pr.Say(render.TextForgedPress))
	}
	if err := a.readStandings(ctx, i, &asked); err != nil {
		return a.failure(i, "standings", "", err)
	}
	return answer{message: i.pr.Standings(asked), update: true}
}

// readStandings fills in the page that is asked for, or else the nearest that there is, with the reader's own row.
func (a *App) readStandings(ctx context.Context, i *request, asked *render.Standings) error {
	asked.Page = min(max(asked.Page, 1), 1<<20) // far beyond all pages, and no offset that overflows
	q := store.StandingsQuery{Squires: asked.Who == render.WhoSquires, Order: standingOrders[asked.Order], Limit: render.StandingsOnPage}
	for {
		q.Offset = (asked.Page - 1) * render.StandingsOnPage
		list, total, err := a.store.Standings(ctx, i.Guild, q)
		if err != nil {
			return err
		}
		asked.Pages = max(1, (total+render.StandingsOnPage-1)/render.StandingsOnPage)
		if asked.Page > asked.Pages {
			asked.Page = asked.Pages
			continue
		}
		for n := range list {
			asked.Rows = append(asked.Rows, render.Ranked{Place: q.Offset + n + 1, Record: recordOf(list[n])})
		}
		break
	}
	if q.Squires {
		return nil
	}
	place, own, err := a.store.Place(ctx, i.Guild, i.User.ID, q.Order)
	asked.Absent = place == 0
	if place > 0 && (place <= q.Offset || place > q.Offset+len(asked.Rows)) {
		asked.Own = &render.Ranked{Place: place, Record: recordOf(own)}
	}
	return err
}

// askedStandings reads which standings are asked for; false for what nobody was offered.
func askedStandings(i *request) (render.Standings, bool) {
	s := render.Standings{Who: render.WhoPeople, Order: render.OrderRating, Page: 1}
	if i.Kind == discord.KindCommand {
		if who := i.Command.Text(render.OptWho); who != "" {
			s.Who = who
		}
		if page, given := i.Command.Int(render.OptPage); given {
			s.Page = int(min(max(page, 1), 1<<30))
		}
		return s, s.Who == render.WhoPeople || s.Who == render.WhoSquires
	}
	id, err := press.Parse(i.CustomID)
	if err != nil || len(i.Values) > 1 {
		return s, false
	}
	if len(id.Args) > 0 {
		if s.Page, err = strconv.Atoi(id.Arg(0)); err != nil {
			return s, false
		}
		s.Who, s.Order = id.Arg(2), id.Arg(3)
	}
	if len(i.Values) == 1 {
		s.Order = i.Values[0]
	}
	_, known := standingOrders[s.Order]
	if !slices.Contains(render.StandingOrders(s.Who), s.Order) {
		s.Order = render.OrderRating // squires have not every order that people have
	}
	return s, known && (s.Who == render.WhoPeople || s.Who == render.WhoSquires)
}
