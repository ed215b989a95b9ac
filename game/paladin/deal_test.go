package paladin

import (
	"strings"
	"testing"
)

func TestListedDeal(t *testing.T) {
	deck := HouseDeck()
	swapped := deck.Quests()
	swapped[0], swapped[17] = swapped[17], swapped[0]
	other := deck.Paladins()
	other[0] = NewCard(1, true)
	none := deck.Paladins()
	none[0] = 77
	zero := deck.Quests()
	zero[3] = 0
	for _, tt := range []struct {
		name   string
		supply []Card
		quests []int
		fault  string
	}{
		{"as it is", deck.Paladins(), deck.Quests(), ""},
		{"a card less", deck.Paladins()[1:], deck.Quests(), "supply: these are not exactly"},
		{"another card", other, deck.Quests(), "supply: these are not exactly"},
		{"a card that there is not", none, deck.Quests(), "supply: these are not exactly"},
		{"a quest less", deck.Paladins(), deck.Quests()[1:], "quests: 17 quests where 18 belong"},
		{"a quest of the King's among the Queen's", deck.Paladins(), swapped, "quests: these are not exactly"},
		{"a quest without honour", deck.Paladins(), zero, "quests: a quest of honour 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			deal, err := ListedDeal(deck, tt.supply, tt.quests, nil)
			if tt.fault == "" {
				if err != nil || deal.Deck() != deck {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.fault) {
				t.Errorf("got %v, want %s", err, tt.fault)
			}
		})
	}
	t.Run("only so many reshuffles can be used", func(t *testing.T) {
		deal, err := ListedDeal(deck, deck.Paladins(), deck.Quests(), make([][]Card, 1000))
		if err != nil || len(deal.reshuffles) != maxReshuffles {
			t.Errorf("%d are kept, %v", len(deal.reshuffles), err)
		}
	})
	t.Run("lists are copied", func(t *testing.T) {
		lists := [][]Card{{1, 2, 3}}
		deal, err := ListedDeal(deck, deck.Paladins(), deck.Quests(), lists)
		if lists[0][0] = 9; err != nil || deal.reshuffles[0][0] != 1 {
			t.Errorf("the deal changes with its maker's list, %v", err)
		}
	})
}

func TestStatesAreIndependent(t *testing.T) {
	s := dealt(t, threeHands...)
	copied := s
	next, _ := after(t, s, allLead+"1 peek 2.1")
	if !sameState(&s, &copied) {
		t.Error("a state changes with its successor")
	}
	a, _ := after(t, next, "1 place 0 3")
	b, _ := after(t, next, "1 place 3 2")
	if sameState(&a, &b) || a.Deck() != s.Deck() {
		t.Error("two ways on lead to one state")
	}
	v := next.View(0)
	v.Hand[0], v.Public.Row[0].Honour = 0, 99
	if got := next.View(0); got.Hand[0] == 0 && next.hand(0)[0] != 0 || got.Row[0].Honour == 99 {
		t.Error("a state changes with a view")
	}
	if v.Deck() != s.Deck() {
		t.Error("a view has another deck")
	}
}
