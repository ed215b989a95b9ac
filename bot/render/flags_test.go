package render

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"paladin/bot/discord"
	"paladin/game/paladin"
	"paladin/game/table"
)

// A view is one of the ways in which people see a table.
type view string

const (
	viewBoard     view = "board"
	viewPicture   view = "the picture's words"
	viewSeat      view = "My seat"
	viewSeatDM    view = "My seat in a DM"
	viewOther     view = "another's seat"
	viewSpectator view = "a spectator"
	viewModerator view = "a moderator who does not play"
	viewOwner     view = "the owner of a seat that somebody holds"
	viewGames     view = "the list of games"
	viewOthers    view = "another's list of games"
	viewReminder  view = "a reminder"
	viewOrders    view = "standing orders"
	viewPlan      view = "the plan"
	viewLog       view = "log"
	viewCall      view = "a call in the channel"
	viewRefusal   view = "the refusal of somebody's move whose turn it is not"
)

// seen is a table as one flag makes it, and who looks.
type seen struct {
	*game
	// reader holds the seat that the flag is about, or that is awaited; other is another one; owner, if not NoSeat, is the
	// seat that somebody holds for its owner.
	reader, other, owner paladin.Seat
	// until is when the awaited person's time is over.
	until time.Time
	// doubted is true while Discord does not know the channel.
	doubted bool
}

// shown is what a view shows; false where there is no such view of such a table.
func (s *seen) shown(v view) (string, bool) {
	p := s.at(s.until)
	private := func(seat paladin.Seat) *table.Private {
		mine := s.private(seat)
		if mine != nil {
			mine.Until = s.until
		}
		return mine
	}
	opt := PanelOptions{AsOf: s.now, BoardLink: "https://discord.com/channels/1/2/3"}
	panel := func(seat paladin.Seat, sel Selection) (discord.Message, bool) {
		mine := private(seat)
		if mine == nil || sel.Page != "" && mine.View == nil {
			return discord.Message{}, false
		}
		if quests, _ := mine.Plannable(); sel.Page == PagePlan && (len(quests) == 0 || p.Over()) {
			return discord.Message{}, false
		}
		return english.Panel(mine, sel, opt), true
	}
	list := func(seat paladin.Seat) string {
		queued := slices.IndexFunc(p.Queue, func(q table.Person) bool { return seat >= 0 && q.ID == userID(int(seat)) }) + 1
		return rendered(english.GamesPage([]Listed{{Public: p, Seat: seat, Queued: queued, Doubted: s.doubted,
			SentOff: seat >= 0 && p.Seats[seat].SentOff}}, 1, 0))
	}
	m, ok := discord.Message{}, true
	switch v {
	case viewBoard:
		m = english.Board(p, Links{})
	case viewPicture:
		return english.TableAlternative(p), p.Game != nil
	case viewSeat:
		m, ok = panel(s.reader, Selection{})
	case viewSeatDM:
		opt.DM = true
		m, ok = panel(s.reader, Selection{})
	case viewOther:
		m, ok = panel(s.other, Selection{})
	case viewSpectator, viewModerator:
		opt.Moderator = v == viewModerator
		m = english.Spectator(p, userID(4), opt)
	case viewOwner:
		if s.owner == paladin.NoSeat {
			return "", false
		}
		m = english.StoodIn(p, s.owner, opt)
	case viewGames:
		return list(s.reader), !p.Over()
	case viewOthers:
		return list(s.other), !p.Over()
	case viewReminder:
		l := Listed{Public: p, Seat: s.reader}
		return english.ReminderNote(l), l.Mine() && !p.Paused
	case viewOrders:
		m, ok = panel(s.reader, Selection{Page: PageOrders})
	case viewPlan:
		m, ok = panel(s.other, Selection{Page: PagePlan})
	case viewLog:
		m = english.LogPage(p, s.history, 99)
	case viewCall:
		m, ok = english.TurnPing(p, p.Awaited, ""), p.Awaited != paladin.NoSeat
	case viewRefusal:
		return english.RefusalText(&table.Refusal{Kind: table.NotYourTurn, Seat: p.Awaited}, p), p.Awaited != paladin.NoSeat
	}
	return rendered(m), ok
}

