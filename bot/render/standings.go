package render

import (
	"math"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/squire"
)

const (
	// StandingsOnPage is how many rows one page of standings has.
	StandingsOnPage = 10
	// settled is how many rated games make a rating that is not provisional any more.
	settled = 5
	// maxPages is the highest page that can be typed.
	maxPages = 10_000
)

// Words of /paladin standings and of a Standings press. Its arguments are the page, a mark that tells the controls of one message
// apart, WhoPeople or WhoSquires, and an order; the value of a select is an order too.
const (
	OptWho = "who"

	WhoPeople  = "people"
	WhoSquires = "squires"

	OrderRating      = "rating"
	OrderWins        = "wins"
	OrderHonour      = "honour"
	OrderGames       = "games"
	OrderReliability = "reliability"
)

// StandingOrders are the orders of standings as they are offered. Squires are always in time.
func StandingOrders(who string) []string {
	orders := []string{OrderRating, OrderWins, OrderHonour, OrderGames, OrderReliability}
	if who == WhoSquires {
		return orders[:len(orders)-1]
	}
	return orders
}

// Record is what somebody, or the squires of one strength, came to in their finished games.
type Record struct {
	// Name of a person; Squire is the strength of squires.
	Name   string
	Squire squire.Strength
	Games  int
	// Wins counts a shared win as a part of one.
	Wins float64
	// Honour is that of a game on average.
	Honour float64
	// Rating is the mean of what is believed of the strength, Unsure its standard deviation, Rated how many games it follows from: 0
	// for none.
	Rating, Unsure float64
	Rated          int
	// InTime is the part, 0 to 1, of all decisions asked of a person that they made themselves and in time; Asked is false while none
	// was asked.
	InTime float64
	Asked  bool
	// SquireMoves are the decisions that a squire made for a person, Timeouts the turns that ran out.
	SquireMoves, Timeouts int
}

// Ranked is a row of standings with its place in their order.
type Ranked struct {
	Place int
	Record
}

// Standings is a page of the standings of a server.
type Standings struct {
	Rows []Ranked
	// Own is the reader's row where it is not among Rows; nil otherwise.
	Own *Ranked
	// Absent is true for a reader who has no row at all.
	Absent bool
	// Who is WhoPeople or WhoSquires, Order one of StandingOrders.
	Who, Order  string
	Page, Pages int
}

// Standings is the private answer with a page of standings.
func (pr *Printer) Standings(s Standings) discord.Message {
	heading, none := Text("standings.heading"), Text("standings.none")
	if s.Who == WhoSquires {
		heading, none = Text("standings.heading_squires"), Text("standings.none_squires")
	}
	lines := []string{pr.Say(heading)}
	if s.Pages > 1 {
		lines = append(lines, pr.Say("standings.page", "page", s.Page, "pages", s.Pages))
	}
	var rows []string
	provisional := false
	for _, r := range s.Rows {
		rows = append(rows, pr.standing(r))
		provisional = provisional || r.provisional()
	}
	if len(rows) == 0 {
		rows = []string{pr.Say(none)}
	}
	parts := []component{text(lines...), text(rows...)}
	switch {
	case s.Own != nil:
		parts = append(parts, text(pr.Say("standings.own"), pr.standing(*s.Own)))
		provisional = provisional || s.Own.provisional()
	case s.Absent && s.Who == WhoPeople && len(s.Rows) > 0:
		parts = append(parts, text(pr.Say("standings.absent")))
	}
	if len(s.Rows) > 0 {
		parts = append(parts, text(pr.standingsLegend(s, provisional)))
	}
	return private(append(parts, pr.standingsControls(s)...)...)
}

func (pr *Printer) standingsLegend(s Standings, provisional bool) string {
	lines := []string{pr.Say("standings.legend")}
	if s.Order == OrderRating {
		lines = append(lines, pr.Say("standings.legend_order"))
	}
	counts := Text("standings.legend_people")
	if s.Who == WhoSquires {
		counts = Text("standings.legend_squires")
	}
	lines = append(lines, pr.Say(counts))
	if provisional {
		lines = append(lines, pr.plural("standings.legend_provisional", settled))
	}
	return joinLines(lines...)
}

