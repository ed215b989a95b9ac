package render

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/discord"
	"paladin/bot/press"
	"paladin/game/table"
)

// Words of a Habits press: its first argument says what is chosen; the way is the second argument, everything else the value of a
// select.
const (
	HabitWay      = "way"
	HabitCount    = "count" // how many reminders
	HabitEvery    = "every" // hours between them, 0: evenly
	HabitHour     = "hour"  // the hour on the person's clock; second argument: when they were asked, in minutes since 1970
	HabitPlace    = "place" // a place whose clock is theirs
	HabitFrom     = "from"  // the hour in which quiet hours begin, or NoQuiet
	HabitTo       = "to"
	HabitLanguage = "language" // or NoLanguage
	HabitLook     = "look"     // LookSymbols, LookHand or LookText
)

// NoQuiet is the value of HabitFrom that ends quiet hours.
const NoQuiet = "none"

// Fixed answers about somebody's own habits.
const (
	TextQuietTooLong Text = "notices.quiet_too_long"
	TextQuietZone    Text = "notices.quiet_zone"
	TextHabitsKept   Text = "notices.habits_kept"
)

// Notices is what somebody sees of their own habits.
type Notices struct {
	Habits table.Habits
	// Zone is the name of the place whose clock is theirs; empty until they chose one.
	Zone string
	// Now is when the message is drawn.
	Now time.Time
	// Places are offered after an hour was chosen.
	Places []Zone
	// Note is a receipt or a refusal, shown first.
	Note string
	// Language is the language they chose; empty: their client's.
	Language string
	// Look is how much is drawn in what they alone read.
	Look Look
}

// Look is how much is drawn in what one person alone reads.
type Look string

// The looks. Whatever is chosen, the words say everything.
const (
	LookSymbols Look = ""     // the cards' symbols beside the words
	LookHand    Look = "hand" // and a picture of the hand
	LookText    Look = "text" // words alone
)

// NoLanguage is chosen by somebody who wants their client's language.
const NoLanguage = "client"

// ways are the ways of being told, in the order in which they are offered.
var ways = []table.Remind{table.RemindDM, table.RemindMention, table.RemindBoth, table.RemindNone}

// spacings are the times between reminders that are offered, in hours.
var spacings = []int{0, 1, 3, 6, 12, 24}

// NoticesPanel is the private message with somebody's own habits. What is chosen there holds at once, in all games.
func (pr *Printer) NoticesPanel(n Notices) discord.Message {
	var parts []component
	if n.Note != "" {
		parts = append(parts, text(n.Note), divider())
	}
	parts = append(parts, text(pr.Say("notices.heading"), pr.wayWords(n.Habits), pr.reminderWords(n.Habits), pr.quietWords(&n), pr.clockWords(&n)))
	parts = append(parts, pr.wayButtons(n.Habits), row(pr.countMenu(n.Habits)), row(pr.everyMenu(n.Habits)))
	parts = append(parts, divider(), text(pr.clockQuestion(&n)))
	parts = append(parts, row(pr.hourMenu(&n)))
	if len(n.Places) > 0 {
		parts = append(parts, row(pr.placeMenu(&n)))
	}
	if n.Zone != "" {
		parts = append(parts, text(pr.Say("notices.quiet_heading")), row(pr.fromMenu(n.Habits)), row(pr.toMenu(n.Habits)))
	}
	parts = append(parts, divider(), text(pr.Say("notices.looks_heading")), row(pr.ownLanguage(&n)), row(pr.lookButtons(n.Look)...))
	return private(parts...)
}

func (pr *Printer) clockQuestion(n *Notices) string {
	if n.Zone == "" {
		return pr.Say("notices.clock_question_first", "time", clockTime(n.Now))
	}
	return pr.Say("notices.clock_question", "time", clockTime(n.Now))
}

// clockTime is a time of day as the reader's own device shows it.
func clockTime(at time.Time) string { return fmt.Sprintf("<t:%d:t>", at.Unix()) }

func wayOf(h table.Habits) table.Remind {
	if h.Way == "" {
		return table.RemindDM
	}
	return h.Way
}

func (pr *Printer) wayWords(h table.Habits) string {
	if way := wayOf(h); slices.Contains(ways, way) {
		return pr.Say(Text("notices.way_" + string(way)))
	}
	return ""
}

func (pr *Printer) reminderWords(h table.Habits) string {
	n := h.Count()
	switch {
	case wayOf(h) == table.RemindNone:
		return ""
	case n == 0:
		return pr.Say("notices.remind_never")
	case h.Every > 0:
		return pr.plural("notices.remind_apart", n, "hours", pr.plural("words.hours", int(h.Every/time.Hour)))
	default:
		return pr.plural("notices.remind_evenly", n)
	}
}

func hasQuiet(h table.Habits) bool { return h.Quiet.From != h.Quiet.To }

func (pr *Printer) quietWords(n *Notices) string {
	if !hasQuiet(n.Habits) {
		return pr.Say("notices.no_quiet")
	}
	return pr.Say("notices.quiet", "from", wallClock(n.Habits.Quiet.From), "to", wallClock(n.Habits.Quiet.To))
}

