package sim

import (
	"math"

	"paladin/game/portable"
)

// wholeWin is what a win alone counts: a number that 1 to 5 winners can share without a remainder, so that all sums are
// whole numbers and come out the same in whatever order the deals are done.
const wholeWin = 60

// A tally is what one named squire has won in all games.
type tally struct {
	wins        int // in parts of wholeWin
	winsSquared int // sum over deals of the square of the deal's wins
	winsGames   int // sum over deals of the deal's wins times its games
	honour      int
}

// A total is what all squires have won.
type total struct {
	names        []tally
	deals        int
	gamesSquared int // sum over deals of the square of its games
	moves        int
}

// add counts one deal.
func (t *total) add(d *dealt) {
	games := len(d.records)
	t.deals++
	t.gamesSquared += games * games
	t.moves += d.moves
	for i := range t.names {
		n, wins := &t.names[i], d.wins[i]
		n.wins += wins
		n.winsSquared += wins * wins
		n.winsGames += wins * games
		n.honour += d.honour[i]
	}
}

// interval is the confidence interval that [Run] promises.
func (t *tally) interval(deals, games, gamesSquared int) [2]float64 {
	if deals < 2 {
		return [2]float64{0, 1}
	}
	// Whoever has the chance p of a deal takes all of them with the chance p^deals: the least p for which that is no rarer
	// than one in forty.
	least := portable.Exp(portable.Log(0.025) / float64(deals))
	switch t.wins {
	case 0:
		return [2]float64{0, 1 - least}
	case wholeWin * games:
		return [2]float64{least, 1}
	}
	n, d := float64(games), float64(deals)
	perGame := float64(t.wins) / n
	squares := float64(t.winsSquared) - float64(2*perGame*float64(t.winsGames)) + float64(perGame*perGame*float64(gamesSquared))
	deviation := math.Sqrt(max(0, squares)*d/(d-1)) / n
	half := student(deals-1) * deviation / wholeWin
	share := perGame / wholeWin
	return [2]float64{max(0, share-half), min(1, share+half)}
}

// student is the 97.5 % point of Student's t with that many degrees of freedom, to about one part in five hundred: the
// exact forms for 1 and 2, and the expansion of Cornish and Fisher around the normal distribution above.
func student(freedom int) float64 {
	const z = 1.959963984540054
	switch n := float64(freedom); freedom {
	case 1:
		return 12.706204736
	case 2:
		return 4.302652730
	default:
		const (
			z3 = z * z * z
			z5 = z3 * z * z
			z7 = z5 * z * z
			z9 = z7 * z * z
		)
		return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n) + (3*z7+19*z5+17*z3-15*z)/(384*n*n*n) +
			(79*z9+776*z7+1482*z5-1920*z3-945*z)/(92160*n*n*n*n)
	}
}