// views are all of them, in order.
var views = []view{
	viewBoard, viewPicture, viewSeat, viewSeatDM, viewOther, viewSpectator, viewModerator, viewOwner, viewGames, viewOthers, viewReminder,
	viewOrders, viewPlan, viewLog, viewCall, viewRefusal,
}

// tableFlag is one thing that holds of a table besides the position.
type tableFlag struct {
	name string
	// make brings a table into it.
	make func(t *testing.T) *seen
	// says are the messages by which views say it; not is why other views need not.
	says map[view][]Text
	not  map[view]string
}

// Why views say nothing of some flags.
const (
	onlyDrawn   = "it is read in place of the picture, which draws none of this; the words beside it say it"
	onlyMoves   = "it is about one's moves; My seat and the board say it"
	onlyHistory = "it tells what happened, and this is not something that did"
	noneOfYours = "a spectator has no part in it, and the board says it"
	ownAffair   = "it is the affair of one seat"
	onBoard     = "the board, to which a button leads, says it"
	calls       = "it calls one person to what they have to do"
)

// besides are views that say nothing of most flags, with the reason.
var besides = map[view]string{
	viewPicture: onlyDrawn, viewReminder: calls, viewOrders: onlyMoves, viewPlan: onlyMoves, viewCall: calls, viewRefusal: calls,
	viewOwner: "what it says of the game is how it stands and who is awaited", viewGames: "a list says what games wait for",
	viewOthers: "a list says what games wait for",
}

func inGame(t *testing.T) *seen {
	g := startTable(t, plainNames[:3], 4)
	g.play(g.private(0).View.Legal()[1])
	return &seen{game: g, reader: g.table.Awaited(), other: (g.table.Awaited() + 1) % 3, owner: paladin.NoSeat}
}

func (s *seen) by(seat paladin.Seat) table.Actor {
	return table.Actor{Person: s.public().Seats[seat].Person, Interaction: "1"}
}

func paused(t *testing.T) *seen {
	s := inGame(t)
	s.do(table.Actor{Person: table.Person{ID: "77", Name: "Mod"}, Moderator: true}, table.VotePause{})
	return s
}

func allOf(texts []Text, at ...view) map[view][]Text {
	out := map[view][]Text{}
	for _, v := range at {
		out[v] = texts
	}
	return out
}

func and(a, b map[view][]Text) map[view][]Text {
	out := maps.Clone(a)
	for v, texts := range b {
		out[v] = append(slices.Clone(out[v]), texts...)
	}
	return out
}

func because(why string, at ...view) map[view]string {
	out := map[view]string{}
	for _, v := range at {
		out[v] = why
	}
	return out
}

