package picture

import (
	"errors"
	"image"
	"image/color"
	"sync"

	"paladin/game/paladin"
	"paladin/game/table"
)

// The size of a picture in pixels. A phone shows it 360 to 400 wide, so that what matters is written at least 28 high.
const (
	Width  = 900
	Height = 500
)

// Where things are on the table, in pixels.
const (
	margin     = 12
	gap        = 12
	headerMid  = 28
	wellTop    = 54
	wellHeight = 332
	seatTop    = 398
	seatHeight = 92
	pointer    = 12 // how far the mark of the seat that is awaited rises above its panel
)

// errNoGame says that there is nothing to draw: a lobby, or a table closed before its game began.
var errNoGame = errors.New("picture: the table has no game")

// Table is the picture of a game as everybody sees it: the quests of the row from left to right with their number, honour and deck;
// on each its cards in order, the leading Paladin turned up once it leads, who peeked at which, and the winner with the Paladin
// that is kept; below the seats with honour, hand, dealer, start player, computer players and whose move it is; above the round, the
// phase and what is left of supply, discard pile and quests. It fails for a table without a game.
func Table(p *table.Public) ([]byte, error) {
	if p == nil || p.Game == nil {
		return nil, errNoGame
	}
	l, err := layoutFor(len(p.Game.Seats))
	if err != nil {
		return nil, err
	}
	return l.table(p).png()
}

// table is a sheet with all that everybody sees.
func (l *layout) table(p *table.Public) sheet {
	s := newSheet(l.ground)
	l.header(s, p.Game)
	for i, q := range l.row(p.Game) {
		l.quest(s, p.Game, q, l.columnX(i))
	}
	for i, seat := range p.Game.Seats {
		l.seat(s, p, seat, l.columnX(i))
	}
	return s
}

// row are the quests for which there is a column.
func (l *layout) row(g *paladin.Public) []paladin.PublicQuest {
	return g.Row[:min(len(g.Row), l.seats)]
}

// cardsX is where the cards of a quest begin whose column begins at x.
func (l *layout) cardsX(x int) int { return x + (l.column-l.px(columnWidth))/4*2 }

// A layout is how a table of so many seats is drawn, with the sprites for it.
type layout struct {
	workshop
	hard   workshop // for what is small, or often there
	seats  int
	pitch  int     // from one column to the next; even, so that equal things are equal bytes
	column int     // width of a quest's column and of a seat's panel
	scale  float32 // of what lies in a column, against a table of five
	plaque int     // from one card that follows to the next
	panel  panelPlaces
	ground *image.Paletted

	faces       [2 * (paladin.MaxValue + 1)]*sprite
	leaderBack  [paladin.MaxPlayers]*sprite
	leaderToken [paladin.MaxPlayers]*sprite
	slot        *sprite
	quests      [2][paladin.MaxHonour + 1]*sprite // the Queen's, the King's
	plaques     [2][paladin.MaxPlayers]*sprite    // as they lie, and while their owner decides
	eye         *sprite
	peekers     [paladin.MaxPlayers]*sprite
	frame       *sprite // around the quest that is resolved
	winners     [paladin.MaxPlayers]*sprite
	number      numerals // of a quest

	seatTokens             [paladin.MaxPlayers]*sprite
	active, paused         *sprite
	honour, hand           numerals
	sword, cards           *sprite
	dealer, starts, squire *sprite
	round, piles           numerals
	pips                   [3]*sprite // past, present, to come
	phases                 [4]*sprite

	// opened are for replays alone.
	opened func() *opened
}

// panelPlaces is where things stand on a seat's panel, from its left edge: the token, honour and hand, and the marks.
type panelPlaces struct{ token, icons, numbers, marks int }

var panels = [paladin.MaxPlayers + 1]panelPlaces{
	3: {token: 62, icons: 128, numbers: 152, marks: 240},
	4: {token: 42, icons: 92, numbers: 114, marks: 180},
	5: {token: 33, icons: 74, numbers: 92, marks: 144},
}

