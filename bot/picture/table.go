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
	g := p.Game
	l, err := layoutFor(len(g.Seats))
	if err != nil {
		return nil, err
	}
	s := newSheet(l.ground)
	l.header(s, g)
	for i, q := range g.Row {
		if i < l.seats {
			l.quest(s, g, q, l.columnX(i))
		}
	}
	for i, seat := range g.Seats {
		l.seat(s, p, seat, l.columnX(i))
	}
	return s.png()
}

// A layout is how a table of so many seats is drawn, with the sprites for it.
type layout struct {
	seats  int
	column int     // width of a quest's column and of a seat's panel
	scale  float32 // of what lies in a column, against a table of five
	ground *image.Paletted

	faces       [2 * (paladin.MaxValue + 1)]*sprite
	leaderBack  [paladin.MaxPlayers]*sprite
	leaderToken [paladin.MaxPlayers]*sprite
	slot        *sprite
	quests      [2][paladin.MaxHonour + 1]*sprite
	plaques     [2][paladin.MaxPlayers]*sprite // as they lie, and while their owner decides
	eye         *sprite
	peekers     [paladin.MaxPlayers]*sprite
	frame       *sprite // around the quest that is resolved
	winners     [paladin.MaxPlayers]*sprite
	number      numerals // of a quest

	seatTokens     [paladin.MaxPlayers]*sprite
	active, paused *sprite
	honour, hand   [2]numerals // on a panel, and on that of the seat that is awaited
	panelIcons     [2]panelIcons
	round, piles   numerals
	pips           [3]*sprite // past, present, to come
	phases         [2][4]*sprite
}

// panelIcons are the small signs of a seat's panel.
type panelIcons struct{ sword, hand, dealer, start, squire *sprite }

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

func (l *layout) columnX(i int) int {
	return margin + i*(Width-2*margin+gap)/l.seats
}

// px is a length of a table of five at this table's scale.
func (l *layout) px(n float32) int { return int(n*l.scale + 0.5) }

// --- what changes

func (l *layout) header(s sheet, g *paladin.Public) {
	x := margin + 10
	for round := 1; round <= g.Rounds && round <= paladin.QuestCards; round++ {
		which := 0
		switch {
		case round == g.Round:
			which = 1
		case round > g.Round:
			which = 2
		}
		s.centre(l.pips[which], x+2, headerMid)
		x += 24
	}
	l.round.write(s, digits(g.Round)+"/"+digits(g.Rounds), x+2, headerMid, left)
	for i := range l.phases[0] {
		lit := 0
		if int(g.Phase) == i+1 {
			lit = 1
		}
		s.centre(l.phases[lit][i], phaseX+i*phasePitch, headerMid)
	}
	l.piles.write(s, digits(g.Supply), pileX(0)+24, headerMid, left)
	l.piles.write(s, digits(len(g.Discards)), pileX(1)+24, headerMid, left)
	l.piles.write(s, digits(g.QuestsLeft), pileX(2)+24, headerMid, left)
}

const (
	phaseX     = 360
	phasePitch = 52
)

func pileX(i int) int { return 608 + i*102 }

func (l *layout) quest(s sheet, g *paladin.Public, q paladin.PublicQuest, x int) {
	if g.Resolving == q.Number {
		s.put(l.frame, x, wellTop)
	}
	x += (l.column - l.px(160)) / 2
	y := wellTop + l.px(9)
	deck := 0
	if q.King {
		deck = 1
	}
	if q.Honour >= 0 && q.Honour <= paladin.MaxHonour {
		s.put(l.quests[deck][q.Honour], x-2, y)
	}
	l.number.write(s, digits(q.Number), x+l.px(4), y+l.px(11), left)
	cardX := x + l.px(76)
	switch {
	case q.Won:
		l.won(s, q, x, cardX, y)
	case len(q.Cards) == 0:
		s.put(l.slot, cardX, y)
	default:
		l.leader(s, q.Cards[0], cardX, y)
		l.followers(s, g, q, x)
	}
}

func (l *layout) won(s sheet, q paladin.PublicQuest, x, cardX, y int) {
	if card, ok := q.Kept.Card(); ok {
		s.put(l.faces[card], cardX, y)
	}
	if q.WonBy >= 0 && int(q.WonBy) < l.seats {
		s.centre(l.winners[q.WonBy], x+l.px(80), wellTop+l.px(136)+(wellHeight-l.px(136))/2)
	}
}

