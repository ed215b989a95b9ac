package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"paladin/config"
)

// These tests hold the shape of the program: what may import what and why, how
// long a function may get, and that files which speak of each other agree. They
// read the source and run nothing.

const module = "paladin"

// A sourceFile is one Go file of the repository.
type sourceFile struct {
	path    string // slash-separated, from the repository's root
	pkg     string // directory: "." or "game/paladin"
	test    bool
	set     *token.FileSet
	syntax  *ast.File
	imports []string
}

func (f *sourceFile) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", f.path, f.set.Position(pos).Line)
}

// sources parses every Go file below root, but for hidden and vendored ones.
func sources(t *testing.T, root fs.FS) []*sourceFile {
	t.Helper()
	var out []*sourceFile
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f := &sourceFile{path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), set: set, syntax: syntax}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	return out
}

// within reports whether name is one of the trees or lies below one.
func within(name string, trees ...string) bool {
	for _, tree := range trees {
		if tree == "*" || name == tree || strings.HasPrefix(name, tree+"/") {
			return true
		}
	}
	return false
}

// ours returns the directory of an imported package of this module.
func ours(imported string) (dir string, ok bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// A direction is a rule about imports: packages in the trees of from, but for
// those in except, do not import what is listed.
type direction struct {
	from    []string
	except  []string
	tests   bool     // the rule holds for test files too
	ours    []string // directories of this module; "*" for all outside from
	others  []string // import paths, with what lies below them
	allowed []string // directories exempt from ours, import paths exempt from others
	why     string
}

var directions = []direction{
	{
		from: []string{"game"}, tests: true, ours: []string{"*"},
		why: "the rules and what stands around a game are values and functions; they are the bottom of the program",
	},
	{
		from:    []string{"game"},
		others:  []string{"os", "io/ioutil", "net", "log", "database", "syscall", "go.etcd.io", "github.com/gorilla"},
		allowed: []string{"log/slog"}, // for types that say how they are logged; see uses
		why:     "whatever a game depends on is handed to it, so that it can be replayed and simulated",
	},
	{
		from: []string{"game"}, except: []string{"game/squire"}, others: []string{"math/rand", "crypto/rand"},
		why: "chance is an argument: a game is fully given by its deal and its moves",
	},
	{
		from: []string{"game/squire", "sim"}, others: []string{"math/rand", "crypto/rand"}, allowed: []string{"math/rand/v2"},
		why: "a squire's choice follows from the seed it is handed (math/rand/v2 may stretch that seed; see uses)",
	},
	{
		from: []string{"store"}, ours: []string{"*"}, allowed: []string{"game"},
		why: "the store keeps bytes; it may know the game for encoding and nothing that stands above it",
	},
	{
		from: []string{"sandbox"}, tests: true, ours: []string{"*"},
		why: "the sandbox judges the bot: sharing code with it, both could be wrong in the same way",
	},
	{
		from: []string{"bot"}, ours: []string{"*"}, allowed: []string{"game", "store"},
		why: "the bot is handed its settings and meets the sandbox over HTTP only",
	},
	{
		from: []string{"bot/press", "bot/render"}, ours: []string{"*"}, allowed: []string{"game", "bot/discord", "bot/picture"},
		why: "custom ids and renderers are pure: values in, text and components out (bot/discord gives them their types, bot/picture names what there are symbols of)",
	},
	{
		from: []string{"bot/press", "bot/render"}, others: []string{"os", "net/http", "math/rand", "crypto/rand", "log", "syscall"},
		why: "custom ids and renderers are pure: what is shown follows from what is handed over",
	},
	{
		from: []string{"bot/picture"}, ours: []string{"*"}, allowed: []string{"game"},
		why: "a picture follows from what it shows, whoever looks at it",
	},
	{
		from: []string{"bot/picture"}, others: []string{"os", "net", "math/rand", "crypto/rand", "log", "syscall"},
		why: "a picture follows from what it shows, and is the same wherever it is drawn",
	},
	{
		from: []string{"bot/discord"}, ours: []string{"*"},
		why: "the edge to Discord knows nothing of games",
	},
	{
		from: []string{"config"}, tests: true, ours: []string{"*"},
		why: "settings are read before anything else exists",
	},
	{
		from: []string{"sim"}, ours: []string{"*"}, allowed: []string{"game"},
		why: "simulation needs players and rules, not Discord and not a disk",
	},
	{
		from: []string{"*"}, except: []string{"bot/discord", "bot/render", "bench"}, tests: true,
		others: []string{"github.com/bwmarrin/discordgo"},
		why:    "one place speaks discordgo, so that its faults are worked around in one place (bench measures against a bare discordgo bot)",
	},
	{
		from: []string{"*"}, except: []string{"store", "sandbox"},
		others: []string{"go.etcd.io/bbolt"},
		why:    "only a store knows how things are stored",
	},
	{
		from: []string{"*"}, except: []string{"config"},
		others: []string{"github.com/joho/godotenv"},
		why:    "settings are read once, in config",
	},
}

// breaches returns a line for every import of f that the rule forbids.
func (d direction) breaches(f *sourceFile) []string {
	if !within(f.pkg, d.from...) || within(f.pkg, d.except...) || f.test && !d.tests {
		return nil
	}
	var out []string
	for _, imported := range f.imports {
		dir, own := ours(imported)
		bad := !own && within(imported, d.others...) && !within(imported, d.allowed...)
		if own && within(dir, d.ours...) {
			bad = !within(dir, d.from...) && !within(dir, d.allowed...)
		}
		if bad {
			out = append(out, fmt.Sprintf("%s imports %s: %s", f.path, imported, d.why))
		}
	}
	return out
}

func TestImportDirections(t *testing.T) {
	for _, f := range sources(t, os.DirFS(".")) {
		for _, d := range directions {
			for _, breach := range d.breaches(f) {
				t.Error(breach)
			}
		}
	}
}

// A rule that nothing can break is worth nothing: this tree breaks each once.
func TestImportDirectionsAreEnforced(t *testing.T) {
	file := func(imported string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "package p\nimport _ %q\n", imported)}
	}
	tree := fstest.MapFS{
		"game/table/a_test.go":        file("paladin/store"),
		"game/paladin/a.go":           file("net/http"),
		"game/table/a.go":             file("math/rand/v2"),
		"game/squire/a.go":            file("crypto/rand"),
		"store/storetest/a.go":        file("paladin/bot"),
		"sandbox/a_test.go":           file("paladin/game/paladin"),
		"bot/a.go":                    file("paladin/config"),
		"bot/press/a.go":              file("paladin/store"),
		"bot/render/a.go":             file("net/http"),
		"bot/picture/a.go":            file("paladin/store"),
		"bot/picture/b.go":            file("math/rand/v2"),
		"bot/discord/a.go":            file("paladin/game/table"),
		"config/a.go":                 file("paladin"),
		"sim/a.go":                    file("paladin/store"),
		"bot/b_test.go":               file("github.com/bwmarrin/discordgo"),
		"a.go":                        file("go.etcd.io/bbolt"),
		"b.go":                        file("github.com/joho/godotenv"),
		"bot/render/fine.go":          file("github.com/bwmarrin/discordgo"),
		"store/fine.go":               file("paladin/game/paladin"),
		"bot/fine.go":                 file("paladin/bot/press"),
		"fine.go":                     file("paladin/sandbox"),
		"bot/testdata/skipped/bad.go": file("paladin/config"),
	}
	files := sources(t, tree)
	for i, d := range directions {
		var found []string
		for _, f := range files {
			found = append(found, d.breaches(f)...)
		}
		if len(found) != 1 {
			t.Errorf("rule %d (%s) finds %d breaches, want 1: %q", i, d.why, len(found), found)
		}
	}
}