func reasons(all ...map[view]string) map[view]string {
	out := map[view]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// flags are those of table.Public and of its seats.
func flags() []tableFlag {
	seats := []view{viewSeat, viewSeatDM, viewOther}
	watchers := []view{viewSpectator, viewModerator}
	list := []tableFlag{
		{
			name: "paused", make: paused,
			says: and(and(allOf([]Text{"presence.paused_since"}, viewBoard, viewSeat, viewSeatDM, viewOther, viewSpectator, viewModerator, viewOwner,
				viewOrders, viewPlan, viewCall, viewRefusal), allOf([]Text{"presence.label_resume"}, viewBoard, viewSeat, viewSeatDM, viewOther, viewModerator)),
				map[view][]Text{viewGames: {"games.heading_paused", "games.paused_mine_since"}, viewOthers: {"games.heading_paused", "games.paused_others_since"},
					viewLog: {"presence.line_paused"}}),
		},
		{
			name: "paused by a program that did not keep since when",
			make: func(t *testing.T) *seen {
				s := paused(t)
				snapshot, err := s.table.Encode()
				if err != nil {
					t.Fatal(err)
				}
				_, body, digested := strings.Cut(string(snapshot), "{")
				if !digested {
					t.Fatal("no stored table")
				}
				old := regexp.MustCompile(`"paused_since":\d+,`).ReplaceAllString("{"+body, "")
				if s.table, err = table.Decode([]byte(regexp.MustCompile(`,"digest":"[^"]*"`).ReplaceAllString(old, ""))); err != nil {
					t.Fatal(err)
				}
				return s
			},
			says: and(allOf([]Text{"presence.paused"}, viewBoard, viewSeat, viewSeatDM, viewOther, viewSpectator, viewModerator, viewOrders, viewPlan,
				viewCall, viewRefusal), map[view][]Text{viewGames: {"games.paused_mine"}, viewOthers: {"games.paused_others"}, viewLog: {"presence.line_paused"}}),
		},
		{
			name: "a vote to pause",
			make: func(t *testing.T) *seen { s := inGame(t); s.do(s.by(1), table.VotePause{}); return s },
			says: and(allOf([]Text{"presence.pause_votes", "presence.label_pause_too"}, viewBoard, viewSeat, viewSeatDM, viewOther),
				map[view][]Text{viewLog: {"presence.line_pause_vote"}, viewModerator: {"presence.label_pause_too"}}),
			not: because(noneOfYours, viewSpectator),
		},
		{
			name: "a vote to go on",
			make: func(t *testing.T) *seen { s := paused(t); s.do(s.by(1), table.VoteResume{}); return s },
			says: and(allOf([]Text{"presence.resume_votes"}, viewBoard, viewSeat, viewSeatDM, viewOther), map[view][]Text{viewLog: {"presence.line_resume_vote"}}),
			not:  because(noneOfYours, watchers...),
		},
		{
			name: "a vote to stop",
			make: func(t *testing.T) *seen { s := inGame(t); s.do(s.by(1), table.VoteStop{}); return s },
			says: and(allOf([]Text{"board.stop_votes"}, viewBoard, viewSeat, viewSeatDM, viewOther), map[view][]Text{viewLog: {"events.vote_stop"}}),
			not:  because(noneOfYours, watchers...),
		},
		{
			name: "turns that ran out, and an offer to stand in",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				late := s.table.Awaited()
				s.do(table.Actor{}, table.Timeout{Prompt: s.table.Prompt()})
				s.do(s.actor(7, "Ida"), table.Offer{Seat: late})
				s.reader, s.other = late, s.table.Awaited()
				return s
			},
			says: and(allOf([]Text{"presence.offer"}, viewBoard, viewSeat, viewSeatDM, viewOther), map[view][]Text{
				viewBoard: {"presence.label_offer", "presence.label_accept"}, viewSeat: {"presence.missed"}, viewSeatDM: {"presence.missed"},
				viewLog: {"presence.line_timeout", "presence.line_offer"},
			}),
			not: reasons(because(noneOfYours, watchers...)),
		},
		{
			name: "a squire keeps a seat",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				s.do(s.by(s.reader), table.Leave{})
				return s
			},
			says: map[view][]Text{
				viewBoard: {"board.away_lead", "board.role_away"}, viewSeat: {"panel.away_heading", "panel.back"}, viewSeatDM: {"panel.away_heading", "panel.back"},
				viewOther: {"board.away_lead"}, viewSpectator: {"board.away_lead"}, viewModerator: {"board.away_lead"}, viewGames: {"games.squire_plays"},
				viewLog: {"events.left_game"},
			},
		},
		{
			name: "somebody stands in",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				late := s.table.Awaited()
				s.do(table.Actor{}, table.Timeout{Prompt: s.table.Prompt()})
				s.do(s.actor(7, "Ida"), table.Offer{Seat: late})
				for i := range paladin.Seat(3) {
					if i != late && s.public().Seats[late].Owner.ID == "" {
						s.do(s.by(i), table.Accept{Seat: late, User: userID(7)})
					}
				}
				s.reader, s.other, s.owner = late, s.table.Awaited(), late
				return s
			},
			says: map[view][]Text{
				viewBoard: {"board.role_stands_in"}, viewSeat: {"board.role_stands_in"}, viewSeatDM: {"board.role_stands_in"},
				viewOwner: {"presence.stood_in_heading", "presence.label_reclaim"}, viewLog: {"presence.line_stand_in"},
			},
			not: because(onBoard, viewOther, viewSpectator, viewModerator),
		},
		{
			name: "somebody was sent off",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				late := s.table.Awaited()
				s.do(table.Actor{Person: table.Person{ID: "77", Name: "Mod"}, Moderator: true}, table.SendOff{Seat: late, User: s.by(late).ID})
				s.reader, s.other, s.owner = late, (late+1)%3, paladin.NoSeat
				return s
			},
			says: map[view][]Text{
				viewBoard: {"sendoff.role"}, viewSeat: {"sendoff.seat", "panel.away_heading"}, viewSeatDM: {"sendoff.seat"}, viewGames: {"sendoff.state"},
				viewModerator: {"sendoff.label_open"}, viewLog: {"sendoff.line_sent_off"},
			},
			not: because(onBoard, viewOther, viewSpectator, viewOthers),
		},
		{
			name: "the owner of a stood-in seat was sent off",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				late := s.table.Awaited()
				s.do(table.Actor{Person: table.Person{ID: "77", Name: "Mod"}, Moderator: true}, table.SendOff{Seat: late, User: s.by(late).ID})
				s.do(s.actor(7, "Ida"), table.Offer{Seat: late})
				s.do(table.Actor{Person: table.Person{ID: s.public().Host}}, table.Accept{Seat: late, User: userID(7)})
				s.reader, s.other, s.owner = late, (late+1)%3, late
				return s
			},
			says: map[view][]Text{viewOwner: {"sendoff.seat", "sendoff.sees"}, viewBoard: {"board.role_stands_in"}, viewLog: {"sendoff.line_sent_off"}},
			not:  because("of those who were sent off only they are told, who cannot come back", viewSeat, viewSeatDM, viewOther, viewSpectator, viewModerator),
		},
		{
			name: "an owner is back from a stand-in",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				late := s.table.Awaited()
				owner := s.by(late)
				s.do(owner, table.Leave{})
				s.do(s.actor(7, "Ida"), table.Offer{Seat: late})
				s.do(table.Actor{Person: table.Person{ID: s.public().Host}}, table.Accept{Seat: late, User: userID(7)})
				s.do(owner, table.Reclaim{})
				s.reader, s.other, s.owner = late, (late+1)%3, paladin.NoSeat
				return s
			},
			says: map[view][]Text{
				viewSeat: {"presence.seen_by"}, viewSeatDM: {"presence.seen_by"}, viewLog: {"events.back_from_stand_in"},
			},
			not: because("the log and the seat itself tell who saw its cards", viewBoard, viewOther, viewSpectator, viewModerator),
		},
		{
			name: "a clock",
			make: func(t *testing.T) *seen { s := inGame(t); s.until = s.now.Add(time.Hour); return s },
			says: and(allOf([]Text{"presence.times_until_asked"}, viewBoard, viewOther, viewSpectator, viewModerator), map[view][]Text{
				viewSeat: {"presence.own_times_until"}, viewSeatDM: {"presence.own_times_until"}, viewGames: {"games.since_until"}, viewReminder: {"games.since_until"},
			}),
			not: reasons(because(onlyHistory, viewLog), because("how long others have is on the board; a list says since when they are awaited", viewOthers)),
		},
		{
			name: "no clock",
			make: inGame,
			says: and(allOf([]Text{"presence.times_since"}, viewBoard, viewOther, viewSpectator, viewModerator), map[view][]Text{
				viewSeat: {"presence.own_times_since"}, viewSeatDM: {"presence.own_times_since"}, viewGames: {"games.since"}, viewOthers: {"games.since"},
				viewReminder: {"games.since"},
			}),
			not: because(onlyHistory, viewLog),
		},
		{
			name: "Discord does not know the channel",
			make: func(t *testing.T) *seen { s := inGame(t); s.doubted = true; return s },
			says: allOf([]Text{"games.doubted"}, viewGames, viewOthers),
			not: reasons(because("it is not posted there; `warned` says it in every private answer about the game", append(seats, watchers...)...),
				because("nobody sees a board in a channel that is unknown", viewBoard), because(onlyHistory, viewLog)),
		},
		{
			name: "a lobby with a queue and an invitation",
			make: func(t *testing.T) *seen {
				g := openTable(t, 3, "Alma", 1)
				g.do(g.actor(0, "Alma"), table.Invite{People: []table.Person{{ID: userID(8), Name: "Hans"}}})
				for i := 1; i < 5; i++ {
					g.do(g.actor(i, plainNames[i]), table.Join{})
				}
				return &seen{game: g, reader: 0, other: 1, owner: paladin.NoSeat}
			},
			says: map[view][]Text{
				viewBoard: {"board.ready_host", "board.queue", "board.invited"}, viewSeat: {"panel.lobby_heading", "board.ready_host"},
				viewSeatDM: {"panel.lobby_heading", "board.ready_host"}, viewOther: {"board.ready_host"}, viewSpectator: {"answers.join_queued"},
				viewModerator: {"answers.join_queued"}, viewGames: {"games.heading_lobbies", "games.lobby"}, viewOthers: {"games.heading_lobbies"},
				viewLog: {"events.queued", "events.invited"},
			},
		},
		{
			name: "a lobby that its host left",
			make: func(t *testing.T) *seen {
				g := openTable(t, 4, "Alma", 1)
				for i := 1; i < 4; i++ {
					g.do(g.actor(i, plainNames[i]), table.Join{})
				}
				g.do(g.actor(0, "Alma"), table.Leave{})
				return &seen{game: g, reader: 0, other: 1, owner: paladin.NoSeat}
			},
			says: and(allOf([]Text{"board.ready_anyone"}, viewBoard, viewSeat, viewSeatDM, viewOther), map[view][]Text{viewLog: {"events.left_lobby"}}),
			not:  because("whoever sits down is told by the board and in My seat", watchers...),
		},
		{
			name: "a lobby of a further game, with a deck of its own",
			make: func(t *testing.T) *seen {
				s := closedBecause(t, table.ClosedModerator)
				text, err := json.Marshal(paladin.HouseDeck())
				if err != nil {
					t.Fatal(err)
				}
				deck, err := paladin.ParseDeck([]byte(strings.Replace(string(text), `"quests":[1,`, `"quests":[2,`, 1)))
				if err != nil || deck.IsHouse() {
					t.Fatalf("a deck of its own: %v", err)
				}
				fresh, _, out, err := s.table.Again(table.Opening{
					ID: "k7f3q2xb", Guild: "9", Channel: "8", Host: s.by(0), Deck: deck, Now: s.now,
				})
				if err != nil {
					t.Fatal(err)
				}
				s.table, s.history = fresh, nil
				s.remember(out)
				s.reader, s.other = 1, 2
				return s
			},
			says: map[view][]Text{
				viewBoard: {"board.seat_not_ready", "board.not_ready", "board.lobby_own_deck"}, viewSeat: {"panel.lobby_again", "words.label_join"},
				viewSeatDM: {"panel.lobby_again"}, viewOther: {"panel.lobby_again"}, viewGames: {"games.lobby_again"}, viewOthers: {"games.lobby_again"},
			},
			not: reasons(because("whoever sits down is told by the board and in My seat", watchers...), because(onlyHistory, viewLog)),
		},
		{
			name: "a practice game",
			make: func(t *testing.T) *seen {
				made, out, err := table.Practise(table.Opening{
					ID: "k7f3q2xc", Host: table.Actor{Person: table.Person{ID: userID(0), Name: "Alma"}, Interaction: "1"},
					Deck: paladin.HouseDeck(), Seed: paladin.Seed{1, 2}, Now: opened,
				})
				if err != nil {
					t.Fatal(err)
				}
				g := &game{t: t, table: made, now: opened}
				g.remember(out)
				return &seen{game: g, reader: 0, other: 1, owner: paladin.NoSeat}
			},
			says: allOf([]Text{"practice.head"}, viewSeat, viewSeatDM, viewOrders),
			not: because("nobody but the player sees anything of it, in a panel alone",
				viewBoard, viewOther, viewSpectator, viewModerator, viewGames, viewOthers, viewReminder, viewLog),
		},
		{
			name: "finished",
			make: func(t *testing.T) *seen {
				s := inGame(t)
				for r := random(4); s.step(r); {
				}
				return s
			},
			says: and(allOf([]Text{"panel.over_heading"}, seats...), map[view][]Text{
				viewBoard: {"board.over_heading", "events.winners"}, viewSpectator: {"events.winners", "answers.join_over"},
				viewModerator: {"events.winners", "answers.join_over"}, viewLog: {"events.game_over"},
			}),
		},
	}
	for reason, told := range map[string]Text{
		table.ClosedStopped: "events.closed_stopped", table.ClosedModerator: "events.closed_moderator", table.ClosedIdle: "events.closed_idle",
		table.ClosedEmpty: "events.closed_empty", table.ClosedChannel: "events.closed_channel",
	} {
		list = append(list, tableFlag{
			name: "closed: " + reason,
			make: func(t *testing.T) *seen { return closedBecause(t, reason) },
			says: allOf([]Text{told}, append([]view{viewBoard, viewLog}, append(seats, watchers...)...)...),
		})
	}
	return list
}

