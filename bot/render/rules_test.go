package render

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"paladin/bot/picture"
)

// rulings are what every ruling must say in the rules page, by its rule.
var rulings = map[string][]string{
	"R2":  {"house deck", "0 and 9 five times", "1 to 8 four times", "one card of each value is red", "Three quests each", "can replace it"},
	"R5":  {"host sits first and deals the first round", "order of joining"},
	"R6":  {"left neighbour is filled first, completely", "discard pile is shuffled"},
	"R10": {"That you peeked, and at which card, everybody sees"},
	"R12": {"A beat that would fail is refused, to you alone"},
	"R13": {"An equal red card beats a red one"},
	"R16": {"the first clockwise from the dealer's left"},
	"R17": {"A tie is a shared victory"},
}

func TestRulesStateEveryRuling(t *testing.T) {
	var all strings.Builder
	for page := range rulePages {
		all.WriteString(rendered(english.Rules(page+1, true)))
	}
	for rule, phrases := range rulings {
		for _, phrase := range phrases {
			if !strings.Contains(all.String(), phrase) {
				t.Errorf("%s: the rules page does not say %q", rule, phrase)
			}
		}
	}
	if marked := strings.Count(all.String(), english.Say("rules.ruling")); marked != len(rulings) {
		t.Errorf("%d rulings are marked, want %d", marked, len(rulings))
	}
}

// TestRulingsAreAllKnown compares the list above with the normative rules, where they lie beside the repository.
func TestRulingsAreAllKnown(t *testing.T) {
	text, err := os.ReadFile("../../../shared/RULES.md")
	if err != nil {
		t.Skipf("the normative rules are not here: %v", err)
	}
	rule := ""
	number := regexp.MustCompile(`^- (R\d+)\.`)
	for _, line := range strings.Split(string(text), "\n") {
		if m := number.FindStringSubmatch(line); m != nil {
			rule = m[1]
		}
		if strings.Contains(line, "**Ruling**") && rule != "" && rulings[rule] == nil {
			t.Errorf("%s holds a ruling that the rules page need not state: %s", rule, line)
		}
	}
}

// TestHelpNamesEveryCommand: whoever asks for help learns of every command, as their client calls it.
func TestHelpNamesEveryCommand(t *testing.T) {
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		help := rendered(pr.Help())
		for _, sub := range subcommands {
			whole, listed := "`"+pr.command(sub)+"`", "`"+pr.subcommand(sub)+"`"
			if sub != SubHelp && !strings.Contains(help, whole) && !strings.Contains(help, listed) {
				t.Errorf("%s: the help does not name %s", lang, whole)
			}
		}
	}
}

// TestCheckingIsExplainedWithItsCommand: the page about the deal names the command that checks it, not only the program.
func TestCheckingIsExplainedWithItsCommand(t *testing.T) {
	for _, lang := range Languages {
		pr := NewPrinter(lang)
		if page := rendered(pr.Rules(len(rulePages), false)); !strings.Contains(page, pr.command(SubVerify)) {
			t.Errorf("%s: the rules do not say that %s checks the deal:\n%s", lang, pr.command(SubVerify), page)
		}
	}
}

func TestRulesPagesEnd(t *testing.T) {
	first, last := rendered(english.Rules(-3, true)), rendered(english.Rules(99, true))
	if first != rendered(english.Rules(1, true)) || last != rendered(english.Rules(len(rulePages), true)) {
		t.Error("a page that does not exist is not the nearest one")
	}
}

// TestPicturesOfRulesStandAlone: clients show the picture of a gallery whole, but cut several in one gallery to squares.
func TestPicturesOfRulesStandAlone(t *testing.T) {
	shown := 0
	for page := range rulePages {
		m := english.Rules(page+1, true)
		galleries := 0
		for _, part := range m.Components {
			if g, ok := part.(discordgo.MediaGallery); ok {
				galleries++
				if len(g.Items) != 1 {
					t.Errorf("page %d: %d pictures in one gallery", page+1, len(g.Items))
				}
			}
		}
		if galleries != len(m.Files) {
			t.Errorf("page %d: %d galleries for %d pictures", page+1, galleries, len(m.Files))
		}
		shown += galleries
	}
	if shown != picture.Lessons {
		t.Errorf("%d pictures are shown", shown)
	}
}