// A use is a name that a package may not use, found as selector on an import.
type use struct {
	imported string
	names    []string
	from     []string
	except   []string
	test     bool // looks at test files; otherwise at the others
	why      string
}

var uses = []use{
	{
		imported: "time", names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
		from: []string{"game"},
		why:  "time comes into a game as a value",
	},
	{
		imported: "log/slog", names: []string{"Default", "New", "Debug", "Info", "Warn", "Error", "Log"}, from: []string{"game"},
		why: "whatever is worth a log line is in what a game returns",
	},
	{
		imported: "math/rand/v2", names: []string{"N", "Int", "IntN", "Int64N", "Uint32", "Uint64", "Float64", "Perm", "Shuffle"},
		from: []string{"game", "sim"},
		why:  "the shared generator cannot be repeated: make one from the seed",
	},
	{
		imported: "os", names: []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
		from: []string{"*"}, except: []string{"config"},
		why: "config is the only reader of the environment",
	},
	{
		imported: "syscall", names: []string{"Getenv", "Environ"},
		from: []string{"*"}, except: []string{"config"},
		why: "config is the only reader of the environment",
	},
	{
		imported: "time", names: []string{"Sleep"}, from: []string{"*"}, test: true,
		why: "a sleeping test is slow or flaky or both: wait for what you want, or use testing/synctest",
	},
}