// closedBecause is a game that was closed for a reason.
func closedBecause(t *testing.T, reason string) *seen {
	s := inGame(t)
	switch reason {
	case table.ClosedStopped:
		s.do(s.by(0), table.VoteStop{})
		s.do(s.by(1), table.VoteStop{})
	case table.ClosedModerator:
		s.do(table.Actor{Person: table.Person{ID: "77"}, Moderator: true}, table.ForceStop{})
	case table.ClosedIdle:
		s.now = s.now.Add(table.GameIdle)
		s.do(table.Actor{}, table.Idle{})
	case table.ClosedEmpty:
		for i := range paladin.Seat(3) {
			s.do(s.by(i), table.Leave{})
		}
	case table.ClosedChannel:
		s.do(table.Actor{}, table.Lost{})
	}
	if got := s.table.Reason(); got != reason {
		t.Fatalf("closed because of %q, not %q", got, reason)
	}
	return s
}

// fieldsOf tells of every field of what everybody may know by which flags it is walked, or why it is
// none: one that is added has to be thought about here.
var fieldsOf = map[string]string{
	"ID": "no flag: what presses name", "Guild": "no flag: a place", "Channel": "no flag: a place", "Stage": "finished", "Reason": "closed: ",
	"Host": "a lobby with", "HostLeft": "a lobby that its host left", "Seats": "the fields of seats", "Queue": "a lobby with a queue",
	"Invited": "a lobby with a queue and an invitation", "Options": "a clock, a practice game; text alone is how a board looks", "HouseDeck": "with a deck of its own",
	"Commitment": "no flag: Verify shows it", "Salt": "no flag: Verify shows it", "Seed": "no flag: the end shows it", "Prompt": "no flag: the position",
	"Awaited": "no flag: the position", "Since": "a clock", "Game": "no flag: the position", "Recent": "no flag: what happened", "Until": "a clock",
	"Paused": "paused", "PausedAt": "paused", "PauseVotes": "a vote to pause", "Offers": "an offer", "StopVotes": "a vote to stop",
	"VotesToEnd": "paused", "Next": "no flag: the button to the next game, TestBoards", "Opened": "no flag", "Started": "no flag", "Ended": "no flag",

	"seat.Person": "no flag: who sits there", "seat.Squire": "no flag: who sits there", "seat.Ready": "a lobby of a further game", "seat.Away": "a squire keeps",
	"seat.Missed": "turns that ran out", "seat.Overdue": "turns that ran out", "seat.Owner": "somebody stands in",
	"seat.Former": "an owner is back", "seat.SentOff": "somebody was sent off", "SentOff": "somebody was sent off",
}

