package render

import (
	"testing"

	"paladin/game/paladin"
)

// benchGame is a game of five in its last round, where messages are longest.
func benchGame(b *testing.B, phase paladin.Phase) *game {
	g := startTable(b, plainNames, 1)
	g.until(random(1), 3, phase)
	return g
}

func BenchmarkBoard(b *testing.B) {
	p := benchGame(b, paladin.PhaseResolve).public()
	b.ReportAllocs()
	for b.Loop() {
		english.Board(p, Links{})
	}
}

func BenchmarkPanelPlacing(b *testing.B) {
	g := benchGame(b, paladin.PhasePlace)
	p, sel := g.private(g.table.Awaited()), chooseSome(g)
	b.ReportAllocs()
	for b.Loop() {
		english.Panel(p, sel, PanelOptions{DM: true, AsOf: opened})
	}
}

func BenchmarkName(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		english.called("Alma_of_the_lake")
	}
}