func (u use) breaches(f *sourceFile) []string {
	if !within(f.pkg, u.from...) || within(f.pkg, u.except...) || f.test != u.test {
		return nil
	}
	name := path.Base(strings.TrimSuffix(u.imported, "/v2"))
	local := ""
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value != strconv.Quote(u.imported) {
			continue
		}
		local = name
		if spec.Name != nil {
			local = spec.Name.Name
		}
	}
	if local == "." {
		return []string{fmt.Sprintf("%s imports %s with a dot, which hides its names", f.path, u.imported)}
	}
	var out []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && local != "" && x.Name == local && slices.Contains(u.names, sel.Sel.Name) {
			out = append(out, fmt.Sprintf("%s uses %s.%s: %s", f.at(sel.Pos()), u.imported, sel.Sel.Name, u.why))
		}
		return true
	})
	return out
}

func TestForbiddenUses(t *testing.T) {
	for _, f := range sources(t, os.DirFS(".")) {
		for _, u := range uses {
			for _, breach := range u.breaches(f) {
				t.Error(breach)
			}
		}
	}
}

func TestForbiddenUsesAreEnforced(t *testing.T) {
	for i, u := range uses {
		name := path.Join(strings.TrimPrefix(u.from[0], "*"), "a.go")
		if u.test {
			name = path.Join(strings.TrimPrefix(u.from[0], "*"), "a_test.go")
		}
		for _, code := range []string{
			fmt.Sprintf("package p\nimport %q\nvar x = %s.%s\n", u.imported, path.Base(strings.TrimSuffix(u.imported, "/v2")), u.names[0]),
			fmt.Sprintf("package p\nimport other %q\nvar x = other.%s\n", u.imported, u.names[0]),
			fmt.Sprintf("package p\nimport . %q\n", u.imported),
		} {
			f := sources(t, fstest.MapFS{name: &fstest.MapFile{Data: []byte(code)}})[0]
			if len(u.breaches(f)) != 1 {
				t.Errorf("use %d is not found in %q", i, code)
			}
		}
	}
}

// Functions are read on one screen. These are longer for the reason given.
const functionLinesMax = 70

var longFunctions = map[string]string{}

func TestFunctionLength(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t, os.DirFS(".")) {
		if f.test {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
			if lines <= functionLinesMax {
				continue
			}
			name := f.pkg + "." + fn.Name.Name
			seen[name] = true
			if longFunctions[name] == "" {
				t.Errorf("%s: %s has %d lines, more than %d: divide it", f.at(fn.Pos()), name, lines, functionLinesMax)
			}
		}
	}
	for name := range longFunctions {
		if !seen[name] {
			t.Errorf("%s is listed as long and is not: take it off the list", name)
		}
	}
}

