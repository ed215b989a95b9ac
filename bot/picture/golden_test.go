package picture

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"paladin/game/paladin"
)

var gallery = flag.String("gallery", "", "write every kind of picture into this directory, to be looked at")

func keep(t *testing.T, name string, data []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*gallery, name+".png"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes", name, len(data))
}

func TestGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("run with -gallery DIR to look at the pictures")
	}
	for players := 3; players <= 5; players++ {
		r := random(uint64(players))
		g := start(t, players, byte(players), paladin.HouseDeck())
		g.until(r, 1, paladin.PhaseLead, 2)
		d, err := Table(g.public())
		keep(t, "lead"+digits(players), d, err)
		g.until(r, 2, paladin.PhasePlace, 4)
		d, err = Table(g.public())
		keep(t, "place"+digits(players), d, err)
		g.until(r, 2, paladin.PhaseResolve, 0)
		d, err = Table(g.public())
		keep(t, "full"+digits(players), d, err)
		for g.public().Game.Resolving < 2 {
			g.step(r)
		}
		g.step(r)
		d, err = Table(g.public())
		keep(t, "resolve"+digits(players), d, err)
	}
}

func BenchmarkTable(b *testing.B) {
	for players := 3; players <= 5; players++ {
		r := random(uint64(players))
		g := start(b, players, byte(players), paladin.HouseDeck())
		g.until(r, 2, paladin.PhaseResolve, 2)
		p := g.public()
		b.Run(digits(players)+" players", func(b *testing.B) {
			n := 0
			for b.Loop() {
				data, err := Table(p)
				if err != nil {
					b.Fatal(err)
				}
				n = len(data)
			}
			b.ReportMetric(float64(n), "bytes/picture")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/picture")
		})
	}
}
