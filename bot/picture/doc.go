// Package picture draws the game: the table, a hand, the result, a few lessons for the pages of the rules, and an emoji for
// every card, quest and token. All art is our own, made of vector shapes and the numerals of an embedded open font.
//
// It is pure: values in, PNG bytes out, the same bytes for the same values, from any number of goroutines. (Kinds of
// processors may round soft edges differently.) What everybody may see is drawn from a *table.Public and from nothing else, so
// that no picture, and not even its size, can depend on a hidden card (R19). [Replayed] alone is told of cards that lie face down, and
// is for games that are over.
//
// Nothing rests on colour. Each seat has a shape beside its colour, and a number where there is room, a red Paladin a sword, a letter
// and a dark face, the King's quests another shield and crown than the Queen's. There are no words, for the same picture serves every
// language, and no names, for no font of bearable size has them all: names stand in the text twin of each picture.
//
// How it is quick and small: every shape is drawn once, reduced to a palette of few colours and kept as a sprite; a picture is then
// put together by copying rows of bytes. A table has sixteen colours and hardly any soft edges, for it is always shown smaller than
// it is drawn; cards that are shown large have more. The first picture of a kind takes some tens of milliseconds more than the others.
package picture