// TestEveryFieldIsThoughtOf: what everybody may know of a table has no field that the walk leaves out.
func TestEveryFieldIsThoughtOf(t *testing.T) {
	var names []string
	for _, f := range flags() {
		names = append(names, f.name)
	}
	walked := strings.Join(names, "\n")
	check := func(prefix string, of reflect.Type) {
		for i := range of.NumField() {
			name := prefix + of.Field(i).Name
			told, ok := fieldsOf[name]
			first, _, _ := strings.Cut(told, ",")
			if !ok || !strings.HasPrefix(told, "no flag") && told != "the fields of seats" && !strings.Contains(walked, first) {
				t.Errorf("%s is walked by no flag: %q", name, told)
			}
		}
	}
	check("", reflect.TypeFor[table.Public]())
	check("seat.", reflect.TypeFor[table.PublicSeat]())
}

// saysText reports whether a text says a message, in any of its forms and with anything in its gaps.
func saysText(t *testing.T, messages map[string]string, said string, id Text) bool {
	t.Helper()
	pattern, ok := messages[string(id)]
	if !ok {
		t.Fatalf("no message is called %s", id)
	}
	return regexp.MustCompile(pattern).MatchString(said)
}

// patterns are what English messages look like when they are filled.
func patterns(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for id, m := range messagesOf(t, "en") {
		var all []string
		for _, form := range forms(m) {
			quoted := regexp.QuoteMeta(gap.ReplaceAllString(form, "\x00"))
			all = append(all, "(?s:"+strings.ReplaceAll(quoted, "\x00", ".*?")+")")
		}
		slices.Sort(all)
		out[id] = strings.Join(all, "|")
	}
	return out
}