func (l *layout) leader(s sheet, c paladin.PublicCard, x, y int) {
	if c.Seat < 0 || int(c.Seat) >= l.seats {
		return
	}
	if card, ok := c.Card.Card(); ok {
		s.put(l.faces[card], x, y)
		s.centre(l.leaderToken[c.Seat], x+l.px(2), y+l.px(106))
		return
	}
	s.put(l.leaderBack[c.Seat], x, y)
	if n := len(c.PeekedBy); n > 0 {
		s.centre(l.eye, x+l.px(42), y+l.px(76))
		l.tokens(s, c.PeekedBy, x+l.px(42)-(n-1)*l.px(19)/2, y+l.px(98), l.px(19))
	}
}

func (l *layout) followers(s sheet, g *paladin.Public, q paladin.PublicQuest, x int) {
	for i, c := range q.Cards[1:] {
		if c.Seat < 0 || int(c.Seat) >= l.seats || i >= l.seats-1 {
			continue
		}
		deciding := 0
		if g.Resolving == q.Number && g.Deciding == c.Place {
			deciding = 1
		}
		y := wellTop + l.px(137+44*float32(i))
		s.put(l.plaques[deciding][c.Seat], x, y)
		if n := len(c.PeekedBy); n > 0 {
			first := x + l.px(148) - (n-1)*l.px(21)
			s.centre(l.eye, first-l.px(29), y+l.px(22))
			l.tokens(s, c.PeekedBy, first, y+l.px(22), l.px(21))
		}
	}
}

// tokens puts the small tokens of those who peeked beside each other.
func (l *layout) tokens(s sheet, seats []paladin.Seat, x, y, pitch int) {
	for i, seat := range seats {
		if seat >= 0 && int(seat) < l.seats {
			s.centre(l.peekers[seat], x+i*pitch, y)
		}
	}
}

func (l *layout) seat(s sheet, p *table.Public, seat paladin.PublicSeat, x int) {
	g := p.Game
	lit := 0
	if g.ToAct == seat.Seat {
		lit = 1
		s.put(l.active, x, seatTop-10)
		if p.Paused {
			s.centre(l.paused, x+l.column/2, seatTop)
		}
	}
	if seat.Seat < 0 || int(seat.Seat) >= l.seats {
		return
	}
	icons := l.panelIcons[lit]
	at := func(part float32) int { return x + int(part*float32(l.column)) }
	top, below := seatTop+31, seatTop+70
	s.centre(l.seatTokens[seat.Seat], at(0.18), top+1)
	s.centre(icons.sword, at(0.42), top)
	l.honour[lit].write(s, digits(seat.Honour), at(0.42)+16, top, left)
	s.centre(icons.hand, at(0.16), below)
	l.hand[lit].write(s, digits(seat.Hand), at(0.16)+22, below, left)
	if g.Dealer == seat.Seat {
		s.centre(icons.dealer, at(0.58), below)
	}
	if g.Start == seat.Seat {
		s.centre(icons.start, at(0.82), below)
	}
	if i := int(seat.Seat); i < len(p.Seats) && (!p.Seats[i].Human() || p.Seats[i].Away) {
		s.centre(icons.squire, at(0.88), top)
	}
}

// --- what is drawn once

func newLayout(seats int) *layout {
	l := &layout{seats: seats, column: (Width-2*margin+gap)/seats - gap}
	// The tallest column is a leading Paladin above a card of everybody else.
	l.scale = min(float32(wellHeight-14)/float32(137+44*(seats-1)), float32(l.column)/164)
	l.drawCards()
	l.drawQuests()
	l.drawPlaques()
	l.drawSeats()
	l.drawHeader()
	l.drawGround()
	return l
}

// drawn makes a sprite w by h pixels large for a ground of that colour.
func drawn(w, h int, ground color.NRGBA, paint func(c *canvas)) *sprite {
	c := newCanvas(w, h)
	paint(c)
	return c.onto(ground)
}

