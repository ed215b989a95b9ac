package squire

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"paladin/game/paladin"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/games")

// TestGamesStayAsTheyAre plays a few games and compares every move with testdata/games: for a seed squires decide the same on
// any machine, and nobody changes how they play without noticing. Whoever means to change it runs the test with -update, and
// measures by `paladin simulate` whether they got stronger.
func TestGamesStayAsTheyAre(t *testing.T) {
	for players := paladin.MinPlayers; players <= paladin.MaxPlayers; players++ {
		t.Run(strconv.Itoa(players), func(t *testing.T) {
			got := playGame(t, players)
			name := filepath.Join("testdata", "games", fmt.Sprintf("%d.txt", players))
			if *update {
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// playGame plays a game of a normal squire, an easy one and knights, and answers with its moves, a line for each.
func playGame(t *testing.T, players int) string {
	choosers := []func(*paladin.View, [32]byte) (paladin.Move, error){Normal.Choose, Easy.Choose}
	for len(choosers) < players {
		choosers = append(choosers, Effort{Rollouts: 120}.Choose)
	}
	var moves strings.Builder
	state, err := paladin.New(players, paladin.SeededDeal(paladin.HouseDeck(), paladin.Seed{4, byte(players)}, "-"))
	for err == nil && !state.Over() {
		view := state.View(state.ToAct())
		var move paladin.Move
		if move, err = choosers[state.ToAct()](&view, [32]byte{byte(players), byte(state.Moves())}); err == nil {
			fmt.Fprintln(&moves, move)
			state, _, err = state.Apply(move)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return moves.String()
}