func (pr *Printer) standingsControls(s Standings) []component {
	id := func(page int, mark, who, order string) press.ID {
		return press.New(press.Standings, "", strconv.Itoa(page), mark, who, order)
	}
	var options []discordgo.SelectMenuOption
	for _, order := range StandingOrders(s.Who) {
		label := pr.Say(Text("standings.order_" + order))
		options = append(options, discordgo.SelectMenuOption{Label: label, Value: order, Default: order == s.Order})
	}
	out := pr.turning(s.Page, s.Pages, func(page int, mark string) press.ID { return id(page, mark, s.Who, s.Order) })
	return append(out,
		row(pr.menu(id(1, "O", s.Who, s.Order), pr.Say("standings.label_order"), options)),
		row(
			choice(s.Who == WhoPeople, pr.Say("standings.label_people"), id(1, "P", WhoPeople, s.Order)),
			choice(s.Who == WhoSquires, pr.Say("standings.label_squires"), id(1, "S", WhoSquires, s.Order)),
		),
	)
}

// standing is a row on two lines.
func (pr *Printer) standing(r Ranked) string {
	return joinLines(
		pr.Say("standings.row", "place", r.Place, "who", bold(pr.recordName(r.Record)), "rating", pr.ratingWords(r.Record)),
		"-# "+strings.Join(pr.recordWords(r.Record), " · "),
	)
}

func (pr *Printer) recordName(r Record) string {
	if r.Squire != 0 {
		return pr.Say(Text("standings.squires_" + r.Squire.String()))
	}
	return pr.called(r.Name)
}

// provisional reports whether the rating follows from few games.
func (r Record) provisional() bool { return r.Rated > 0 && r.Rated < settled }

func (pr *Printer) ratingWords(r Record) string {
	with := []any{"rating", pr.decimal(r.Rating), "unsure", pr.decimal(r.Unsure)}
	switch {
	case r.Rated == 0:
		return pr.Say("standings.unrated")
	case r.provisional():
		return pr.Say("standings.provisional", with...)
	default:
		return pr.Say("standings.rating", with...)
	}
}

// recordWords are games, wins, honour and reliability, as far as there are any.
func (pr *Printer) recordWords(r Record) []string {
	words := []string{
		pr.plural("standings.games", r.Games), pr.amount("standings.wins", r.Wins), pr.amount("standings.honour", r.Honour),
	}
	if r.Asked {
		words = append(words, pr.Say("standings.in_time", "percent", percent(r.InTime)))
	}
	return words
}

// lobbyRecord is what a lobby says beside somebody who sits there; empty when there is nothing to say.
func (pr *Printer) lobbyRecord(r Record) string {
	switch {
	case r.Games > 0 && r.Asked:
		return pr.plural("standings.lobby_record", r.Games, "percent", percent(r.InTime))
	case r.Games > 0:
		return pr.plural("standings.games", r.Games)
	case r.Asked:
		return pr.Say("standings.in_time", "percent", percent(r.InTime))
	default:
		return ""
	}
}

// percent rounds down: a hundred is all.
func percent(share float64) int { return int(math.Floor(share*100 + 1e-9)) }

// tenths is a number as it is written with one decimal.
func tenths(x float64) (whole, tenth int) {
	n := int(math.Round(x * 10))
	return n / 10, n % 10
}

// decimal writes a number that is not negative with one decimal.
func (pr *Printer) decimal(x float64) string {
	whole, tenth := tenths(x)
	return pr.Say("standings.decimal", "whole", whole, "tenth", tenth)
}

// amount writes a message in the form that a number asks for which need not be whole, with a decimal if it is not.
func (pr *Printer) amount(t Text, x float64) string {
	whole, tenth := tenths(x)
	if tenth == 0 {
		return pr.plural(t, whole)
	}
	return pr.fill(t, pr.messages.counted(t, whole, tenth), []any{"n", pr.decimal(x)})
}