// clockWords let the reader check that the clock I reckon with is theirs.
func (pr *Printer) clockWords(n *Notices) string {
	zone, ok := ZoneNamed(n.Zone)
	place, err := time.LoadLocation(n.Zone)
	if !ok || err != nil {
		return ""
	}
	local := n.Now.In(place)
	return pr.Say("notices.clock", "time", wallClock(local.Hour()*60+local.Minute()), "place", pr.Say(zone.Place), "device", clockTime(n.Now))
}

// wallClock writes a minute of the day.
func wallClock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func habitID(args ...string) press.ID { return press.New(press.Habits, "", args...) }

func (pr *Printer) wayButtons(h table.Habits) component {
	var buttons []component
	for _, way := range ways {
		buttons = append(buttons, choice(way == wayOf(h), pr.Say(Text("notices.label_way_"+string(way))), habitID(HabitWay, string(way))))
	}
	return row(buttons...)
}

// menu is a select of one value.
func (pr *Printer) menu(id press.ID, placeholder string, options []discordgo.SelectMenuOption) component {
	return discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: pr.selectID(id), Placeholder: placeholder, MaxValues: 1, Options: options,
	}
}

func (pr *Printer) countMenu(h table.Habits) component {
	var options []discordgo.SelectMenuOption
	for n := range table.MaxReminders + 1 {
		label := pr.Say("notices.option_no_reminders")
		if n > 0 {
			label = pr.plural("notices.option_reminders", n)
		}
		options = append(options, discordgo.SelectMenuOption{Label: label, Value: strconv.Itoa(n), Default: remindersOf(h) == n})
	}
	return pr.menu(habitID(HabitCount), pr.Say("notices.label_reminders"), options)
}

// remindersOf is the number chosen, whatever the way.
func remindersOf(h table.Habits) int {
	h.Way = table.RemindDM
	return h.Count()
}

func (pr *Printer) everyMenu(h table.Habits) component {
	var options []discordgo.SelectMenuOption
	for _, hours := range spacings {
		label := pr.Say("notices.option_evenly")
		if hours > 0 {
			label = pr.plural("notices.option_apart", hours)
		}
		options = append(options, discordgo.SelectMenuOption{
			Label: label, Value: strconv.Itoa(hours), Default: h.Every == time.Duration(hours)*time.Hour,
		})
	}
	return pr.menu(habitID(HabitEvery), pr.Say("notices.label_apart"), options)
}

// hourLabel writes an hour in both ways in which clocks do.
func (pr *Printer) hourLabel(hour int) string {
	return pr.Say(Text(fmt.Sprintf("notices.hour%02d", hour)))
}

func (pr *Printer) hourMenu(n *Notices) component {
	var options []discordgo.SelectMenuOption
	for hour := range 24 {
		options = append(options, discordgo.SelectMenuOption{
			Label: pr.Say("notices.option_between", "from", pr.hourLabel(hour), "to", pr.hourLabel((hour+1)%24)), Value: strconv.Itoa(hour),
		})
	}
	return pr.menu(habitID(HabitHour, strconv.FormatInt(n.Now.Unix()/60, 10)), pr.Say("notices.label_clock"), options)
}

func (pr *Printer) placeMenu(n *Notices) component {
	var options []discordgo.SelectMenuOption
	for _, z := range n.Places {
		place, err := time.LoadLocation(z.Name)
		if err != nil {
			continue
		}
		local := n.Now.In(place)
		options = append(options, discordgo.SelectMenuOption{
			Label: clip(pr.Say(z.Place), maxOption), Value: z.Name, Default: z.Name == n.Zone,
			Description: pr.Say("notices.option_time_there", "time", wallClock(local.Hour()*60+local.Minute())),
		})
	}
	return pr.menu(habitID(HabitPlace), pr.Say("notices.label_place"), options)
}

func (pr *Printer) fromMenu(h table.Habits) component {
	options := []discordgo.SelectMenuOption{{Label: pr.Say("notices.option_no_quiet"), Value: NoQuiet, Default: !hasQuiet(h)}}
	return pr.menu(habitID(HabitFrom), pr.Say("notices.label_from"), append(options, pr.hourOptions(Text("notices.option_from"), h.Quiet.From, hasQuiet(h))...))
}

func (pr *Printer) toMenu(h table.Habits) component {
	return pr.menu(habitID(HabitTo), pr.Say("notices.label_until"), pr.hourOptions(Text("notices.option_until"), h.Quiet.To, hasQuiet(h)))
}

func (pr *Printer) hourOptions(words Text, minute int, some bool) []discordgo.SelectMenuOption {
	var options []discordgo.SelectMenuOption
	for hour := range 24 {
		options = append(options, discordgo.SelectMenuOption{
			Label: pr.Say(words, "hour", pr.hourLabel(hour)), Value: strconv.Itoa(hour), Default: some && minute == hour*60,
		})
	}
	return options
}
