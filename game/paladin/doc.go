// Package paladin holds the rules of the card game Paladin, R1 to R23.
//
// A [State] is a value: a plain copy is an independent position, and [State.Apply] answers with a new one. Chance comes in
// as a [Deal], never from a generator in here, and nothing in this package does I/O or reads a clock. What one seat may
// know leaves a State through [State.View], what everybody may know through [State.Public]; a finished game is written
// down as a [Record], which [Replay] and [Trace] check.
//
// The rule numbers in the comments are those of the rules page.
package paladin
