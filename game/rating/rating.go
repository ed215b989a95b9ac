// Package rating rates players of games for more than two by how they placed. It is the Bayesian approximation for the
// Plackett-Luce model of Weng and Lin, "A Bayesian Approximation Method for Online Ranking", Journal of Machine Learning
// Research 12 (2011), pages 267 to 300, algorithm 4.
//
// A rating is a belief about somebody's strength: a normal distribution with the mean Mu and the standard deviation Sigma. A
// game moves the mean by how surprising the placing was and narrows the distribution. Nothing widens it again: strength is
// taken to stay what it is.
//
// All functions are pure. What they return does not depend on the order in which the players are named, and it is
// the same on every machine, both to the last bit.
package rating

import (
	"cmp"
	"math"
	"slices"

	"paladin/game/portable"
)

// The parameters of the model, as in the paper's experiments and the implementations that followed it.
const (
	// Mu and Sigma are the rating of somebody of whom nothing is known.
	Mu    = 25.0
	Sigma = Mu / 3
	// Beta is how much the performance in one game scatters around the strength.
	Beta = Sigma / 2
	// Kappa is the smallest factor by which one game can shrink the variance.
	Kappa = 1e-4
	// Limit bounds ratings: no mean is further from 0 and no deviation greater. Games that people play come nowhere near it.
	Limit = 1e6
)

// Rating is a belief about a player's strength. The zero value stands for that of a newcomer.
type Rating struct {
	Mu    float64
	Sigma float64
}

// New returns the rating of a newcomer.
func New() Rating { return Rating{Mu: Mu, Sigma: Sigma} }

// Valid reports whether the rating is one that Rate gives: finite, within Limit, and with a deviation above 0.
func (r Rating) Valid() bool {
	return r.Sigma > 0 && r.Sigma <= Limit && math.Abs(r.Mu) <= Limit // false for what is not a number
}

// Ordinal is the strength that the player has almost certainly, at odds of about 700 to 1: Mu less three Sigma. It orders
// standings: nobody leads them by a single lucky game. A newcomer's is 0.
func (r Rating) Ordinal() float64 {
	r = r.orNew()
	return r.Mu - float64(3*r.Sigma)
}

func (r Rating) orNew() Rating {
	if !r.Valid() {
		return New()
	}
	return r
}

// Player is somebody who played a game, with the rating from before it.
type Player struct {
	Rating Rating
	// Rank is the place: less is better, equal ranks are a tie. Only their order counts.
	Rank int
}

// Rate returns the players' ratings after a game, in the order given. A rating that is not valid counts as New; those returned
// are valid. Fewer than two players learn nothing from each other.
func Rate(players []Player) []Rating {
	out := make([]Rating, len(players))
	for i, p := range players {
		out[i] = p.Rating.orNew()
	}
	if len(players) < 2 {
		return out
	}
	// Sums are made in one order, whatever the order in which the players are named: a sum's last bits depend on it.
	order := make([]int, len(players))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(players[a].Rank, players[b].Rank), cmp.Compare(out[a].Mu, out[b].Mu), cmp.Compare(out[a].Sigma, out[b].Sigma))
	})
	sorted := make([]entry, len(players))
	for at, i := range order {
		sorted[at] = entry{Rating: out[i], rank: players[i].Rank}
	}
	g := newGame(sorted)
	for at, i := range order {
		out[i] = g.after(sorted[at])
	}
	return out
}

// Combine returns one rating from those that one and the same player, rated prior before it, got from several seats of one
// game. The changes add up, for the strength is the same at each of the seats.
func Combine(prior Rating, after ...Rating) Rating {
	prior = prior.orNew()
	after = slices.Clone(after)
	slices.SortFunc(after, func(a, b Rating) int { return cmp.Or(cmp.Compare(a.Mu, b.Mu), cmp.Compare(a.Sigma, b.Sigma)) })
	mu, lost := prior.Mu, 0.0
	for _, r := range after {
		r = r.orNew()
		mu += r.Mu - prior.Mu
		ratio := r.Sigma / prior.Sigma
		lost += 1 - float64(ratio*ratio)
	}
	return moved(prior, mu-prior.Mu, lost)
}

// Ranks returns the place of each score: 1 for the highest, the same for equal ones, and after k equal ones k places on.
func Ranks(scores []int) []int {
	ranks := make([]int, len(scores))
	for i, score := range scores {
		ranks[i] = 1
		for _, other := range scores {
			if other > score {
				ranks[i]++
			}
		}
	}
	return ranks
}

// entry is a player of a game.
type entry struct {
	Rating
	rank int
}

// place is what is common to all who have one rank.
type place struct {
	rank int
	tied float64 // how many have it: |A| in the paper
	top  float64 // the highest mean of those who placed no better: of C in the paper
	sum  float64 // the sum over them of exp((mean-top)/c): relative to top, exp neither overflows nor is everything 0
}

// game is a game with its places, the best first.
type game struct {
	places []place
	c      float64 // the scale of performances, whose square is the sum of all variances
}

// newGame makes a game of entries that are sorted by rank.
func newGame(sorted []entry) game {
	square := 0.0
	for _, e := range sorted {
		square += float64(e.Sigma*e.Sigma) + Beta*Beta
	}
	g := game{c: math.Sqrt(square)}
	for first := 0; first < len(sorted); {
		p := place{rank: sorted[first].rank, top: math.Inf(-1)}
		for _, e := range sorted[first:] {
			p.top = max(p.top, e.Mu)
			if e.rank == p.rank {
				p.tied++
			}
		}
		for _, e := range sorted[first:] {
			p.sum += portable.Exp((e.Mu - p.top) / g.c)
		}
		g.places = append(g.places, p)
		first += int(p.tied)
	}
	return g
}

// after returns an entry's rating after the game. The paper sums over all who placed no worse, each with a share of 1/|A|; those
// of one rank are the same and make a whole.
func (g *game) after(e entry) Rating {
	omega, delta := 0.0, 0.0
	for _, p := range g.places {
		if p.rank > e.rank {
			break
		}
		// How probable it was that this one would take that place.
		chance := portable.Exp((e.Mu-p.top)/g.c) / p.sum
		omega -= chance
		if p.rank == e.rank {
			omega += 1 / p.tied
		}
		delta += float64(chance * (1 - chance))
	}
	share := e.Sigma / g.c // also the paper's gamma
	return moved(e.Rating, float64(e.Sigma*share)*omega, share*share*share*delta)
}

// moved returns the rating with its mean moved and the share lost of its variance gone, within the bounds.
func moved(r Rating, by, lost float64) Rating {
	factor := math.Sqrt(min(max(1-float64(lost), Kappa), 1))
	return Rating{
		Mu:    min(max(r.Mu+float64(by), -Limit), Limit),
		Sigma: max(r.Sigma*factor, math.SmallestNonzeroFloat64),
	}
}