func (l *layout) drawCards() {
	w := 84 * l.scale
	sw, sh := int(w)+2, int(w*cardRatio)+2
	for i := range l.faces {
		l.faces[i] = drawn(sw, sh, well, func(c *canvas) { c.paladin(paladin.Card(i), 0, 0, w) })
	}
	for seat := range paladin.Seat(l.seats) {
		l.leaderBack[seat] = drawn(sw, sh, well, func(c *canvas) {
			c.back(0, 0, w)
			c.token(seat, w/2, w*0.44, 48*l.scale, true)
		})
		l.leaderToken[seat] = drawn(l.px(42), l.px(42), ivory, func(c *canvas) { c.token(seat, 21*l.scale, 21*l.scale, 40*l.scale, true) })
	}
	l.slot = drawn(sw, sh, well, func(c *canvas) {
		c.fill(box(1, 1, w-2, w*cardRatio-2, 9*l.scale), rule)
		c.fill(box(3.5, 3.5, w-7, w*cardRatio-7, 7*l.scale), felt)
		c.fill(plainSword().at(w/2, w*cardRatio/2, 0.62*l.scale), rule)
	})
}

func (l *layout) drawQuests() {
	w := 66 * l.scale
	for deck := range l.quests {
		for honour := range l.quests[deck] {
			l.quests[deck][honour] = drawn(int(w)+6, int(w*1.8), well, func(c *canvas) {
				c.quest(honour, deck == 1, w/2+3, 0, w)
			})
		}
	}
	l.number = newNumerals(28, muted, well)
	l.frame = drawn(l.column, wellHeight, felt, func(c *canvas) {
		c.fill(box(0, 0, float32(l.column), wellHeight, 14), gold)
		c.fill(box(3, 3, float32(l.column)-6, wellHeight-6, 11), well)
	})
	for seat := range paladin.Seat(l.seats) {
		l.winners[seat] = drawn(l.px(150), l.px(110), well, func(c *canvas) {
			x, y := 75*l.scale, 55*l.scale
			c.fill(laurel().at(x-12*l.scale, y, l.scale), gold)
			c.fill(laurel().mirrored().at(x+12*l.scale, y, l.scale), gold)
			c.token(seat, x, y, 72*l.scale, true)
		})
	}
}

func (l *layout) drawPlaques() {
	w, h := 160*l.scale, 54*l.scale
	for deciding := range l.plaques {
		edge := ivory
		if deciding == 1 {
			edge = gold
		}
		for seat := range paladin.Seat(l.seats) {
			l.plaques[deciding][seat] = drawn(int(w)+2, int(h)+2, well, func(c *canvas) {
				c.fill(box(0, 0, w, h, 8*l.scale), ink)
				c.fill(box(2, 2, w-4, h-4, 8*l.scale-2), edge)
				rim := 5 * l.scale
				c.fill(box(rim, rim, w-2*rim, h-2*rim, 4*l.scale), backing)
				c.token(seat, 26*l.scale, 23*l.scale, 37*l.scale, true)
			})
		}
	}
	l.eye = drawn(l.px(32), l.px(24), backing, func(c *canvas) { c.eye(16*l.scale, 12*l.scale, 29*l.scale, ivory, ink) })
	for seat := range paladin.Seat(l.seats) {
		l.peekers[seat] = drawn(l.px(24), l.px(24), backing, func(c *canvas) { c.token(seat, 12*l.scale, 12*l.scale, 21*l.scale, false) })
	}
}

func (l *layout) drawSeats() {
	w := float32(l.column)
	l.active = drawn(l.column, seatHeight+10, felt, func(c *canvas) {
		c.fill(polygon(w/2-16, 12, w/2, -4, w/2+16, 12), gold)
		c.fill(box(0, 10, w, seatHeight, 12), gold)
		c.fill(box(4, 14, w-8, seatHeight-8, 9), panelHi)
	})
	l.paused = drawn(26, 26, gold, func(c *canvas) {
		c.fill(join(box(4, 3, 7, 20, 2), box(15, 3, 7, 20, 2)), ink)
	})
	for seat := range paladin.Seat(l.seats) {
		l.seatTokens[seat] = drawn(54, 54, panel, func(c *canvas) { c.token(seat, 27, 27, 52, true) })
	}
	for lit, ground := range []color.NRGBA{panel, panelHi} {
		l.honour[lit] = newNumerals(44, ivory, ground)
		l.hand[lit] = newNumerals(32, ivory, ground)
		l.panelIcons[lit] = panelIcons{
			sword:  drawn(26, 46, ground, func(c *canvas) { c.paintSword(13, 23, 42, 0, 1.5, ink) }),
			hand:   drawn(44, 36, ground, func(c *canvas) { c.cards(22, 19, 34, backing, ivory) }),
			dealer: drawn(34, 36, ground, func(c *canvas) { c.pile(17, 18, 30, ivory, ink) }),
			start:  drawn(36, 36, ground, func(c *canvas) { c.fill(pennant().at(18, 18, 0.32), gold) }),
			squire: drawn(30, 34, ground, func(c *canvas) { c.paintHelm(15, 17, 30, muted, ground) }),
		}
	}
}