var layouts = func() (out [paladin.MaxPlayers + 1]func() *layout) {
	for seats := paladin.MinPlayers; seats <= paladin.MaxPlayers; seats++ {
		out[seats] = sync.OnceValue(func() *layout { return newLayout(seats) })
	}
	return out
}()

var errSeats = errors.New("picture: no table has so many seats")

func layoutFor(seats int) (*layout, error) {
	if seats < paladin.MinPlayers || seats > paladin.MaxPlayers {
		return nil, errSeats
	}
	return layouts[seats](), nil
}

func (l *layout) columnX(i int) int { return (Width-l.seats*l.pitch+gap)/2 + i*l.pitch }

// px is a length of a table of five at this table's scale, even like all of them.
func (l *layout) px(n float32) int { return int(n*l.scale/2+0.5) * 2 }

// seated says whether the seat is one of this table's.
func (l *layout) seated(seat paladin.Seat) bool { return seat >= 0 && int(seat) < l.seats }

// --- what changes

func (l *layout) header(s sheet, g *paladin.Public) {
	x := margin + 12
	for round := 1; round <= min(g.Rounds, paladin.QuestCards/paladin.MinPlayers); round++ {
		which := 0
		switch {
		case round == g.Round:
			which = 1
		case round > g.Round:
			which = 2
		}
		s.centre(l.pips[which], x, headerMid)
		x += 26
	}
	l.round.write(s, digits(g.Round)+"/"+digits(g.Rounds), x-2, headerMid)
	if i := int(g.Phase - paladin.PhaseStart); i < len(l.phases) {
		s.centre(l.phases[i], Width/2, headerMid)
	}
	for i, n := range []int{g.Supply, len(g.Discards), g.QuestsLeft} {
		l.piles.write(s, digits(n), pileX(i)+24, headerMid)
	}
}

// lit is the index of what is drawn in two ways.
func lit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// pileX is where the number of the supply, the discard pile and the quests to come stands in the header.
func pileX(i int) int { return 616 + i*100 }

// Where things stand in a quest's column, at the scale of a table of five: the shield and the leading Paladin, then the others.
const (
	columnWidth = 170
	leaderTop   = 9
	cardLeft    = 82
	cardWidth   = 84
	shieldWidth = 68
	plaqueTop   = 134
	plaquePitch = 44
	plaqueHigh  = 54
)

func (l *layout) quest(s sheet, g *paladin.Public, q paladin.PublicQuest, x int) {
	if g.Resolving == q.Number {
		s.put(l.frame, x, wellTop)
	}
	x = l.cardsX(x)
	y := wellTop + l.px(leaderTop)
	if q.Honour >= 0 && q.Honour <= paladin.MaxHonour {
		s.put(l.quests[lit(q.King)][q.Honour], x+l.px(8), y)
	}
	l.number.write(s, digits(q.Number), x+l.px(3), y+10)
	switch {
	case q.Won:
		l.won(s, q, x, y)
	case len(q.Cards) == 0:
		s.put(l.slot, x+l.px(cardLeft), y)
	default:
		l.leader(s, q.Cards[0], x+l.px(cardLeft), y)
		l.followers(s, g, q, x+l.px(4))
	}
}

func (l *layout) won(s sheet, q paladin.PublicQuest, x, y int) {
	if card, ok := q.Kept.Card(); ok {
		s.put(l.faces[card], x+l.px(cardLeft), y)
	}
	if l.seated(q.WonBy) {
		s.centre(l.winners[q.WonBy], x+l.px(columnWidth/2), wellTop+(l.px(plaqueTop)+wellHeight)/2)
	}
}

func (l *layout) leader(s sheet, c paladin.PublicCard, x, y int) {
	if !l.seated(c.Seat) {
		return
	}
	if card, ok := c.Card.Card(); ok {
		s.put(l.faces[card], x, y)
		s.centre(l.leaderToken[c.Seat], x+l.px(2), y+l.px(102))
		return
	}
	s.put(l.leaderBack[c.Seat], x, y)
	if n := len(c.PeekedBy); n > 0 {
		s.centre(l.eye, x+l.px(cardWidth/2), y+l.px(75))
		l.tokens(s, c.PeekedBy, x+l.px(cardWidth/2)-(n-1)*l.px(18)/2, y+l.px(97), l.px(18))
	}
}