// TestEveryFlagInEveryView walks every flag of a table through every way in which people see it: each
// view says it by a message of the catalogue, or is listed with the reason why it need not.
func TestEveryFlagInEveryView(t *testing.T) {
	messages := patterns(t)
	for _, f := range flags() {
		t.Run(f.name, func(t *testing.T) {
			s := f.make(t)
			for _, v := range views {
				said, exists := s.shown(v)
				if !exists {
					continue
				}
				if len(f.says[v]) == 0 && f.not[v] == "" && besides[v] == "" {
					t.Errorf("%s: nobody says whether it tells of this:\n%s", v, said)
				}
				for _, id := range f.says[v] {
					if !saysText(t, messages, said, id) {
						t.Errorf("%s lacks %s:\n%s", v, id, said)
					}
				}
			}
		})
	}
}

// TestEveryPrivatePanelIsDated: nobody sees of a private message whether it still holds.
func TestEveryPrivatePanelIsDated(t *testing.T) {
	s := inGame(t)
	stamp := ago(s.now)
	for _, v := range []view{viewSeat, viewSeatDM, viewOther, viewSpectator, viewModerator, viewOrders, viewPlan} {
		if said, ok := s.shown(v); ok && !strings.Contains(said, stamp) {
			t.Errorf("%s does not say as of when it holds:\n%s", v, said)
		}
	}
	opt := PanelOptions{AsOf: s.now.Add(time.Minute)}
	for name, m := range map[string]discord.Message{
		"stood in": english.StoodIn(s.public(), 0, opt), "handed back": english.HandedBack(s.public(), 0, userID(7), opt),
	} {
		if said := rendered(m); !strings.Contains(said, ago(opt.AsOf)) {
			t.Errorf("%s does not say as of when it holds:\n%s", name, said)
		}
	}
}