func (l *layout) drawHeader() {
	l.round, l.piles = newNumerals(34, ivory, felt), newNumerals(32, ivory, felt)
	for i, col := range []color.NRGBA{bronze, gold, rule} {
		l.pips[i] = drawn(24, 24, felt, func(c *canvas) {
			r := float32(8)
			if i == 1 {
				r = 11
			}
			c.fill(polygon(12, 12-r, 12+r, 12, 12, 12+r, 12-r, 12), col)
			if i == 2 {
				c.fill(polygon(12, 7, 17, 12, 12, 17, 7, 12), felt)
			}
		})
	}
	for lit := range l.phases {
		for phase := range l.phases[lit] {
			l.phases[lit][phase] = drawn(46, 42, felt, func(c *canvas) { c.phase(phase, lit == 1) })
		}
	}
}

// phase paints the sign of a phase: the start player is named, quests are led, cards are placed, quests are resolved.
func (c *canvas) phase(phase int, lit bool) {
	col, ground := rule, felt
	if lit {
		c.fill(box(0, 0, 46, 42, 10), gold)
		col, ground = ink, gold
	}
	switch phase {
	case 0:
		c.fill(pennant().at(23, 21, 0.27), col)
	case 1:
		c.fill(kingShield().at(23, 20.5, 0.25), col)
		c.fill(plainSword().at(23, 20, 0.2), ground)
	case 2:
		c.cards(23, 22, 30, col, ground)
	case 3:
		c.fill(plainSword().turned(40).at(23, 21, 0.33), col)
		c.fill(plainSword().turned(-40).at(23, 21, 0.33), col)
	}
}

func (l *layout) drawGround() {
	l.ground = newGround(Height, func(c *canvas) {
		for i := range l.seats {
			x := float32(l.columnX(i))
			c.fill(box(x, wellTop, float32(l.column), wellHeight, 14), well)
			c.fill(box(x, seatTop, float32(l.column), seatHeight, 12), panel)
		}
		c.headerPile(float32(pileX(0)), false)
		c.headerPile(float32(pileX(1)), true)
		c.fill(kingShield().at(float32(pileX(2)), headerMid+1, 0.27), muted)
		c.fill(plainSword().at(float32(pileX(2)), headerMid, 0.22), felt)
	})
}

// headerPile paints the sign of the supply, or of the discard pile.
func (c *canvas) headerPile(x float32, discarded bool) {
	c.fill(box(x-12, headerMid-16, 24, 32, 4), ivory)
	c.fill(box(x-9.5, headerMid-13.5, 19, 27, 2.5), backing)
	if discarded {
		c.fill(cross().at(x, headerMid, 0.42), ivory)
	}
}

// groundRadius is how round the corners of a picture are.
const groundRadius = 18

// newGround is an empty table with what is painted on it once and for all. Its corners are cut off, so that it looks well on any theme.
func newGround(height int, paint func(c *canvas)) *image.Paletted {
	c := newCanvas(Width, height)
	c.fill(box(0, 0, Width, float32(height), 0), felt)
	if paint != nil {
		paint(c)
	}
	pix := c.onto(felt).pix
	const r = groundRadius
	for y := range r {
		for x := range r {
			if dx, dy := float32(r-x)-0.5, float32(r-y)-0.5; dx*dx+dy*dy <= r*r {
				continue
			}
			above, below := y*Width, (height-1-y)*Width
			pix[above+x], pix[above+Width-1-x], pix[below+x], pix[below+Width-1-x] = 0, 0, 0, 0
		}
	}
	return &image.Paletted{Pix: pix, Stride: Width, Rect: image.Rect(0, 0, Width, height), Palette: palette}
}
