package squire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paladin/game/paladin"
)

// TestPositions plays the scripts of testdata/positions. Each line of a script is one of
//
//	# why the decision is right
//	hand SEAT CARD...   what a seat is dealt, for every seat; the rest of the deck is the supply, in its order
//	quests HONOUR...    the first quests, left to right; the rest follow in the deck's order
//	SEAT ...            a move, as records write it
//	normal MOVE | MOVE  what a normal squire must choose now, one of these, whatever its seed
func TestPositions(t *testing.T) {
	files, err := filepath.Glob("testdata/positions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var script positionScript
			for i, line := range strings.Split(string(data), "\n") {
				if err := script.line(line); err != nil {
					t.Fatalf("%s:%d: %q: %v", file, i+1, line, err)
				}
			}
			if script.asked == 0 {
				t.Errorf("%s asks nothing", file)
			}
		})
	}
}

// A positionScript is a script that has been played so far.
type positionScript struct {
	hands  [][]paladin.Card
	quests []int
	state  *paladin.State // nil until the first move
	asked  int
}

func (p *positionScript) line(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] == "#" {
		return nil
	}
	switch words[0] {
	case "hand":
		var hand []paladin.Card
		for _, word := range words[2:] {
			card, err := paladin.ParseCard(word)
			if err != nil {
				return err
			}
			hand = append(hand, card)
		}
		p.hands = append(p.hands, hand)
		return nil
	case "quests":
		for _, word := range words[1:] {
			honour, err := strconv.Atoi(word)
			if err != nil {
				return err
			}
			p.quests = append(p.quests, honour)
		}
		return nil
	}
	if p.state == nil {
		if err := p.deal(); err != nil {
			return err
		}
	}
	if wanted, ask := strings.CutPrefix(line, "normal "); ask {
		p.asked++
		return p.ask(strings.Split(wanted, " | "))
	}
	move, err := paladin.ParseMove(line)
	if err != nil {
		return err
	}
	next, _, err := p.state.Apply(move)
	if err != nil {
		return err
	}
	p.state = &next
	return nil
}

// deal puts the cards into the order in which R6 deals them: the dealer, seat 1, comes last.
func (p *positionScript) deal() error {
	var supply []paladin.Card
	for i := range p.hands {
		supply = append(supply, p.hands[(i+1)%len(p.hands)]...)
	}
	deck := paladin.HouseDeck()
	supply = append(supply, without(deck.Paladins(), supply)...)
	quests := append(p.quests, without(deck.Quests(), p.quests)...)
	deal, err := paladin.ListedDeal(deck, supply, quests, nil)
	if err != nil {
		return err
	}
	state, err := paladin.New(len(p.hands), deal)
	p.state = &state
	return err
}

// without is all of list but one of each that is used.
func without[T comparable](list, used []T) []T {
	list = slices.Clone(list)
	for _, u := range used {
		if i := slices.Index(list, u); i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// ask asks with several seeds.
func (p *positionScript) ask(wanted []string) error {
	view := p.state.View(p.state.ToAct())
	for seed := range 20 {
		move, err := Normal.Choose(&view, [32]byte{byte(seed)})
		if err != nil {
			return err
		}
		if !slices.Contains(wanted, move.String()) {
			return fmt.Errorf("with seed %d normal chooses %q", seed, move)
		}
	}
	return nil
}
