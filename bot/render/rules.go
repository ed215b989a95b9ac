package render

import (
	"fmt"

	"paladin/bot/discord"
	"paladin/bot/press"
)

// ruling marks a rule on which the published descriptions are silent and this game had to decide.
const ruling = "*(ruling)*"

// rulePages are the rules for people. Every ruling stands here and is marked.
var rulePages = [][]string{
	{
		"## Paladin in a minute",
		"3 to 5 players send **Paladins** (cards of value 0 to 9) face down to **quests** (worth 1 to 6 **honour**). Cards are then turned up quest by quest; the strongest that dares to show itself wins the quest. Most honour at the end wins.",
		"",
		"**A round**",
		"- As many quests as players lie in a row.",
		"- You hold one card more than there are players.",
		"- The dealer names the start player.",
		"- **Lead:** in turn, each player places one card face down on a quest that has none.",
		"- **Place:** in turn, peek at one card of somebody else if you like, then place a card on a quest where you have none. This goes on until everybody holds one card.",
		"- **Resolve:** quest by quest, card by card, you beat, take back or discard.",
		"- Scores are counted, and the player with the least honour deals the next round.",
		"",
		"**How cards are written:** 7 is a black card, 7r⚔ a red one.",
	},
	{
		"## Cards and quests",
		"**42 Paladins**, values 0 to 9, and **18 quests**: the Queen's deck (1 to 3 honour) comes first, then the King's deck (4 to 6).",
		"- " + ruling + " What exactly is printed on the cards is not published, so this is a **house deck**: values 0 and 9 five times, 1 to 8 four times; one card of each value is red, ten in all. Three quests each of honour 1 to 6. Whoever runs the bot can replace it.",
		"",
		"**Stronger** is the higher value.",
		"- **0 beats 9**, and 9 never beats 0. 0 loses to everything else.",
		"- Equal values: **red beats black**. An equal black card never beats.",
		"- " + ruling + " An equal red card beats a red one. With the house deck this cannot happen.",
		"",
		"Each player has a colour **and a shape**: 🟣 purple circle, 🟦 blue square, 🔶 orange diamond, 💚 green heart, ⭐ yellow star. Who placed where and in which order is open; the values are not.",
	},
	{
		"## Dealing and placing",
		"- " + ruling + " The host sits first and deals the first round. Seats go clockwise in the order of joining.",
		"- Hands are filled to players + 1 cards. " + ruling + " The dealer's left neighbour is filled first, completely, then the next clockwise. When the supply is empty, the discard pile is shuffled and becomes the supply.",
		"- The dealer names the start player, and may name themselves.",
		"- First everybody leads exactly one quest.",
		"- Then, on your turn: one **peek** if you like, then one card behind the others on a quest where you have none. At most one card per player and quest.",
		"- **Peek:** look at one face-down card of another player, leading Paladins too. One a turn, before you place. You need not place on that quest. " + ruling + " That you peeked, and at which card, everybody sees; its value only you.",
		"- I remember for you all you saw: it stays in **My seat** for the rest of the game.",
	},
	{
		"## Resolving",
		"Quests from left to right, cards in the order in which they were placed. The first card is turned up and leads; its owner has no choice. Then each owner in turn chooses:",
		"- **Beat:** turn the card up and defeat the leading one, which is discarded face up. " + ruling + " A beat that would fail is refused, to you alone, and you choose again.",
		"- **Take back:** into the hand, unseen, whether it would win or lose.",
		"- **Discard:** on the discard pile, unseen.",
		"The last leading Paladin wins the quest: its owner keeps quest and Paladin, face up.",
		"",
		"**Honour:** your quests, and 1 for each red Paladin that you keep with them.",
		"**Next dealer:** who has least honour. " + ruling + " Of several, the first clockwise from the dealer's left.",
		"**The end:** after 6, 4 or 3 rounds with 3, 4 or 5 players. Most honour wins. " + ruling + " A tie is a shared victory.",
		"Cards that you did not place or took back stay in your hand for the next round.",
	},
	{
		"## A deal that you can check",
		"Before anybody joins, I draw 32 random bytes, the **seed**, and publish their fingerprint (SHA-256) on the board. So I cannot change them later.",
		"Your press on Join adds its own number, and so does the press that starts the game. Together they are the **salt**, so I could not know the deal either.",
		"Seed and salt fix every shuffle. At the end the seed is published, also when the game is stopped, and the **Record** holds the whole game. Anybody can then compute the shuffles again: `paladin replay FILE`.",
		"Nobody is ever sent what they may not know, and squires see no more than a player in their seat.",
	},
}

// Rules is one page of the rules, from 1; a page that does not exist is the nearest one.
func (pr *Printer) Rules(page int) discord.Message {
	page = max(1, min(page, len(rulePages)))
	lines := ""
	for i, l := range rulePages[page-1] {
		if i > 0 {
			lines += "\n"
		}
		lines += l
	}
	parts := []component{text(lines), text(fmt.Sprintf("-# Page %d of %d", page, len(rulePages)))}
	return private(append(parts, pr.pager(press.Rules, "", page, len(rulePages))...)...)
}

// Help tells how to play here.
func (pr *Printer) Help() discord.Message {
	return private(
		text("## How to play here",
			"1. `/paladin new` opens a table in this channel. Friends press **Join**; squires (computer players) fill free seats.",
			"2. The host presses **Start**.",
			"3. **My seat** on the board shows your cards and, when it is your move, the buttons for it. Only you see it. I send you a message when it is your move.",
			"4. Press a card, press a quest, confirm. That is all.",
		),
		text("**Commands**",
			"- `/paladin board`: where the game stands",
			"- `/paladin seat`: your cards, the same as My seat",
			"- `/paladin first`, `place`, `peek`, `resolve`: your move by typing",
			"- `/paladin leave`: leave; a squire plays on, and you can come back",
			"- `/paladin stop`: vote to stop the game",
			"- `/paladin games`: all your games, and which of them wait for you",
			"- `/paladin notices`: how I call you, how often, and your quiet hours",
			"- `/paladin rules`: the rules in five short pages",
			"- `/paladin record`: the last game as a file",
		),
		row(secondary("Rules", press.New(press.Rules, ""))),
	)
}