// followers are the cards behind the leading Paladin, in order from above.
func (l *layout) followers(s sheet, g *paladin.Public, q paladin.PublicQuest, x int) {
	for i := 1; i < min(len(q.Cards), l.seats); i++ {
		if l.seated(q.Cards[i].Seat) {
			l.follower(s, g, q, i, x)
		}
	}
}

func (l *layout) follower(s sheet, g *paladin.Public, q paladin.PublicQuest, i, x int) {
	c, y := q.Cards[i], l.followerY(i)
	s.put(l.plaqueOf(g, q, c), x, y)
	if n := len(c.PeekedBy); n > 0 {
		first := x + l.px(146) - (n-1)*l.px(20)
		s.centre(l.eye, first-l.px(26), y+l.px(22))
		l.tokens(s, c.PeekedBy, first, y+l.px(22), l.px(20))
	}
}

// followerY is where the card lies that is so far behind the leading Paladin.
func (l *layout) followerY(i int) int { return wellTop + l.px(plaqueTop) + (i-1)*l.plaque }

// plaqueOf is a card behind the leading Paladin, as it lies or while its owner decides.
func (l *layout) plaqueOf(g *paladin.Public, q paladin.PublicQuest, c paladin.PublicCard) *sprite {
	return l.plaques[lit(g.Resolving == q.Number && g.Deciding == c.Place)][c.Seat]
}

// tokens puts the small tokens of those who peeked beside each other.
func (l *layout) tokens(s sheet, seats []paladin.Seat, x, y, pitch int) {
	for i, seat := range seats {
		if l.seated(seat) {
			s.centre(l.peekers[seat], x+i*pitch, y)
		}
	}
}

func (l *layout) seat(s sheet, p *table.Public, seat paladin.PublicSeat, x int) {
	g, at := p.Game, l.panel
	if !l.seated(seat.Seat) {
		return
	}
	if g.ToAct == seat.Seat {
		s.put(l.active, x, seatTop-pointer)
		if p.Paused {
			s.centre(l.paused, x+l.column/2, seatTop)
		}
	}
	const above, middle, below = seatTop + 28, seatTop + seatHeight/2, seatTop + 68
	if i := int(seat.Seat); i < len(p.Seats) && (!p.Seats[i].Human() || p.Seats[i].Away) {
		s.centre(l.seatTokens[seat.Seat], x+at.token, above+4)
		s.centre(l.squire, x+at.token, below+6)
	} else {
		s.centre(l.seatTokens[seat.Seat], x+at.token, middle)
	}
	s.centre(l.sword, x+at.icons, above)
	l.honour.write(s, digits(seat.Honour), x+at.numbers, above)
	s.centre(l.cards, x+at.icons, below)
	l.hand.write(s, digits(seat.Hand), x+at.numbers, below)
	if g.Dealer == seat.Seat {
		s.centre(l.dealer, x+at.marks, above)
	}
	if g.Start == seat.Seat {
		s.centre(l.starts, x+at.marks, below)
	}
}

// --- what is drawn once

func newLayout(seats int) *layout {
	l := &layout{workshop: workshop{tableBox}, hard: workshop{hardBox}, seats: seats, pitch: (Width - 2*margin + gap) / seats &^ 1, panel: panels[seats]}
	l.column = l.pitch - gap
	// The tallest column is a leading Paladin above a card of everybody else.
	tallest := float32(plaqueTop + plaquePitch*(seats-2) + plaqueHigh)
	l.scale = min((wellHeight-8)/tallest, float32(l.column)/columnWidth)
	l.plaque = min((wellHeight-l.px(plaqueTop+plaqueHigh+5))/(seats-2), l.px(plaqueHigh)-2) &^ 1
	l.drawCards()
	l.drawQuests()
	l.drawPlaques()
	l.drawSeats()
	l.drawHeader()
	l.drawGround()
	l.opened = sync.OnceValue(l.drawOpened)
	return l
}

