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
			out[n] = sync.OnceValues(func() ([]byte, error) { return newSheet(newGround(LessonHeight, paint)).png() })
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

// lessonStrength: 7 beats 4, red 7 beats black 7, 0 beats 9.
func lessonStrength(c *canvas) {
	for i, pair := range [3][2]paladin.Card{
		{paladin.NewCard(7, false), paladin.NewCard(4, false)},
		{paladin.NewCard(7, true), paladin.NewCard(7, false)},
		{paladin.NewCard(0, false), paladin.NewCard(9, false)},
	} {
		x := margin + float32(i)*292
		c.fill(box(x, margin+4, 284, LessonHeight-2*margin-8, 14), well)
		c.paladin(pair[0], x+14, 72, 110)
		c.fill(written(">", x+142, 150, 48), gold)
		c.paladin(pair[1], x+160, 72, 110)
	}
}

func lessonPlacing(c *canvas) {
	for i := range 3 {
		x := margin + float32(i)*292
		c.fill(box(x, margin+4, 284, LessonHeight-2*margin-8, 14), well)
		for k := range 3 {
			left := x + 16 + float32(k)*86
			c.back(left, 110, 80)
			c.token(paladin.Seat((i+k)%3), left+40, 166, 52, true)
		}
		c.badge(i+1, false, x+142, 62, 72)
	}
}

func lessonPeek(c *canvas) {
	c.fill(box(margin, margin+4, Width-2*margin, LessonHeight-2*margin-8, 14), well)
	c.token(0, 150, 150, 110, true)
	c.eye(330, 150, 110, ivory, ink)
	c.fill(arrow().at(460, 150, 0.9), gold)
	c.back(560, 62, 126)
	c.token(2, 623, 150, 84, true)
}

func lessonResolving(c *canvas) {
	c.fill(box(margin, margin+4, Width-2*margin, LessonHeight-2*margin-8, 14), well)
	c.paladin(paladin.NewCard(5, false), 60, 62, 126)
	c.fill(arrow().turned(180).at(270, 150, 0.9), gold)
	c.back(360, 62, 126)
	c.token(1, 423, 150, 84, true)
}

func lessonHonour(c *canvas) {
	for i, card := range []paladin.Card{paladin.NewCard(8, false), paladin.NewCard(8, true)} {
		x := margin + float32(i)*442
		c.fill(box(x, margin+4, 434, LessonHeight-2*margin-8, 14), well)
		c.badge(4, true, x+80, 150, 130)
		c.fill(written("+", x+160, 150, 60), ivory)
		c.paladin(card, x+186, 84, 96)
		total := 4
		if card.Red() {
			total++
		}
		c.fill(written("="+digits(total), x+352, 150, 76), gold)
	}
}
