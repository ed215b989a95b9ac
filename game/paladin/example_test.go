package paladin_test

import (
	"fmt"

	"paladin/game/paladin"
)

// A game is dealt from a seed, moved on by texts or values, and looked at through one seat's eyes.
func Example() {
	seed, err := paladin.ParseSeed("d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f")
	if err != nil {
		panic(err)
	}
	deal := paladin.SeededDeal(paladin.HouseDeck(), seed, paladin.Salt([]string{"", "", ""}, ""))
	game, err := paladin.New(3, deal)
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"1 start 1", "1 place 5 3", "2 place 8 1", "3 place 9r 2", "1 peek 2.1"} {
		move, err := paladin.ParseMove(text)
		if err != nil {
			panic(err)
		}
		next, events, err := game.Apply(move)
		if err != nil {
			panic(err)
		}
		game = next
		for _, e := range events {
			told := e.For(0)
			fmt.Printf("%-12s seat 1 is told: %v, %v %v\n", text, told.Kind, told.Knows, told.Secret)
		}
	}
	view := game.View(1)
	fmt.Println("seat 2 holds", view.Hand, "and sees", view.Row[1].Cards[0].Card, "on quest 2")
	_, _, err = game.Apply(paladin.Move{Seat: 0, Kind: paladin.Peek, Quest: 1, Place: 1})
	fmt.Println(err)
	// Output:
	// 1 start 1    seat 1 is told: start-named, false 0
	// 1 place 5 3  seat 1 is told: placed, true 5
	// 2 place 8 1  seat 1 is told: placed, false 0
	// 3 place 9r 2 seat 1 is told: placed, false 0
	// 1 peek 2.1   seat 1 is told: peeked, true 9r
	// seat 2 holds [0 3 4] and sees face down on quest 2
	// R10: one peek a turn
}

// A record says how a game was dealt and what was played; it can be checked by anybody.
func ExampleReplay() {
	_, err := paladin.Replay([]byte(`{"format": "paladin-record/1", "players": 3, "salt": "-,-,-",
		"seed": "d17d2058fd2f89be62fba9644b25c0d835f1dc46e3a6cdaa5c537db677e3174f",
		"commitment": "e31dc446580a1ac88070b96e69593b493b5bb7cfbe4b400d74ef5ab8be979803",
		"moves": ["1 start 2", "2 place 4 1", "3 place 7 1"]}`))
	fmt.Println(err)
	// Output: move 3 "3 place 7 1": R8: quest 1 has a leading Paladin
}