func (l *layout) drawCards() {
	w := cardWidth * l.scale
	sw, sh := int(w)+2, int(w*cardRatio)+2
	for i := range l.faces {
		l.faces[i] = l.draw(sw, sh, ink, func(c *canvas) { c.paladin(paladin.Card(i), 0, 0, w) })
	}
	for seat := range paladin.Seat(l.seats) {
		l.leaderBack[seat] = l.hard.draw(sw, sh, ink, func(c *canvas) {
			c.back(0, 0, w)
			c.token(seat, w/2, w*0.42, 48*l.scale)
		})
		l.leaderToken[seat] = l.hard.draw(l.px(42), l.px(42), ink, func(c *canvas) {
			mid := float32(l.px(42)) / 2
			c.fill(circle(mid, mid, mid), ink)
			c.token(seat, mid, mid, 36*l.scale)
		})
	}
	l.slot = l.draw(sw, sh, ink, func(c *canvas) {
		c.fill(box(0, 0, w, w*cardRatio, 9*l.scale), slate)
		c.fill(box(2.5, 2.5, w-5, w*cardRatio-5, 7*l.scale), ink)
		c.fill(plainSword().at(w/2, w*cardRatio/2, 0.62*l.scale), slate)
	})
}

func (l *layout) drawQuests() {
	w := shieldWidth * l.scale
	for deck := range l.quests {
		for honour := range l.quests[deck] {
			l.quests[deck][honour] = l.hard.draw(int(w)+2, int(w*1.78), ink, func(c *canvas) { c.quest(honour, deck == 1, w/2, 0, w) })
		}
	}
	l.number = l.numerals(28, iron, ink)
	l.frame = l.draw(l.column, wellHeight, felt, func(c *canvas) {
		c.fill(box(0, 0, float32(l.column), wellHeight, 6), gold)
		c.fill(box(3, 3, float32(l.column)-6, wellHeight-6, 4), ink)
	})
	for seat := range paladin.Seat(l.seats) {
		l.winners[seat] = l.hard.draw(l.px(120), l.px(140), ink, func(c *canvas) {
			x, y, size := float32(l.px(120))/2, float32(l.px(140))/2, min(l.scale, 1.15)
			c.rosette(x, y-18*size, 92*size)
			c.numbered(seat, x, y-18*size, 64*size)
		})
	}
}

func (l *layout) drawPlaques() {
	w, h := 162*l.scale, plaqueHigh*l.scale
	for deciding := range l.plaques {
		edge := ivory
		if deciding == 1 {
			edge = gold
		}
		for seat := range paladin.Seat(l.seats) {
			l.plaques[deciding][seat] = l.hard.draw(int(w)+1, int(h)+2, ink, func(c *canvas) {
				c.fill(box(0, 0, w, h, 4), edge)
				c.fill(box(4, 4, w-8, h-8, 1), backing)
				c.token(seat, 26*l.scale, 24*l.scale, 33*l.scale)
				if deciding == 1 {
					c.fill(arrow().turned(-90).at(64*l.scale, 24*l.scale, 0.26*l.scale), gold)
				}
			})
		}
	}
	l.eye = l.hard.draw(l.px(30), l.px(20), backing, func(c *canvas) { c.eye(15*l.scale, 10*l.scale, 27*l.scale, ivory, ink) })
	for seat := range paladin.Seat(l.seats) {
		l.peekers[seat] = l.hard.draw(l.px(22), l.px(22), backing, func(c *canvas) {
			c.token(seat, float32(l.px(22))/2, float32(l.px(22))/2, 20*l.scale)
		})
	}
}

