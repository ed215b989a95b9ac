package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"paladin/sandbox"
)

// Discord's published description of its API, where a copy lies beside the
// repository. The sandbox's answers are held against it in every test.
const specFile = "../../shared/discord/openapi.json"

type description struct {
	compiler *jsonschema.Compiler
	paths    map[string]string // the path with every parameter as {} to the path as written
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
}

const specURL = "file:///openapi.json"

var loadSpec = sync.OnceValues(func() (*description, error) {
	b, err := os.ReadFile(specFile)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	// The alternatives of a oneOf overlap there (a thread is a guild channel too).
	relax(doc)
	// The code of a fault inside a form is a word, as Discord's documentation shows it;
	// here it is described as a number.
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	schemas["InnerErrors"].(map[string]any)["properties"].(map[string]any)["_errors"].(map[string]any)["items"] = map[string]any{
		"type": "object", "required": []any{"code", "message"},
		"properties": map[string]any{"code": map[string]any{"type": "string"}, "message": map[string]any{"type": "string"}},
	}
	d := &description{compiler: jsonschema.NewCompiler(), paths: map[string]string{}, schemas: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource(specURL, doc); err != nil {
		return nil, err
	}
	for path := range doc["paths"].(map[string]any) {
		d.paths[placeholders.ReplaceAllString(path, "{}")] = path
	}
	return d, nil
})

var placeholders = regexp.MustCompile(`\{[^}]*\}`)

func relax(v any) {
	switch v := v.(type) {
	case map[string]any:
		if one, found := v["oneOf"]; found {
			delete(v, "oneOf")
			v["anyOf"] = one
		}
		for _, e := range v {
			relax(e)
		}
	case []any:
		for _, e := range v {
			relax(e)
		}
	}
}

// answerSchema is the schema of an answer; nil where the description has none.
func (d *description) answerSchema(method, route string, status int) (*jsonschema.Schema, error) {
	path, found := d.paths[placeholders.ReplaceAllString(route, "{}")]
	if !found {
		return nil, fmt.Errorf("the description does not know %s", route)
	}
	where := ""
	switch {
	case status == 429:
		where = "/components/responses/ClientRatelimitedResponse/content/application~1json/schema"
	case status >= 500:
		return nil, nil
	case status >= 400:
		where = "/components/responses/ClientErrorResponse/content/application~1json/schema"
	case status == 204:
		return nil, nil
	default:
		where = fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema", strings.ReplaceAll(path, "/", "~1"), strings.ToLower(method), status)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[where]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(specURL + "#" + (&url.URL{Fragment: where}).EscapedFragment())
	if err != nil {
		return nil, err
	}
	d.schemas[where] = s
	return s, nil
}

// checkAnswer holds one answer of the sandbox against the description.
func checkAnswer(t *testing.T, r sandbox.Request) {
	d, err := loadSpec()
	if errors.Is(err, fs.ErrNotExist) || r.Route == "/" || r.Faulty {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	s, err := d.answerSchema(r.Method, r.Route, r.Status)
	if err != nil {
		t.Errorf("%s %s %d: %v", r.Method, r.Route, r.Status, err)
		return
	}
	if s == nil {
		return
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(string(r.Response)))
	if err != nil {
		t.Errorf("%s %s %d: %v in %s", r.Method, r.Route, r.Status, err, r.Response)
		return
	}
	if err := s.Validate(body); err != nil {
		t.Errorf("%s %s: the answer %d %s is not as Discord describes it: %v", r.Method, r.Route, r.Status, r.Response, err)
	}
}

// Every route the sandbox has answers as described; the other tests check all their
// answers by the way.
func TestAnswersAreAsDescribed(t *testing.T) {
	if _, err := loadSpec(); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("Discord's description is not at %s", specFile)
	} else if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	g := w.connect()
	w.register()
	app := "/applications/" + w.s.ApplicationID()
	for _, path := range []string{
		"/gateway", "/gateway/bot", "/users/@me", "/users/" + w.ann, "/users/@me/guilds", "/oauth2/applications/@me",
		"/applications/@me", "/guilds/" + w.guild, "/guilds/" + w.guild + "/channels", "/guilds/" + w.guild + "/roles",
		"/guilds/" + w.guild + "/members/" + w.ann, "/guilds/" + w.guild + "/threads/active", "/channels/" + w.channel,
		app + "/commands", app + "/commands?with_localizations=true", app + "/emojis",
	} {
		w.do("GET", path, nil).checkStatus(200)
	}
	dm := w.dm(w.ben)
	w.do("GET", "/channels/"+dm, nil).fine()
	m := w.post(v2(container(text("board"), row(button("go", "Go"))))).message()
	w.do("GET", w.messages(w.channel), nil).checkStatus(200)
	w.do("GET", w.messages(w.channel)+"/"+m.ID, nil).fine()
	thread := w.do("POST", w.messages(w.channel)+"/"+m.ID+"/threads", obj{"name": "table"}).fine()["id"].(string)
	w.do("GET", "/channels/"+thread, nil).fine()
	w.do("POST", "/channels/"+w.channel+"/threads", obj{"name": "other", "type": 11}).fine()
	w.do("PATCH", "/channels/"+thread, obj{"archived": true}).fine()

	emoji := w.do("POST", app+"/emojis", obj{"name": "sword", "image": dataURI("image/gif", onePixel)}).fine()["id"].(string)
	w.do("GET", app+"/emojis/"+emoji, nil).fine()
	w.do("PATCH", app+"/emojis/"+emoji, obj{"name": "shield"}).fine()
	w.do("DELETE", app+"/emojis/"+emoji, nil).fine()

	_, _, press := w.newPress(g)
	body := obj{"type": 4, "data": v2(text("hello"), obj{"type": 14}, obj{"type": 9, "components": list{text("a")}, "accessory": button("b", "B")})}
	w.do("POST", "/interactions/"+press.id()+"/"+press.token()+"/callback?with_response=true", body).checkStatus(200)
	press.original("GET", nil).fine()
	press.original("PATCH", obj{"components": list{text("new")}}).fine()
	w.do("POST", press.hook(""), obj{"content": "more", "flags": 64}).fine()
	w.upload("POST", "/api/v10", w.messages(w.channel), obj{"flags": 1 << 15, "components": list{
		obj{"type": 12, "items": list{obj{"media": obj{"url": "attachment://board.png"}, "description": "the table"}}},
		obj{"type": 13, "file": obj{"url": "attachment://record.json"}},
	}}, file{"files[0]", "board.png", onePixel}, file{"files[1]", "record.json", "{}"}).fine()
}

// onePixel is a picture of one pixel.
const onePixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// The languages are those of Discord's description, no more and no fewer.
func TestLocalesOfTheDescription(t *testing.T) {
	raw, err := os.ReadFile(specFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("Discord's description is not here")
	}
	must(t, err)
	var doc struct {
		Components struct {
			Schemas struct {
				AvailableLocalesEnum struct{ OneOf []struct{ Const string } }
			}
		}
	}
	must(t, json.Unmarshal(raw, &doc))
	w := newWorld(t)
	known := doc.Components.Schemas.AvailableLocalesEnum.OneOf
	if len(known) < 30 {
		t.Fatalf("the description names %d languages", len(known))
	}
	localizations := obj{}
	for _, l := range known {
		localizations[l.Const] = "play"
		if err := w.s.SetLocale(w.ben, l.Const); err != nil {
			t.Errorf("%s: %v", l.Const, err)
		}
	}
	w.do("POST", "/applications/"+w.s.ApplicationID()+"/commands", obj{"name": "play", "description": "d", "name_localizations": localizations}).fine()
}
