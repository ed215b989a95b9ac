// Package core is the game of Paladin once more, for searching: fixed arrays, no allocation, nothing checked.
//
// The readable rules in game/paladin are the only authority. This package says nothing about the game that they do not
// say, and its tests hold it against them position by position: the same legal moves in the same order, and the same
// outcome of each. What searching does not need is left out: no refusals, no events, no past beyond the discard pile.
//
// Seats, quests and places count from 0 here, and a card is a number as a [paladin.Card] is.
package core
