package render

import (
	"strings"

	"paladin/game/paladin"
	"paladin/game/table"
)

// Fixed answers to what somebody did or asked for.
const (
	TextBack         Text = "replies.back"
	TextLeft         Text = "replies.left"
	TextLeftLast     Text = "replies.left_last"
	TextRepeated     Text = "replies.repeated"
	TextVoted        Text = "replies.voted"
	TextStopped      Text = "replies.stopped"
	TextOldPanel     Text = "replies.old_panel"
	TextOpened       Text = "replies.opened"
	TextBoardHere    Text = "replies.board_here"
	TextBoardUnasked Text = "replies.board_unasked"
	TextInviteBot    Text = "replies.invite_bot"
	TextInviteNobody Text = "replies.invite_nobody"
	TextShown        Text = "replies.shown"
	TextSeatsMoved   Text = "replies.seats_moved"
)

// Labels of link buttons.
const (
	LabelOpenPanel Text = "replies.label_open_panel"
	LabelBoard     Text = "replies.label_board"
	LabelChannel   Text = "replies.label_channel"
)

// Names of Discord's permissions, as its settings show them.
const (
	PermissionView          Text = "replies.permission_view"
	PermissionSend          Text = "replies.permission_send"
	PermissionAttach        Text = "replies.permission_attach"
	PermissionSendInThreads Text = "replies.permission_send_in_threads"
)

// Voted tells somebody that their vote to stop the game counts, and how many there are as long as they do not suffice.
func (pr *Printer) Voted(p *table.Public) string {
	return strings.TrimSpace(pr.Say(TextVoted) + " " + pr.votesLine(p))
}

// Receipt tells the owner of a seat what one event of their own move did; empty for what the panel shows anyway. The event is the
// seat's own form: it names the seat's own cards.
func (pr *Printer) Receipt(p *table.Public, seat paladin.Seat, e paladin.PrivateEvent) string {
	if e.Seat != seat {
		return pr.receiptOfOthers(p, e.PublicEvent)
	}
	card := pr.Say("replies.some_card")
	if e.Knows {
		card = pr.boldCard(e.Secret)
	}
	switch e.Kind {
	case paladin.StartNamed:
		if e.Target == seat {
			return pr.Say("replies.start_yourself")
		}
		return pr.Say("replies.start_named", "who", pr.who(p, e.Target))
	case paladin.Placed:
		if e.Place == 1 {
			return pr.Say("replies.led", "card", card, "quest", e.Quest)
		}
		return pr.Say("replies.placed", "card", card, "quest", e.Quest)
	case paladin.Peeked:
		return pr.Say("replies.peeked", "who", pr.who(p, e.Target), "quest", e.Quest, "card", card)
	case paladin.TookBack:
		return pr.Say("replies.took_back", "card", card)
	case paladin.Discarded:
		return pr.Say("replies.discarded", "card", card)
	default:
		return pr.receiptOfOthers(p, e.PublicEvent)
	}
}

// receiptOfOthers tells what followed from a move, or what squires that answer at once did after it.
func (pr *Printer) receiptOfOthers(p *table.Public, e paladin.PublicEvent) string {
	switch e.Kind {
	case paladin.Beaten, paladin.QuestWon, paladin.RoundScored, paladin.GameOver:
		return pr.EventSentence(p, e)
	default:
		return ""
	}
}

// LobbyReceipt tells somebody privately what their press in a lobby did.
func (pr *Printer) LobbyReceipt(p *table.Public, user table.UserID, cmd table.Command, out table.Outcome) string {
	switch cmd := cmd.(type) {
	case table.Join:
		if out.Queued {
			return pr.Say("replies.queued", "place", len(p.Queue))
		}
		if seat := p.SeatOf(user); seat != paladin.NoSeat {
			return pr.Say("replies.seated", "token", tokenOf(seat).sign, "shape", pr.tokenWord(seat), "seat", seat.Number())
		}
		return pr.Say("replies.joined")
	case table.Leave:
		return pr.Say("replies.left_table")
	case table.AddSquire:
		return pr.Say("replies.squire_added")
	case table.RemoveSeat:
		return pr.Say("replies.seat_freed")
	case table.Invite:
		return pr.plural("replies.invited", len(cmd.People))
	case table.SetStrength:
		return pr.Say(Text("replies.strength_" + cmd.Strength.String()))
	case table.SetPace:
		return "✅ " + pr.paceLine(cmd.Pace)
	case table.SetLanguage:
		return pr.Say("replies.language_set", "language", endonyms[LanguageOf(cmd.Language)])
	case table.SetPictures:
		if cmd.On {
			return pr.Say("replies.pictures_on")
		}
		return pr.Say("replies.pictures_off")
	case table.SetSquirePace:
		return pr.Say("replies.squire_pace_set")
	case table.Start:
		return pr.Say("replies.started")
	case table.Cancel:
		return pr.Say("replies.cancelled")
	default:
		return pr.Say("replies.done")
	}
}
