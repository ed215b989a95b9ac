package render

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"paladin/bot/discord"
	"paladin/game/table"
)

// description is where Discord's published OpenAPI description lies beside the repository, if it does.
const description = "../../../shared/discord/openapi.json"

// schema is one schema of Discord's description.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open(description)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("Discord's API description is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("openapi.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, what string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(plain); err != nil {
		t.Errorf("%s: %v\n%s", what, err, data)
	}
}

// TestMessagesFollowTheDescription holds messages of a lobby and of a game against Discord's own description.
func TestMessagesFollowTheDescription(t *testing.T) {
	s := schema(t, "MessageCreateRequest")
	check := func(what string, m discord.Message) {
		validate(t, s, what, map[string]any{"flags": 1 << 15, "components": m.Components})
	}
	r := random(5)
	g := openTable(t, 4, worstNames[0], 5)
	everyMessage(english, g, r, check)
	for i := 1; i < 4; i++ {
		g.do(g.actor(i, worstNames[i]), table.Join{})
	}
	everyMessage(english, g, r, check)
	g.do(g.actor(0, worstNames[0]), table.Start{})
	for more := true; more; more = g.step(r) {
		if r.IntN(8) == 0 || !g.table.Live() {
			everyMessage(english, g, r, check)
		}
	}
	check("log", english.LogPage(g.public(), g.history, 2))
	check("rules", english.Rules(2, true))
	check("help", english.Help())
	check("record", english.RecordFile(nil, "k7f3q2xa"))
}

func TestCommandsFollowTheDescription(t *testing.T) {
	s := schema(t, "ApplicationCommandCreateRequest")
	for _, c := range Commands() {
		validate(t, s, c.Name, c)
	}
}