func (l *layout) drawSeats() {
	w := float32(l.column)
	l.active = l.draw(l.column, seatHeight+pointer, felt, func(c *canvas) {
		c.fill(polygon(w/2-17, pointer+1, w/2, 0, w/2+17, pointer+1), gold)
		c.fill(box(0, pointer, w, seatHeight, 6), gold)
		c.fill(box(4, pointer+4, w-8, seatHeight-8, 3), panel)
	})
	l.paused = l.draw(30, 26, felt, func(c *canvas) {
		c.fill(box(0, 0, 30, 26, 8), gold)
		c.fill(join(box(8, 5, 5, 16, 1), box(17, 5, 5, 16, 1)), ink)
	})
	size := 52 + 12*float32(paladin.MaxPlayers-l.seats)/2
	for seat := range paladin.Seat(l.seats) {
		l.seatTokens[seat] = l.hard.draw(int(size)+2, int(size)+2, panel, func(c *canvas) { c.numbered(seat, size/2+1, size/2+1, size) })
	}
	l.honour, l.hand = l.numerals(42, ivory, panel), l.numerals(34, ivory, panel)
	l.sword = l.hard.draw(24, 44, panel, func(c *canvas) { c.paintSword(12, 22, 42, 0, 0, ink) })
	l.cards = l.hard.draw(40, 36, panel, func(c *canvas) { c.cards(20, 18, 32, backing, ivory) })
	l.dealer = l.hard.draw(34, 38, panel, func(c *canvas) { c.pile(17, 19, 32, gold, panel) })
	l.starts = l.hard.draw(34, 38, panel, func(c *canvas) { c.fill(pennant().at(17, 19, 0.32), gold) })
	l.squire = l.hard.draw(30, 30, panel, func(c *canvas) { c.paintHelm(15, 15, 27, iron, panel) })
}

func (l *layout) drawHeader() {
	l.round, l.piles = l.numerals(34, ivory, felt), l.numerals(32, ivory, felt)
	for i, col := range []color.NRGBA{bronze, gold, slate} {
		l.pips[i] = l.hard.draw(24, 24, felt, func(c *canvas) {
			r := float32(8)
			if i == 1 {
				r = 11.5
			}
			c.fill(polygon(12, 12-r, 12+r, 12, 12, 12+r, 12-r, 12), col)
			if i == 2 {
				c.fill(polygon(12, 7, 17, 12, 12, 17, 7, 12), felt)
			}
		})
	}
	for phase := range l.phases {
		l.phases[phase] = l.draw(46, 42, felt, func(c *canvas) { c.phase(paladin.PhaseStart + paladin.Phase(phase)) })
	}
}

// phase paints the sign of a phase: the start player is named, quests are led, cards are placed, quests are resolved.
func (c *canvas) phase(phase paladin.Phase) {
	c.fill(box(0, 0, 46, 42, 8), gold)
	switch phase {
	case paladin.PhaseStart:
		c.fill(pennant().at(23, 21, 0.27), ink)
	case paladin.PhaseLead:
		c.fill(kingShield().at(23, 20.5, 0.26), ink)
		c.fill(plainSword().at(23, 20, 0.22), gold)
	case paladin.PhasePlace:
		c.cards(23, 21, 30, ink, gold)
	case paladin.PhaseResolve:
		c.fill(plainSword().turned(40).at(23, 21, 0.34), ink)
		c.fill(plainSword().turned(-40).at(23, 21, 0.34), ink)
	}
}

func (l *layout) drawGround() {
	l.ground = l.workshop.ground(Height, func(c *canvas) {
		for i := range l.seats {
			x := float32(l.columnX(i))
			c.fill(box(x, wellTop, float32(l.column), wellHeight, 6), ink)
			c.fill(box(x, seatTop, float32(l.column), seatHeight, 6), panel)
		}
		c.headerPile(float32(pileX(0)), false)
		c.headerPile(float32(pileX(1)), true)
		c.fill(kingShield().at(float32(pileX(2)), headerMid, 0.27), iron)
		c.fill(plainSword().at(float32(pileX(2)), headerMid-1, 0.23), felt)
	})
}

// headerPile paints the sign of the supply, or of the discard pile.
func (c *canvas) headerPile(x float32, discarded bool) {
	c.fill(box(x-12, headerMid-16, 24, 32, 4), ivory)
	c.fill(box(x-9.5, headerMid-13.5, 19, 27, 2.5), backing)
	if discarded {
		c.fill(cross().at(x, headerMid, 0.36), ivory)
	}
}
