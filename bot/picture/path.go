package picture

import (
	"math"
	"slices"
)

// A point in pixels or in a shape's own units; y grows downwards.
type point struct{ x, y float32 }

// An op is one step of a path: a line to the last point, or a curve to it by way of the others. A move begins a contour.
type op struct {
	kind opKind
	at   [3]point
}

type opKind uint8

const (
	opMove opKind = iota
	opLine
	opQuad
	opCube
)

// points is how many points each kind of op has.
var points = [...]int{opMove: 1, opLine: 1, opQuad: 2, opCube: 3}

// A path is a shape of one or more contours, each closed by itself. Holes run the other way round.
type path []op

func (p *path) move(x, y float32) { *p = append(*p, op{opMove, [3]point{{x, y}}}) }
func (p *path) line(x, y float32) { *p = append(*p, op{opLine, [3]point{{x, y}}}) }
func (p *path) quad(ax, ay, x, y float32) {
	*p = append(*p, op{opQuad, [3]point{{ax, ay}, {x, y}}})
}

func (p *path) cube(ax, ay, bx, by, x, y float32) {
	*p = append(*p, op{opCube, [3]point{{ax, ay}, {bx, by}, {x, y}}})
}

// each is the path with f done to every point.
func (p path) each(f func(point) point) path {
	out := make(path, len(p))
	for i, o := range p {
		for k := range points[o.kind] {
			o.at[k] = f(o.at[k])
		}
		out[i] = o
	}
	return out
}

// at is the path made scale times as large and then moved to x, y.
func (p path) at(x, y, scale float32) path {
	return p.each(func(a point) point { return point{a.x*scale + x, a.y*scale + y} })
}

// stretched is the path with its width and height made so many times as large.
func (p path) stretched(sx, sy float32) path {
	return p.each(func(a point) point { return point{a.x * sx, a.y * sy} })
}

// turned is the path turned clockwise about the origin, in degrees.
func (p path) turned(degrees float32) path {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	s, c := float32(sin), float32(cos)
	return p.each(func(a point) point { return point{a.x*c - a.y*s, a.x*s + a.y*c} })
}

// mirrored is the path with left and right exchanged.
func (p path) mirrored() path { return p.stretched(-1, 1) }

// curveSteps is into how many lines a curve is broken where its outline is widened.
const curveSteps = 12

// flat is the path's contours as corners.
func (p path) flat() [][]point {
	var out [][]point
	var run []point
	for _, o := range p {
		switch o.kind {
		case opMove:
			if len(run) > 1 {
				out = append(out, run)
			}
			run = []point{o.at[0]}
		case opLine:
			run = append(run, o.at[0])
		case opQuad:
			a := run[len(run)-1]
			for i := 1; i <= curveSteps; i++ {
				t := float32(i) / curveSteps
				run = append(run, mix(mix(a, o.at[0], t), mix(o.at[0], o.at[1], t), t))
			}
		case opCube:
			a := run[len(run)-1]
			for i := 1; i <= curveSteps; i++ {
				t := float32(i) / curveSteps
				b, c, d := mix(a, o.at[0], t), mix(o.at[0], o.at[1], t), mix(o.at[1], o.at[2], t)
				run = append(run, mix(mix(b, c, t), mix(c, d, t), t))
			}
		}
	}
	if len(run) > 1 {
		out = append(out, run)
	}
	return out
}

func mix(a, b point, t float32) point { return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }

// grown is the path with all its contours pushed outwards by d, their corners rounded. The contours must be simple.
func (p path) grown(d float32) path {
	var out path
	for _, run := range p.flat() {
		run = distinct(run)
		if len(run) < 3 {
			continue
		}
		if area(run) < 0 {
			slices.Reverse(run)
		}
		out = append(out, pushed(run, d)...)
	}
	return out
}

// hole is the path the other way round: joined with a shape around it, it is cut out of it.
func (p path) hole() path {
	var out path
	for _, run := range p.flat() {
		slices.Reverse(run)
		for i, a := range run {
			if i == 0 {
				out.move(a.x, a.y)
				continue
			}
			out.line(a.x, a.y)
		}
	}
	return out
}

