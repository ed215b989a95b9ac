package render

import (
	"fmt"

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

// Receipt tells the owner of a seat what one event of their own move did; empty for what the panel shows anyway. The event is the
// seat's own form: it names the seat's own cards.
func (pr *Printer) Receipt(p *table.Public, seat paladin.Seat, e paladin.PrivateEvent) string {
	if e.Seat != seat {
		return pr.receiptOfOthers(p, e.PublicEvent)
	}
	card := "a card"
	if e.Knows {
		card = pr.boldCard(e.Secret)
	}
	switch e.Kind {
	case paladin.StartNamed:
		if e.Target == seat {
			return "✅ You start the round yourself."
		}
		return fmt.Sprintf("✅ %s starts the round.", pr.who(p, e.Target))
	case paladin.Placed:
		if e.Place == 1 {
			return fmt.Sprintf("✅ Your %s leads quest %d, face down.", card, e.Quest)
		}
		return fmt.Sprintf("✅ You placed %s on quest %d.", card, e.Quest)
	case paladin.Peeked:
		return fmt.Sprintf("👁 %s's card on quest %d is %s. Now place a card.", pr.who(p, e.Target), e.Quest, card)
	case paladin.TookBack:
		return fmt.Sprintf("✅ You took %s back to your hand.", card)
	case paladin.Discarded:
		return fmt.Sprintf("✅ You discarded %s, unseen.", card)
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
			return fmt.Sprintf("All seats are taken: you are number %d in the queue and get a seat when one is free.", len(p.Queue))
		}
		if seat := p.SeatOf(user); seat != paladin.NoSeat {
			return fmt.Sprintf("✅ You sit at the table: %s %s, seat %d.", tokenOf(seat).sign, pr.tokenWord(seat), seat.Number())
		}
		return "✅ You sit at the table."
	case table.Leave:
		return "✅ You left the table."
	case table.AddSquire:
		return "✅ A squire sits at the table."
	case table.RemoveSeat:
		return "✅ The seat is free again."
	case table.Invite:
		if len(cmd.People) == 1 {
			return "✅ One person is invited."
		}
		return fmt.Sprintf("✅ %d people are invited.", len(cmd.People))
	case table.SetStrength:
		return fmt.Sprintf("✅ Squires added from now on are: %s.", cmd.Strength.Title())
	case table.SetPace:
		return "✅ " + pr.paceLine(cmd.Pace)
	case table.SetSquirePace:
		return "✅ The squires' pace is set."
	case table.Start:
		return "✅ The game begins. **My seat** shows your cards."
	case table.Cancel:
		return "✅ The lobby is closed."
	default:
		return "✅ Done."
	}
}
