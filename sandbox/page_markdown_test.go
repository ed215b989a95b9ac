package sandbox

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// testNames knows user 1 (the viewer) and 2, role 3, channel 4 and emoji 5; some of their names try to break out.
type testNames struct{}

func (testNames) viewer() string { return "1" }

func (testNames) userName(id string) (string, bool) {
	names := map[string]string{"1": "Ann", "2": `<script>alert("x")</script>`}
	return names[id], names[id] != ""
}

func (testNames) roleName(id string) (string, bool) { return "Knights & Co", id == "3" }

func (testNames) channelName(id string) (string, bool) { return `games"><b>`, id == "4" }

func (testNames) channelLink(channel, message string) string {
	return "/?channel=" + channel + "&message=" + message
}

func (testNames) emojiSource(id string) (string, bool) { return "/emojis/" + id + ".png", id == "5" }

func TestRenderMarkdown(t *testing.T) {
	const second = 1764460800
	cases := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "hello", "<p>hello</p>"},
		{"escaped", `<b onclick="x">&amp;'`, `<p>&lt;b onclick=&#34;x&#34;&gt;&amp;amp;&#39;</p>`},
		{"line break", "a\nb", "<p>a<br>b</p>"},
		{"control characters", "a\x00\x1bb\xff", "<p>ab\uFFFD</p>"},
		{"bold", "**a** b", "<p><strong>a</strong> b</p>"},
		{"italic", "*a* _b_", "<p><em>a</em> <em>b</em></p>"},
		{"bold italic", "***a***", "<p><strong><em>a</em></strong></p>"},
		{"italic in bold", "**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"},
		{"bold ends inside italic's end", "*a **b***", "<p><em>a <strong>b</strong></em></p>"},
		{"underline", "__a__", "<p><u>a</u></p>"},
		{"strike", "~~a~~", "<p><s>a</s></p>"},
		{"spoiler", "||a||", `<p><span class="spoiler" role="button" tabindex="0" aria-label="Spoiler, press to show">a</span></p>`},
		{"snake case", "snake_case_name", "<p>snake_case_name</p>"},
		{"arithmetic", "2 * 3 * 4", "<p>2 * 3 * 4</p>"},
		{"unclosed", "**a", "<p>**a</p>"},
		{"empty span", "****", "<p>****</p>"},
		{"escape", `\*a\* \<@1>`, "<p>*a* &lt;@1&gt;</p>"},
		{"code", "`**a** <b>`", "<p><code>**a** &lt;b&gt;</code></p>"},
		{"double code", "``a`b``", "<p><code>a`b</code></p>"},
		{"code hides a marker", "*a `*` b*", "<p><em>a <code>*</code> b</em></p>"},
		{"code block", "a\n```go\nx < y\n```\nb", `<p>a</p><pre tabindex="0" role="group" aria-label="Code"><code>x &lt; y</code></pre><p>b</p>`},
		{"code block without language", "```x```", `<pre tabindex="0" role="group" aria-label="Code"><code>x</code></pre>`},
		{"heading", "# A\n## B\n### C\n#### D", `<h3 class="md-h1">A</h3><h4 class="md-h2">B</h4><h5 class="md-h3">C</h5><p>#### D</p>`},
		{"subtext", "-# small **b**", `<p class="md-sub">small <strong>b</strong></p>`},
		{"quote", "> a\n> b\nc", "<blockquote><p>a<br>b</p></blockquote><p>c</p>"},
		{"long quote", ">>> a\nb", "<blockquote><p>a<br>b</p></blockquote>"},
		{"list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
		{"nested list", "- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"},
		{"ordered list", "3. a\n4. b", `<ol start="3"><li>a</li><li>b</li></ol>`},
		{"masked link", "[**a**](https://example.org/?a=1&b=2)", `<p><a href="https://example.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer nofollow"><strong>a</strong></a></p>`},
		{"script link", "[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"},
		{"credentials in a link", "[a](https://discord.com@example.org)", "<p>[a](https://discord.com@example.org)</p>"},
		{"bare link", "see https://example.org/a_b_c.", `<p>see <a href="https://example.org/a_b_c" target="_blank" rel="noopener noreferrer nofollow">https://example.org/a_b_c</a>.</p>`},
		{"bare link cannot break out", `https://example.org/"onx="1`, `<p><a href="https://example.org/&#34;onx=&#34;1" target="_blank" rel="noopener noreferrer nofollow">https://example.org/&#34;onx=&#34;1</a></p>`},
		{"quiet link", "<https://example.org>", `<p><a href="https://example.org" target="_blank" rel="noopener noreferrer nofollow">https://example.org</a></p>`},
		{"message link", "https://discord.com/channels/9/4/7", `<p><a href="/?channel=4&amp;message=7" class="mention">#<bdi>games&#34;&gt;&lt;b&gt;</bdi> › message</a></p>`},
		{"masked message link", "[the board](https://discord.com/channels/9/4/7)", `<p><a href="/?channel=4&amp;message=7">the board</a></p>`},
		{"user", "<@1> <@!2> <@9>", `<p><span class="mention mention-me">@<bdi>Ann</bdi></span> <span class="mention">@<bdi>&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;</bdi></span> <span class="mention">@<bdi>unknown-user</bdi></span></p>`},
		{"role", "<@&3>", `<p><span class="mention">@<bdi>Knights &amp; Co</bdi></span></p>`},
		{"channel", "<#4> <#8>", `<p><a class="mention" href="/?channel=4&amp;message=">#<bdi>games&#34;&gt;&lt;b&gt;</bdi></a> <span class="mention">#<bdi>unknown</bdi></span></p>`},
		{"command", "</paladin new:12>", `<p><button type="button" class="mention" data-command="paladin new">/paladin new</button></p>`},
		{"everyone", "@everyone", `<p><span class="mention">@everyone</span></p>`},
		{"emoji", "<:sword:5> <:none:6>", `<p><img class="emoji" alt=":sword:" src="/emojis/5.png"> :none:</p>`},
		{"timestamp", fmt.Sprintf("<t:%d:R>", second), `<p><time datetime="2025-11-30T00:00:00Z" data-t="1764460800" data-style="R">30 November 2025 00:00 UTC</time></p>`},
		{"timestamp out of range", "<t:9999999999999:R>", "<p>&lt;t:9999999999999:R&gt;</p>"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(renderMarkdown(c.in, testNames{}))); diff != "" {
				t.Errorf("renderMarkdown(%q) (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

// A message nested deeper than the renderer goes stays bounded and readable.
func TestRenderMarkdownDepth(t *testing.T) {
	for _, unit := range []string{"> ", "**_", "[", "||~~", "- ", "__*"} {
		got := string(renderMarkdown(strings.Repeat(unit, 2000)+"x", testNames{}))
		if err := checkFragment(got); err != nil {
			t.Errorf("%q repeated: %v", unit, err)
		}
		if len(got) > 100_000 {
			t.Errorf("%q repeated: %d bytes", unit, len(got))
		}
	}
}

// Any mixture of what means something keeps renderMarkdown's promises.
func TestRenderMarkdownMixtures(t *testing.T) {
	pieces := []string{"*", "**", "***", "_", "__", "~~", "||", "`", "``", "```", "\n", "\n> ", "\n>>> ", "\n- ", "\n  - ", "\n1. ", "\n# ", "\n-# ",
		"[", "](", "http://a/", ")", "<", ">", "<@1>", "<@2>", "<#4>", "<t:1:R>", "</a b:1>", "<:ab:5>", "@everyone", "https://discord.com/channels/1/4/5",
		"\\", "&", "\"", "'", " ", "a", "<b>", "é", "\u202e", "🛡"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		if err := checkFragment(string(renderMarkdown(text, testNames{}))); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// FuzzRenderMarkdown demands of every input what renderMarkdown promises: balanced, nothing but known tags
// with known attributes, no raw input, the same output for the same input.
func FuzzRenderMarkdown(f *testing.F) {
	seeds, err := filepath.Glob("testdata/markdown/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("***a** b* ~~||`c`||~~ [x](http://a/b\"c) <@2> <t:1:R> > q\n> - l\n  1. m\n```\n<script>\n```")
	f.Add("<a:x_:5><:aa:5>\\<@1>__*a*__ ||<#4>|| </a b c:1> @everyone -# https://discord.com/channels/1/4")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		got := string(renderMarkdown(text, testNames{}))
		if err := checkFragment(got); err != nil {
			t.Fatalf("%v\nin  %q\nout %s", err, text, got)
		}
		if again := string(renderMarkdown(text, testNames{})); again != got {
			t.Fatalf("two renderings differ for %q", text)
		}
	})
}

var (
	fragmentTag  = regexp.MustCompile(`^<(/?)([a-z0-9]+)((?: [a-z-]+="[^"<>]*")*)>`)
	fragmentAttr = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
	entity       = regexp.MustCompile(`^&(amp|lt|gt|#34|#39);`)
)

// checkFragment reads HTML as strictly as it can and says what is not as renderMarkdown promises.
func checkFragment(s string) error {
	attributes := map[string][]string{
		"p": {"class"}, "br": {}, "h3": {"class"}, "h4": {"class"}, "h5": {"class"}, "blockquote": {},
		"ul": {}, "ol": {"start"}, "li": {}, "pre": {"tabindex", "role", "aria-label"}, "code": {}, "strong": {}, "em": {}, "u": {}, "s": {},
		"span": {"class", "role", "tabindex", "aria-label"}, "a": {"class", "href", "target", "rel"}, "bdi": {},
		"button": {"type", "class", "data-command"}, "img": {"class", "alt", "title", "src"},
		"time": {"datetime", "data-t", "data-style"},
	}
	var open []string
	for i := 0; i < len(s); {
		switch s[i] {
		case '<':
			match := fragmentTag.FindStringSubmatch(s[i:])
			if match == nil {
				return fmt.Errorf("raw < at %d", i)
			}
			i += len(match[0])
			known, ok := attributes[match[2]]
			if !ok {
				return fmt.Errorf("unknown tag %s", match[0])
			}
			if match[1] == "/" {
				if len(open) == 0 || open[len(open)-1] != match[2] {
					return fmt.Errorf("%s closes nothing (open: %v)", match[0], open)
				}
				open = open[:len(open)-1]
				continue
			}
			for _, attr := range fragmentAttr.FindAllStringSubmatch(match[3], -1) {
				if err := checkAttribute(known, attr[1], html.UnescapeString(attr[2])); err != nil {
					return fmt.Errorf("%s: %w", match[0], err)
				}
			}
			if match[2] != "br" && match[2] != "img" {
				open = append(open, match[2])
			}
		case '>', '"', '\'':
			return fmt.Errorf("raw %q at %d", s[i], i)
		case '&':
			match := entity.FindString(s[i:])
			if match == "" {
				return fmt.Errorf("raw & at %d", i)
			}
			i += len(match)
		default:
			i++
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("not closed: %v", open)
	}
	return nil
}

func checkAttribute(known []string, name, value string) error {
	found := false
	for _, k := range known {
		found = found || k == name
	}
	if !found {
		return fmt.Errorf("attribute %s is not expected", name)
	}
	switch {
	case name == "href" && !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "/?"),
		name == "src" && !strings.HasPrefix(value, "/emojis/"):
		return fmt.Errorf("%s leads to %q", name, value)
	}
	return nil
}