// stroke is an open line of that width with round ends, through the corners of the path's contours.
func (p path) stroke(width float32) path {
	var out path
	for _, run := range p.flat() {
		for i := len(run) - 2; i > 0; i-- {
			run = append(run, run[i])
		}
		if run = distinct(run); len(run) > 1 {
			out = append(out, pushed(run, width/2)...)
		}
	}
	return out
}

// distinct drops corners that lie on the one before.
func distinct(run []point) []point {
	var out []point
	for _, a := range run {
		if n := len(out); n == 0 || distance(out[n-1], a) > 1e-3 {
			out = append(out, a)
		}
	}
	for len(out) > 1 && distance(out[0], out[len(out)-1]) <= 1e-3 {
		out = out[:len(out)-1]
	}
	return out
}

func distance(a, b point) float32 { return float32(math.Hypot(float64(a.x-b.x), float64(a.y-b.y))) }

// area is positive for a contour that runs clockwise as seen.
func area(run []point) float32 {
	var sum float32
	for i, a := range run {
		b := run[(i+1)%len(run)]
		sum += a.x*b.y - b.x*a.y
	}
	return sum / 2
}

// pushed is the outline at distance d from a contour that runs clockwise. Outer corners are rounded; at inner ones the
// outline crosses itself within the shape, which fills all the same.
func pushed(run []point, d float32) path {
	var out path
	n := len(run)
	for i, a := range run {
		before, after := angle(run[(i+n-1)%n], a), angle(a, run[(i+1)%n])
		turn := math.Remainder(after-before, 2*math.Pi)
		if turn < -math.Pi+1e-6 {
			turn = math.Pi // back the way it came: around the end of a line
		}
		steps := 1
		if turn > 0 {
			steps = 1 + int(turn/(math.Pi/10))
		} else {
			out.to(a, before, d)
			before = after
		}
		for k := range steps + 1 {
			out.to(a, before+turn*float64(k)/float64(steps)*step(turn), d)
		}
	}
	return out
}

func step(turn float64) float64 {
	if turn > 0 {
		return 1
	}
	return 0
}

// to adds the point at distance d to the left of a line that runs through a in that direction.
func (p *path) to(a point, direction float64, d float32) {
	sin, cos := math.Sincos(direction)
	x, y := a.x+float32(sin)*d, a.y-float32(cos)*d
	if len(*p) == 0 {
		p.move(x, y)
		return
	}
	p.line(x, y)
}

func angle(a, b point) float64 { return math.Atan2(float64(b.y-a.y), float64(b.x-a.x)) }

// --- plain shapes

// round is how far the middle points of a cubic curve lie along the tangents for a quarter of a circle.
const round = 0.5523

func circle(x, y, r float32) path {
	k := r * round
	var p path
	p.move(x, y-r)
	p.cube(x+k, y-r, x+r, y-k, x+r, y)
	p.cube(x+r, y+k, x+k, y+r, x, y+r)
	p.cube(x-k, y+r, x-r, y+k, x-r, y)
	p.cube(x-r, y-k, x-k, y-r, x, y-r)
	return p
}

// box is a rectangle with corners of radius r.
func box(x, y, w, h, r float32) path { return tab(x, y, w, h, r, r) }

// tab is a rectangle with corners of one radius above and another below.
func tab(x, y, w, h, above, below float32) path {
	var p path
	p.move(x+above, y)
	p.line(x+w-above, y)
	p.cube(x+w-above+above*round, y, x+w, y+above-above*round, x+w, y+above)
	p.line(x+w, y+h-below)
	p.cube(x+w, y+h-below+below*round, x+w-below+below*round, y+h, x+w-below, y+h)
	p.line(x+below, y+h)
	p.cube(x+below-below*round, y+h, x, y+h-below+below*round, x, y+h-below)
	p.line(x, y+above)
	p.cube(x, y+above-above*round, x+above-above*round, y, x+above, y)
	return p
}

// polygon is the contour through these corners, given as x, y, x, y.
func polygon(xy ...float32) path {
	var p path
	p.move(xy[0], xy[1])
	for i := 2; i+1 < len(xy); i += 2 {
		p.line(xy[i], xy[i+1])
	}
	return p
}

func join(parts ...path) path {
	var out path
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