// A panic in a goroutine ends the process, whatever its caller recovers: one bad
// table, message or packet would end every game, at every start again. These are
// the functions that start goroutines, and why a panic there is no such end.
// bot has one: all others call it.
var goroutines = map[string]string{
	"bot.beside":            "it is the one that recovers",
	"bot.settle":            "AfterFunc: it wakes a waiter",
	"bot.tried":             "AfterFunc: it wakes a waiter",
	"bot.rest":              "AfterFunc: it wakes a waiter",
	"bot/discord.Run":       "it waits for the end of the client",
	"bot/discord.run":       "they close connections; what reads from the session recovers in fromSession",
	"bot/discord.attach":    "it recovers",
	"bot/discord.stand":     "AfterFunc: it closes the connection",
	"bot/discord.impatient": "AfterFunc: it cancels a wait",
	"store.ExamineMain":     "it ends the child process, which examines one file and is no bot",
	"store.open":            "the writer guards each step of each write, and hands panics of updates to their callers",
	"store.Accepts":         "the writer guards each step of the write that finds out",
	"main.runBot":           "AfterFunc: it sets the reason for /readyz",
	"main.runHost":          "AfterFunc: the second signal ends the process",
	"main.run":              "the monitor recovers per request, the backups per copy",
	"main.serveMonitor":     "AfterFunc: it shuts the monitor down",
	"main.serveSandbox":     "both are the process itself: the page and the bot",
	"sandbox.open":          "the sandbox judges the bot: its own mistakes are to be seen",
	"sandbox.serveGateway":  "it writes bytes that were made before",
	"sandbox.follow":        "it passes a word on to windows",
	"sandbox.serveLive":     "it reads JSON into a struct",
	"sim.playAll":           "a simulation is a command of its own, and has no games to lose",
}

// starts names the functions of a file that start goroutines, with where.
func starts(f *sourceFile) map[string]string {
	found := map[string]string{}
	for _, decl := range f.syntax.Decls {
		name := "a variable"
		if fn, ok := decl.(*ast.FuncDecl); ok {
			name = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found[name] = f.at(n.Pos())
			case *ast.SelectorExpr:
				x, _ := n.X.(*ast.Ident)
				after := n.Sel.Name == "AfterFunc" && x != nil && (x.Name == "time" || x.Name == "context")
				if call := n.Sel.Name == "Go" && startsGoroutine(decl, n); after || call {
					found[name] = f.at(n.Pos())
				}
			}
			return true
		})
	}
	return found
}

// startsGoroutine reports whether a selector called Go is called with a function,
// as those of WaitGroups are.
func startsGoroutine(in ast.Node, sel *ast.SelectorExpr) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Fun == sel && len(call.Args) == 1 {
			found = true
		}
		return !found
	})
	return found
}

func TestGoroutinesAreGuarded(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t, os.DirFS(".")) {
		if f.test || within(f.pkg, "bench", "store/storetest") {
			continue
		}
		for name, at := range starts(f) {
			pkg := f.pkg
			if pkg == "." {
				pkg = "main"
			}
			name = pkg + "." + name
			seen[name] = true
			if goroutines[name] == "" {
				t.Errorf("%s: %s starts a goroutine: say in this test what a panic in it costs, or call bot's beside", at, name)
			}
		}
	}
	for name := range goroutines {
		if !seen[name] {
			t.Errorf("%s is listed and starts no goroutine: take it off the list", name)
		}
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	for _, code := range []string{"go f()", "time.AfterFunc(1, f)", "context.AfterFunc(ctx, f)", "wg.Go(f)", "h := time.AfterFunc; h(1, f)"} {
		f := sources(t, fstest.MapFS{"bot/a.go": &fstest.MapFile{Data: []byte("package bot\nfunc g() { " + code + " }\n")}})[0]
		if starts(f)["g"] == "" {
			t.Errorf("%q is not found", code)
		}
	}
}

