package picture

import (
	"image"
	"slices"
	"sync"

	"paladin/game/paladin"
	"paladin/game/table"
)

// resultRow is the height of a seat's row on the result card.
const resultRow = 94

// resultSprites is what the result of a game is drawn with.
type resultSprites struct {
	grounds [paladin.MaxPlayers + 1]*image.Paletted
	wreath  *sprite
	tokens  [paladin.MaxPlayers]*sprite
	sword   *sprite
	honour  numerals
	faces   [2 * (paladin.MaxValue + 1)]*sprite
	quests  [2][paladin.MaxHonour + 1]*sprite
}

// keptX is where the quests that were won begin, keptWidth how wide one is, keptPitch how far apart they stand while there is room.
const (
	keptX     = 250
	keptWidth = 36
	keptPitch = 48
)

var resultArt = sync.OnceValue(func() *resultSprites {
	a, k := &resultSprites{}, workshop{cardBox}
	for seats := paladin.MinPlayers; seats <= paladin.MaxPlayers; seats++ {
		a.grounds[seats] = k.ground(resultHeight(seats), func(c *canvas) {
			for i := range seats {
				c.fill(box(margin, float32(resultY(i)), Width-2*margin, resultRow-8, 12), panel)
			}
		})
	}
	a.wreath = k.draw(96, 86, panel, func(c *canvas) {
		c.wreath(48, 43, 84)
	})
	for seat := range a.tokens {
		a.tokens[seat] = k.draw(58, 58, panel, func(c *canvas) { c.numbered(paladin.Seat(seat), 29, 29, 52) })
	}
	a.sword = k.draw(30, 56, panel, func(c *canvas) { c.paintSword(15, 28, 50, 0, 0, ink) })
	a.honour = k.numerals(54, ivory, panel)
	for i := range a.faces {
		a.faces[i] = k.draw(keptWidth, 50, panel, func(c *canvas) { c.miniature(paladin.Card(i), 0, 0, 35) })
	}
	for deck := range a.quests {
		for honour := range a.quests[deck] {
			a.quests[deck][honour] = k.draw(keptWidth, 36, panel, func(c *canvas) { c.plate(honour, deck == 1, 17.5, 17, 28) })
		}
	}
	return a
})

func resultHeight(seats int) int { return 2*margin + seats*resultRow - 8 }

func resultY(i int) int { return margin + i*resultRow }

// Result is the card at the end of a game: the seats by honour, the most first, those who won in a wreath; and what each won, the
// quests with the Paladins that are kept with them. It draws a game that was stopped too, with nobody in a wreath.
func Result(p *table.Public) ([]byte, error) {
	if p == nil || p.Game == nil {
		return nil, errNoGame
	}
	g := p.Game
	seats := len(g.Seats)
	if seats < paladin.MinPlayers || seats > paladin.MaxPlayers {
		return nil, errSeats
	}
	a := resultArt()
	s := newSheet(a.grounds[seats])
	order := slices.Clone(g.Seats)
	slices.SortStableFunc(order, func(x, y paladin.PublicSeat) int { return y.Honour - x.Honour })
	for i, seat := range order {
		y := resultY(i) + (resultRow-8)/2
		if slices.Contains(g.Winners, seat.Seat) {
			s.centre(a.wreath, 72, y)
		}
		if seat.Seat >= 0 && int(seat.Seat) < len(a.tokens) {
			s.centre(a.tokens[seat.Seat], 72, y)
		}
		s.centre(a.sword, 144, y)
		a.honour.write(s, digits(seat.Honour), 162, y)
		a.kept(s, g, seat.Kept, y)
	}
	return s.png()
}

// kept puts the quests a seat won beside each other, as close as they must be.
func (a *resultSprites) kept(s sheet, g *paladin.Public, kept []paladin.KeptQuest, y int) {
	room := Width - 2*margin - keptWidth - keptX
	for i, k := range kept {
		x := i * keptPitch
		if (len(kept)-1)*keptPitch > room {
			x = i * room / (len(kept) - 1)
		}
		if card, ok := k.Card.Card(); ok {
			s.put(a.faces[card], keptX+x, y-9)
		}
		if k.Honour >= 0 && k.Honour <= paladin.MaxHonour {
			s.put(a.quests[lit(kingsQuest(g, k))][k.Honour], keptX+x, y-42)
		}
	}
}

// kingsQuest says whether a quest came from the King's deck, which lies below the Queen's nine (R4).
func kingsQuest(g *paladin.Public, k paladin.KeptQuest) bool {
	return (k.Round-1)*g.Players+k.Quest > paladin.QueenQuests
}
