package bot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"paladin/sandbox"
)

// Discord's published description of its API, where a copy lies beside the repository.
const descriptionFile = "../../shared/discord/openapi.json"

// description holds requests against the description. OpenAPI 3.1 schemas are JSON schemas, so the document itself is the resource.
type description struct {
	doc      map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
}

const descriptionURL = "file:///openapi.json"

var loadDescription = sync.OnceValues(func() (*description, error) {
	b, err := os.ReadFile(descriptionFile)
	if err != nil {
		return nil, err
	}
	d := &description{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(b, &d.doc); err != nil {
		return nil, err
	}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource(descriptionURL, d.doc)
})

// needDescription skips the test where there is no copy.
func needDescription(t *testing.T) *description {
	t.Helper()
	d, err := loadDescription()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("Discord's description of its API is not at %s", descriptionFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// path finds the described path for one that was asked for; of several that fit, the one with more literal parts.
func (d *description) path(asked string) (string, bool) {
	asked = strings.TrimPrefix(asked, "/api/v10")
	parts := strings.Split(asked, "/")
	best, literals := "", -1
	for path := range d.doc["paths"].(map[string]any) {
		known := strings.Split(path, "/")
		if len(known) != len(parts) {
			continue
		}
		n := 0
		for i, k := range known {
			switch {
			case k == parts[i]:
				n++
			case !strings.HasPrefix(k, "{"):
				n = -1 << 20
			}
		}
		if n >= 0 && n > literals {
			best, literals = path, n
		}
	}
	return best, literals >= 0
}

func (d *description) compile(where ...string) (*jsonschema.Schema, error) {
	for i, part := range where {
		where[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
	}
	pointer := "/" + strings.Join(where, "/")
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(descriptionURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
	if err == nil {
		d.schemas[pointer] = s
	}
	return s, err
}

// check holds one request against the description.
func (d *description) check(r sandbox.Request) error {
	path, ok := d.path(r.Path)
	if !ok {
		return fmt.Errorf("%s %s is not described", r.Method, r.Path)
	}
	method := strings.ToLower(r.Method)
	op, ok := d.doc["paths"].(map[string]any)[path].(map[string]any)[method].(map[string]any)
	if !ok {
		return fmt.Errorf("%s %s is not described", r.Method, path)
	}
	if err := checkQuery(op, r.Query); err != nil {
		return fmt.Errorf("%s %s: %w", r.Method, path, err)
	}
	body, described := op["requestBody"]
	if !described || len(r.Body) == 0 {
		if len(r.Body) > 0 {
			return fmt.Errorf("%s %s takes no body", r.Method, path)
		}
		return nil
	}
	if len(r.Files) > 0 && body.(map[string]any)["content"].(map[string]any)["multipart/form-data"] == nil {
		return fmt.Errorf("%s %s takes no files", r.Method, path)
	}
	schema, err := d.compile("paths", path, method, "requestBody", "content", "application/json", "schema")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(r.Body)))
	if err != nil {
		return err
	}
	if err := schema.Validate(normal(value)); err != nil {
		return fmt.Errorf("%s %s: %s: %w", r.Method, path, r.Body, err)
	}
	return nil
}

func checkQuery(op map[string]any, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	parameters, _ := op["parameters"].([]any)
	for name := range values {
		if !slices.ContainsFunc(parameters, func(p any) bool { return p.(map[string]any)["name"] == name }) {
			return fmt.Errorf("the parameter %q is not described", name)
		}
	}
	return nil
}

// normal is the value with what the description gets wrong put right: permissions of commands are numbers there and text in the
// documentation and on the wire.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "default_member_permissions" {
				if _, err := strconv.ParseUint(text, 10, 64); err == nil {
					v[key] = json.Number(text)
					continue
				}
			}
			v[key] = normal(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = normal(inner)
		}
	}
	return v
}

// TestDescriptionRefuses shows that the description is really asked: what Discord refuses does not pass.
func TestDescriptionRefuses(t *testing.T) {
	d := needDescription(t)
	for name, r := range map[string]sandbox.Request{
		"an unknown path":         {Method: http.MethodGet, Path: "/api/v10/paladins"},
		"an unknown parameter":    {Method: http.MethodGet, Path: "/api/v10/gateway/bot", Query: "colour=red"},
		"a component without end": {Method: http.MethodPost, Path: "/api/v10/channels/1/messages", Body: []byte(`{"components":[{"type":10}]}`)},
		"a long custom id": {Method: http.MethodPatch, Path: "/api/v10/channels/1/messages/2",
			Body: []byte(`{"components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"` + strings.Repeat("x", 101) + `"}]}]}`)},
		"an unknown callback": {Method: http.MethodPost, Path: "/api/v10/interactions/1/a/callback", Body: []byte(`{"type":77}`)},
		"no recipient":        {Method: http.MethodPost, Path: "/api/v10/users/@me/channels", Body: []byte(`{"recipient_id":"nobody"}`)},
	} {
		if err := d.check(r); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	if path, _ := d.path("/api/v10/webhooks/1/a/messages/@original"); !strings.HasSuffix(path, "/messages/@original") {
		t.Errorf("the literal path is not preferred: %s", path)
	}
}