func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range sources(t, os.DirFS(".")) {
		if f.test {
			continue
		}
		doc := f.syntax.Doc.Text()
		documented[f.pkg] = documented[f.pkg] || len(strings.Fields(doc)) >= 5
	}
	for _, pkg := range slices.Sorted(maps.Keys(documented)) {
		if !documented[pkg] {
			t.Errorf("package %s says nowhere what it is for", pkg)
		}
	}
}

// Marks of unfinished work, and words from outside the repository. They are put
// together here so that this file does not hold them itself.
var leftovers = regexp.MustCompile(strings.Join([]string{
	`\bTO` + `DO\b`, `\bFIX` + `ME\b`, `\bX` + `XX\b`, `\bHA` + `CK\b`,
	`(?i)\b(not |un)` + `implemented\b`, `panic\("` + `later`, `\berr` + `Stub\b`,
}, "|"))

var outside = regexp.MustCompile(`\.\./` + `shared\b|/wo` + `rk/|/ro` + `ot/`)

func TestNothingIsLeftOver(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		test := strings.HasSuffix(name, "_test.go") || within(name, "testdata") || strings.Contains(name, "/testdata/")
		if !isText(name) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		scanner := bufio.NewScanner(bytes.NewReader(data))
		scanner.Buffer(nil, len(data)+1)
		for n := 1; scanner.Scan(); n++ {
			if m := leftovers.FindString(scanner.Text()); m != "" && !test {
				t.Errorf("%s:%d: %q is left over", name, n, m)
			}
			if m := outside.FindString(scanner.Text()); m != "" && !test {
				t.Errorf("%s:%d: %q lies outside the repository", name, n, m)
			}
		}
		return scanner.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isText(name string) bool {
	switch path.Ext(name) {
	case ".go", ".md", ".mod", ".yml", ".yaml", ".html", ".css", ".js", ".txt", ".txtar", ".example":
		return true
	}
	return name == ".ci/run" || name == ".gitignore"
}

func TestLeftoversAreFound(t *testing.T) {
	for _, bad := range []string{"// TO" + "DO: more", "panic(\"not " + "implemented\")", "// X" + "XX"} {
		if !leftovers.MatchString(bad) {
			t.Errorf("%q is not found", bad)
		}
	}
	for _, fine := range []string{"implemented by", "method", "hackle", "xxx"} {
		if leftovers.MatchString(fine) {
			t.Errorf("%q is found", fine)
		}
	}
}

var exampleLine = regexp.MustCompile(`(?m)^#([A-Z][A-Z_]*)=(.*)$`)

// .env.example and config know the same settings with the same defaults, in the
// same order, and the file works when every line is switched on.
func TestEnvExample(t *testing.T) {
	data, err := os.ReadFile(".env.example")
	if err != nil {
		t.Fatal(err)
	}
	type setting struct{ Name, Default string }
	var documented, known []setting
	for _, m := range exampleLine.FindAllStringSubmatch(string(data), -1) {
		documented = append(documented, setting{m[1], m[2]})
	}
	for _, v := range config.Variables() {
		known = append(known, setting{v.Name, v.Default})
	}
	if diff := cmp.Diff(known, documented); diff != "" {
		t.Errorf(".env.example (-config +file):\n%s", diff)
	}

	on := exampleLine.ReplaceAll(data, []byte("$1=$2"))
	dir := fstest.MapFS{".env": &fstest.MapFile{Data: on}}
	c, err := config.Load(config.Serve, []string{"DISCORD_TOKEN=x"}, dir)
	if err != nil || len(c.Warnings) > 1 {
		t.Errorf("with every line switched on: %v, warnings %q", err, c.Warnings)
	}
}

func TestReadmeShowsTheFirstCommands(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"go run . sandbox", "go test ./..."} {
		if !strings.Contains(string(data), command) {
			t.Errorf("README.md does not show %q", command)
		}
	}
}
