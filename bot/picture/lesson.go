package picture

import (
	"fmt"
	"sync"

	"paladin/game/paladin"
)

// LessonHeight is the height of a lesson; it is Width wide.
const LessonHeight = 300

// A Lesson shows a part of the rules without words. They are numbered from 1, in the order in which one learns them.
const (
	LessonPlacing   = iota + 1 // R8, R9: quests are led, then cards are placed behind, in order
	LessonPeek                 // R10: one face-down card of somebody else is looked at
	LessonStrength             // R13: the higher value, red before black, 0 before 9
	LessonResolving            // R12: beat, take back or discard
	LessonHonour               // R14, R15: the winner keeps quest and Paladin; a red one brings 1 more
	Lessons         = LessonHonour
)

var lessons = func() (out [Lessons + 1]func() ([]byte, error)) {
	for n, paint := range [Lessons + 1]func(c *canvas){
		LessonPlacing: lessonPlacing, LessonPeek: lessonPeek, LessonStrength: lessonStrength,
		LessonResolving: lessonResolving, LessonHonour: lessonHonour,
	} {
		if paint != nil {
			out[n] = sync.OnceValues(func() ([]byte, error) { return newSheet(workshop{cardBox}.ground(LessonHeight, paint)).png() })
		}
	}
	return out
}()

// Lesson is the picture of a lesson, 1 to Lessons. Nobody may change its bytes.
func Lesson(n int) ([]byte, error) {
	if n < 1 || n > Lessons {
		return nil, fmt.Errorf("picture: there is no lesson %d", n)
	}
	return lessons[n]()
}

// Where a lesson's things stand.
const (
	lessonTop    = margin
	lessonMid    = LessonHeight / 2
	lessonHollow = LessonHeight - 2*margin
)

// hollows paints so many hollows beside each other and answers with their width and how far they stand apart.
func (c *canvas) hollows(n int) (width, pitch float32) {
	pitch = float32(Width-2*margin+gap) / float32(n)
	width = pitch - gap
	for i := range n {
		c.fill(box(margin+float32(i)*pitch, lessonTop, width, lessonHollow, 8), ink)
	}
	return width, pitch
}

// backOf paints a face-down card with its token, its middle at x, y.
func (c *canvas) backOf(seat paladin.Seat, x, y, w float32) {
	c.back(x-w/2, y-w*cardRatio/2, w)
	c.token(seat, x, y, w*0.6)
}

// face paints a Paladin with its middle at x, y.
func (c *canvas) face(card paladin.Card, x, y, w float32) { c.paladin(card, x-w/2, y-w*cardRatio/2, w) }

// lessonPlacing: everybody leads a quest; then cards follow behind, in order.
func lessonPlacing(c *canvas) {
	width, pitch := c.hollows(2)
	for i := range 3 {
		x := margin + width*(0.2+0.3*float32(i))
		c.badge(i+1, false, x, 66, 84)
		c.backOf(paladin.Seat(i), x, 198, 104)
	}
	left := margin + pitch
	c.badge(1, false, left+58, lessonMid, 104)
	for i := range 3 {
		x := left + 162 + 104*float32(i)
		c.backOf(paladin.Seat(i), x, 128, 92)
		c.fill(written(digits(i+1), x, 240, 52), gold)
		if i > 0 {
			c.fill(arrow().at(x-52, 240, 0.34), slate)
		}
	}
}

// lessonPeek: who peeks at somebody's card learns what it is; nobody else does.
func lessonPeek(c *canvas) {
	c.hollows(1)
	c.numbered(0, 110, lessonMid, 104)
	c.eye(246, lessonMid, 112, ivory, ink)
	c.fill(arrow().at(370, lessonMid, 0.8), gold)
	c.backOf(2, 496, lessonMid, 130)
	c.fill(written("=", 624, lessonMid, 80), gold)
	c.fill(box(682, 40, 196, LessonHeight-80, 10), panel)
	c.numbered(0, 722, 80, 56)
	c.face(paladin.NewCard(7, true), 800, lessonMid, 130)
}

// lessonStrength: 7 beats 4, a red 7 a black one, 0 beats 9.
func lessonStrength(c *canvas) {
	width, pitch := c.hollows(3)
	for i, pair := range [3][2]paladin.Card{
		{paladin.NewCard(7, false), paladin.NewCard(4, false)},
		{paladin.NewCard(7, true), paladin.NewCard(7, false)},
		{paladin.NewCard(0, false), paladin.NewCard(9, false)},
	} {
		mid := margin + float32(i)*pitch + width/2
		c.face(pair[0], mid-78, lessonMid, 108)
		c.fill(written(">", mid, lessonMid, 56), gold)
		c.face(pair[1], mid+78, lessonMid, 108)
	}
}

// lessonResolving: behind a leading Paladin, a card that is stronger may beat it, and is turned up; any card may go back into the
// hand or onto the discard pile unseen.
func lessonResolving(c *canvas) {
	_, pitch := c.hollows(4)
	left := func(i int) float32 { return margin + float32(i)*pitch }
	const y, w = 128, 84
	c.face(paladin.NewCard(5, false), left(0)+56, y, w)
	c.token(0, left(0)+20, y+52, 40)
	c.backOf(1, left(0)+152, y, w)
	c.fill(arrow().turned(180).at(left(0)+104, 240, 0.5), gold)

	c.face(paladin.NewCard(7, false), left(1)+56, y, w)
	c.token(1, left(1)+20, y+52, 40)
	c.face(paladin.NewCard(5, false), left(1)+152, y, w)
	c.fill(circle(left(1)+186, y+52, 19), ink)
	c.fill(cross().at(left(1)+186, y+52, 0.5), gold)
	c.fill(written("7>5", left(1)+104, 240, 46), gold)

	c.backOf(1, left(2)+104, y, w)
	c.fill(arrow().turned(90).at(left(2)+64, 240, 0.5), gold)
	c.cards(left(2)+124, 240, 62, backing, ivory)

	c.backOf(1, left(3)+104, y, w)
	c.fill(arrow().turned(90).at(left(3)+64, 240, 0.5), gold)
	c.pile(left(3)+124, 240, 62, backing, ivory)
	c.fill(cross().at(left(3)+124, 240, 0.5), ivory)
}

// lessonHonour: a quest of 4 brings 4 with a black Paladin, and 5 with a red one.
func lessonHonour(c *canvas) {
	_, pitch := c.hollows(2)
	for i, card := range []paladin.Card{paladin.NewCard(8, false), paladin.NewCard(8, true)} {
		x := margin + float32(i)*pitch
		total := 4
		if card.Red() {
			total++
		}
		c.badge(4, true, x+78, lessonMid, 136)
		c.fill(written("+", x+154, lessonMid, 56), gold)
		c.face(card, x+230, lessonMid, 112)
		c.fill(written("=", x+316, lessonMid, 56), gold)
		c.fill(written(digits(total), x+380, lessonMid, 104), ivory)
	}
}
