package picture

import (
	"paladin/game/paladin"
	"paladin/game/table"
)

// Replayed is a position of a game that is over, as somebody saw it: the picture of [Table], with the faces of the cards that lie face
// down as far as known tells them, by the numbers of the quest and of the place. A leading Paladin shows above its back, and each other
// card has its value beside its owner's token. It fails for a table without a game.
func Replayed(p *table.Public, known func(quest, place int) (paladin.Card, bool)) ([]byte, error) {
	if p == nil || p.Game == nil {
		return nil, errNoGame
	}
	l, err := layoutFor(len(p.Game.Seats))
	if err != nil {
		return nil, err
	}
	s := l.table(p)
	for i, q := range l.row(p.Game) {
		if !q.Won {
			l.open(s, p.Game, q, l.cardsX(l.columnX(i)), known)
		}
	}
	return s.png()
}

// opened are the sprites of faces that lie face down.
type opened struct {
	chips [2 * (paladin.MaxValue + 1)]*sprite
	// foot is the lower end of a back, beneath a face.
	foot *sprite
}

// Where things are on a card that is known, at the scale of a table of five.
const (
	footTop   = 84
	footHigh  = 34
	chipLeft  = 44
	chipWidth = 40
	chipHigh  = 36
)

// open shows what is known of a quest's cards.
func (l *layout) open(s sheet, g *paladin.Public, q paladin.PublicQuest, x int, known func(quest, place int) (paladin.Card, bool)) {
	for i, c := range q.Cards[:min(len(q.Cards), l.seats)] {
		card, ok := known(q.Number, c.Place)
		switch shut := !ok || !c.Card.IsZero(); {
		case !l.seated(c.Seat) || shut && i == 0:
		case i == 0:
			l.openLeader(s, c, card, x+l.px(cardLeft), wellTop+l.px(leaderTop))
		case shut:
			l.follower(s, g, q, i, x+l.px(4)) // over the end of the one before it, which may have been opened
		default:
			l.openFollower(s, g, q, i, card, x+l.px(4))
		}
	}
}

func (l *layout) openLeader(s sheet, c paladin.PublicCard, card paladin.Card, x, y int) {
	s.put(l.faces[card], x, y)
	s.put(l.opened().foot, x, y+l.px(footTop))
	s.centre(l.leaderToken[c.Seat], x+l.px(2), y+l.px(102))
	if n := len(c.PeekedBy); n > 0 {
		s.centre(l.eye, x+l.px(cardWidth/2), y+l.px(footTop))
		l.tokens(s, c.PeekedBy, x+l.px(cardWidth/2)-(n-1)*l.px(16)/2+l.px(6), y+l.px(104), l.px(16))
	}
}

func (l *layout) openFollower(s sheet, g *paladin.Public, q paladin.PublicQuest, i int, card paladin.Card, x int) {
	c := q.Cards[i]
	y := l.followerY(i)
	s.put(l.plaqueOf(g, q, c), x, y)
	s.put(l.opened().chips[card], x+l.px(chipLeft), y+l.px(24-chipHigh/2))
	if n := len(c.PeekedBy); n > 0 {
		pitch := min(l.px(20), l.px(54)/n)
		first := x + l.px(148) - (n-1)*pitch
		if n <= 2 { // there is no room for more
			s.centre(l.eye, first-l.px(26), y+l.px(22))
		}
		l.tokens(s, c.PeekedBy, first, y+l.px(22), pitch)
	}
}

func (l *layout) drawOpened() *opened {
	o := &opened{}
	w, h := float32(l.px(chipWidth)), float32(l.px(chipHigh))
	for i := range o.chips {
		o.chips[i] = l.hard.draw(int(w), int(h), backing, func(c *canvas) { c.chip(paladin.Card(i), w, h) })
	}
	width := cardWidth * l.scale
	o.foot = l.hard.draw(int(width)+2, l.px(footHigh), ivory, func(c *canvas) {
		c.back(0, -footTop*l.scale, width)
		c.fill(box(0, 0, width, max(2, 2.5*l.scale), 0), ivory)
	})
	return o
}

// chip paints the value of a Paladin w wide and h high.
func (c *canvas) chip(card paladin.Card, w, h float32) {
	c.fill(box(0, 0, w, h, h*0.16), ivory)
	if card.Red() {
		c.fill(box(2, 2, w-4, h-4, h*0.12), crimson)
		c.fill(written(digits(card.Value()), w*0.36, h*0.5, h*0.92), ivory)
		c.fill(written("r", w*0.76, h*0.6, h*0.62), gold)
		return
	}
	c.fill(written(digits(card.Value()), w/2, h*0.5, h*0.98), ink)
}
