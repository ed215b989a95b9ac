package squire

import (
	"math/rand/v2"

	"paladin/game/paladin"
)

type weights struct{}

var houseWeights = weights{}

func chooseNormal(v *paladin.View, random *rand.Rand, w *weights) paladin.Move {
	legal := v.Legal()
	return legal[random.IntN(len(legal))]
}
