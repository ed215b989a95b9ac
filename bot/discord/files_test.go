package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// showing is a message that shows pictures by their names.
func showing(files ...File) Message {
	gallery := discordgo.MediaGallery{}
	for _, f := range files {
		gallery.Items = append(gallery.Items, discordgo.MediaGalleryItem{Media: discordgo.UnfurledMediaItem{URL: "attachment://" + f.Name}})
	}
	return Message{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "hello"}, gallery}, Files: files}
}

func board(key string) File {
	return File{Name: "board.png", ContentType: "image/png", Description: "the table", Key: key, Data: []byte("PNG of " + key)}
}

// shown is the answer of Discord to a message that shows attachments: its list of attachments is empty, and they are in the
// components alone.
func shown(attachments ...Attachment) string {
	var items []string
	for n, a := range attachments {
		items = append(items, fmt.Sprintf(`{"media":{"id":"%d","url":"https://cdn.test/attachments/77/%s/%s?ex=1&hm=2","proxy_url":"x","attachment_id":"%s"}}`,
			n, a.ID, a.Name, a.ID))
	}
	return `{"id":"42","channel_id":"77","attachments":[],"components":[{"type":17,"components":[{"type":12,"items":[` + strings.Join(items, ",") + `]}]}]}`
}

// sending are the calls that send a message, each with its answer.
var sending = map[string]struct {
	edit   bool
	call   func(context.Context, *Client, Message) (MessageRef, error)
	answer func(message string) string
}{
	"create": {false, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.CreateMessage(ctx, "77", m)
	}, nil},
	"edit": {true, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.ReplaceMessage(ctx, "77", "42", m)
	}, nil},
	"follow": {false, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.FollowUp(ctx, press(), m)
	}, nil},
	"original": {true, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.EditOriginal(ctx, press(), m)
	}, nil},
	"reply": {false, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.Respond(ctx, press(), Response{Kind: Reply, Message: m})
	}, resource},
	"update": {true, func(ctx context.Context, c *Client, m Message) (MessageRef, error) {
		return c.Respond(ctx, press(), Response{Kind: Update, Message: m})
	}, resource},
}

func resource(message string) string { return `{"resource":{"type":4,"message":` + message + `}}` }

// sent returns the list of attachments of a request, and the files in it.
func attachmentsOf(t *testing.T, r sentRequest) (list, files string) {
	t.Helper()
	body, files, _ := strings.Cut(contents(t, r), " + ")
	type message struct {
		Attachments json.RawMessage `json:"attachments"`
	}
	var m struct {
		message
		Data message `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	return string(m.Attachments) + string(m.Data.Attachments), files
}

// An edit that changes no picture uploads none, one that changes it uploads the new one alone, and one without drops it.
func TestPicturesAreUploadedOnce(t *testing.T) {
	hand := File{Name: "hand-5f5f5f.png", ContentType: "image/png", Key: "5f5f5f", Data: []byte("PNG of a hand")}
	had := []Attachment{{"600", "board.png", "k1"}, {"601", "hand-5f5f5f.png", ""}}
	upload := func(n int, f File) string {
		return fmt.Sprintf(`files[%d] %s image/png %s`, n, f.Name, f.Data)
	}
	entry := func(id string, f File) string {
		if f.Description == "" {
			return fmt.Sprintf(`{"id":"%s","filename":"%s"}`, id, f.Name)
		}
		return fmt.Sprintf(`{"id":"%s","filename":"%s","description":"%s"}`, id, f.Name, f.Description)
	}
	unknown := board("")
	renamed := board("k1")
	renamed.Name = "other.png"
	absent := board("k1")
	absent.Data = nil
	for _, tt := range []struct {
		name        string
		has         []Attachment
		files       []File
		list, added string // of an edit
	}{
		{"nothing changed", had, []File{board("k1"), hand}, entry("600", board("")) + "," + entry("601", hand), ""},
		{"no data needed", had, []File{absent}, entry("600", board("")), ""},
		{"the board changed", had, []File{board("k2"), hand}, entry("0", board("")) + "," + entry("601", hand), upload(0, board("k2"))},
		{"the hand came first", had, []File{hand, board("k2")}, entry("601", hand) + "," + entry("0", board("")), upload(0, board("k2"))},
		{"the board went", had, []File{hand}, entry("601", hand), ""},
		{"all went", had, nil, "", ""},
		{"nothing known", nil, []File{board("k1")}, entry("0", board("")), upload(0, board("k1"))},
		{"no key", had, []File{unknown}, entry("0", unknown), upload(0, unknown)},
		{"no key anywhere", []Attachment{{"600", "board.png", ""}}, []File{unknown}, entry("0", unknown), upload(0, unknown)},
		{"another name", had, []File{renamed}, entry("0", renamed), upload(0, renamed)},
		{"a key that is not in the name", []Attachment{{"600", "board.png", ""}}, []File{board("k1")}, entry("0", board("")), upload(0, board("k1"))},
		{"no id", []Attachment{{"", "board.png", "k1"}}, []File{board("k1")}, entry("0", board("")), upload(0, board("k1"))},
	} {
		for which, way := range sending {
			t.Run(tt.name+"/"+which, func(t *testing.T) {
				served(t, reply(200, `{"id":"42"}`), func(t *testing.T, f *fake, c *Client) {
					m := showing(tt.files...)
					m.Has = tt.has
					_, err := way.call(t.Context(), c, m)
					if !way.edit {
						if unsendable := len(tt.files) > 0 && tt.files[0].Data == nil; unsendable != (Classify(err) == Invalid) || unsendable != (len(f.sent()) == 0) {
							t.Fatalf("%v after %d requests", err, len(f.sent()))
						}
						if err == nil && len(tt.files) > 0 {
							if list, added := attachmentsOf(t, f.sent()[0]); strings.Contains(list, `"60`) || strings.Count(added, "PNG of") != len(tt.files) {
								t.Errorf("a new message has %s and uploads %s", list, added)
							}
						}
						return
					}
					if err != nil || len(f.sent()) != 1 {
						t.Fatalf("%v after %d requests", err, len(f.sent()))
					}
					list, added := attachmentsOf(t, f.sent()[0])
					if list != "["+tt.list+"]" || added != tt.added {
						t.Errorf("attachments %s with %q, want [%s] with %q", list, added, tt.list, tt.added)
					}
				})
			})
		}
	}
}

// What Discord called the files is told wherever the answer tells it, and serves for the next edit.
func TestAttachmentsAreLearned(t *testing.T) {
	hand := File{Name: "hand.png", Key: "h", Data: []byte("PNG")}
	for _, tt := range []struct {
		name, message string
		has           []Attachment
		want          []Attachment
	}{
		{"in the components", shown(Attachment{ID: "700", Name: "board.png"}, Attachment{ID: "701", Name: "hand.png"}), nil,
			[]Attachment{{"700", "board.png", "k"}, {"701", "hand.png", "h"}}},
		{"in the list", `{"id":"42","attachments":[{"id":701,"filename":"hand.png"},{"id":"700","filename":"board.png"},{"id":"9","filename":"no.png"}]}`, nil,
			[]Attachment{{"701", "hand.png", "h"}, {"700", "board.png", "k"}}},
		{"one kept", shown(Attachment{ID: "600", Name: "board.png"}, Attachment{ID: "701", Name: "hand.png"}), []Attachment{{"600", "board.png", "k"}},
			[]Attachment{{"600", "board.png", "k"}, {"701", "hand.png", "h"}}},
		{"one kept, no word of any", `{"id":"42"}`, []Attachment{{"600", "board.png", "k"}}, []Attachment{{"600", "board.png", "k"}}},
		{"odd", `{"id":"42","attachments":{"a":1},"components":"attachment_id"}`, nil, nil},
		{"odder", `{"id":"42","attachments":[7,null,{"id":"700"}],"components":[{"items":[{"media":{"attachment_id":"1"}},{"media":{"attachment_id":"1","url":"%%"}},{"media":{"attachment_id":[],"url":"/board.png"}}]}]}`, nil, nil},
	} {
		for which, way := range sending {
			if tt.has != nil && !way.edit {
				continue
			}
			t.Run(tt.name+"/"+which, func(t *testing.T) {
				body := tt.message
				if way.answer != nil {
					body = way.answer(body)
				}
				served(t, reply(200, body), func(t *testing.T, f *fake, c *Client) {
					m := showing(board("k"), hand)
					m.Has = tt.has
					ref, err := way.call(t.Context(), c, m)
					if err != nil || ref.ID != "42" {
						t.Fatalf("%+v, %v", ref, err)
					}
					if diff := cmp.Diff(tt.want, ref.Attachments); diff != "" {
						t.Error(diff)
					}
				})
			})
		}
	}
}

// What a message was thought to have may be gone: then everything is uploaded, without the caller's help.
func TestLostAttachments(t *testing.T) {
	lost := reply(400, `{"code":50035,"message":"Invalid Form Body","errors":{"attachments":{"0":{"id":{"_errors":[{"code":"ATTACHMENT_NOT_FOUND","message":"x"}]}}}}}`)
	for which, way := range sending {
		if !way.edit {
			continue
		}
		t.Run(which, func(t *testing.T) {
			body := shown(Attachment{ID: "700", Name: "board.png"})
			if way.answer != nil {
				body = way.answer(body)
			}
			served(t, sequence(lost, reply(200, body)), func(t *testing.T, f *fake, c *Client) {
				m := showing(board("k"))
				m.Has = []Attachment{{"600", "board.png", "k"}}
				ref, err := way.call(t.Context(), c, m)
				if err != nil || len(f.sent()) != 2 {
					t.Fatalf("%v after %d requests", err, len(f.sent()))
				}
				if list, added := attachmentsOf(t, f.sent()[1]); strings.Contains(list, "600") || !strings.Contains(added, "PNG of k") {
					t.Errorf("second attempt: %s, %s", list, added)
				}
				if diff := cmp.Diff([]Attachment{{"700", "board.png", "k"}}, ref.Attachments); diff != "" {
					t.Error(diff)
				}
			})
			served(t, lost, func(t *testing.T, f *fake, c *Client) {
				m := showing(board("k"))
				m.Has, m.Files[0].Data = []Attachment{{"600", "board.png", "k"}}, nil
				if _, err := way.call(t.Context(), c, m); !WithoutFiles(err) || len(f.sent()) != 1 {
					t.Errorf("without data: %v after %d requests", err, len(f.sent()))
				}
			})
			served(t, lost, func(t *testing.T, f *fake, c *Client) {
				m := showing(board("k"))
				m.Has = []Attachment{{"600", "board.png", "k"}}
				if _, err := way.call(t.Context(), c, m); !WithoutFiles(err) || len(f.sent()) != 2 {
					t.Errorf("refused for something else: %v after %d requests", err, len(f.sent()))
				}
			})
		})
	}
}

// A server that refuses files, whatever it says, is told from other trouble, and a message without files never is such trouble.
func TestRefusedFiles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply http.HandlerFunc
		class Class // of a message with files
		plain Class // of one without
		fall  bool
	}{
		{"too large", reply(413, `{"code":40005,"message":"Request entity too large"}`), TooLarge, TooLarge, true},
		{"file too large", reply(400, `{"code":50045,"message":"x"}`), TooLarge, TooLarge, true},
		{"bad file", reply(400, `{"code":50046,"message":"x"}`), TooLarge, TooLarge, true},
		{"uploads limited", reply(400, `{"code":400001,"message":"x"}`), TooLarge, TooLarge, true},
		{"invalid form", reply(400, `{"code":50035,"message":"x"}`), TooLarge, Invalid, true},
		{"multipart not understood", reply(400, `{"code":50109,"message":"The request body contains invalid JSON."}`), TooLarge, Invalid, true},
		{"empty for who does not read multipart", reply(400, `{"code":50006,"message":"x"}`), TooLarge, Invalid, true},
		{"bare 400", reply(400, ``), TooLarge, Invalid, true},
		{"bare 413", reply(413, `<html>`), TooLarge, TooLarge, true},
		{"unsupported media type", reply(415, ``), TooLarge, Other, true},
		{"no permission", reply(403, `{"code":50013,"message":"x"}`), MissingPermission, MissingPermission, true},
		{"explicit content", reply(400, `{"code":20009,"message":"x"}`), Blocked, Blocked, true},
		{"breaks over it", reply(500, ``), Temporary, Temporary, true},
		{"not implemented", reply(501, ``), Temporary, Temporary, true},
		{"limited", reply(429, `{"retry_after":60}`), RateLimited, RateLimited, false},
		{"message gone", reply(404, `{"code":10008,"message":"x"}`), UnknownMessage, UnknownMessage, false},
		{"no access", reply(403, `{"code":50001,"message":"x"}`), MissingAccess, MissingAccess, false},
		{"old", reply(429, `{"code":30046,"retry_after":1,"message":"x"}`), OldEdit, OldEdit, false},
		{"dropped", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Temporary, Temporary, false},
	} {
		for which, way := range sending {
			t.Run(tt.name+"/"+which, func(t *testing.T) {
				served(t, tt.reply, func(t *testing.T, f *fake, c *Client) {
					_, err := way.call(t.Context(), c, showing(board("k")))
					if Classify(err) != tt.class || WithoutFiles(err) != tt.fall {
						t.Errorf("with a file: %v (%v, %v), want %v, %v", Classify(err), err, WithoutFiles(err), tt.class, tt.fall)
					}
					if n := len(f.sent()); tt.class == TooLarge && n != 1 {
						t.Errorf("%d requests", n)
					}
				})
				served(t, tt.reply, func(t *testing.T, f *fake, c *Client) {
					_, err := way.call(t.Context(), c, showing())
					if Classify(err) != tt.plain || WithoutFiles(err) {
						t.Errorf("without: %v (%v, %v), want %v", Classify(err), err, WithoutFiles(err), tt.plain)
					}
				})
			})
		}
	}
	if WithoutFiles(nil) || WithoutFiles(errors.New("x")) {
		t.Error("foreign errors")
	}
}

// What Discord would refuse after the upload is refused before.
func TestFilesAreChecked(t *testing.T) {
	var eleven, heavy []File
	for n := range 11 {
		eleven = append(eleven, File{Name: fmt.Sprint(n), Data: []byte("x")})
	}
	for n := range 3 {
		heavy = append(heavy, File{Name: fmt.Sprint(n), Data: make([]byte, MaxFileSize)})
	}
	for _, tt := range []struct {
		name  string
		files []File
		want  Class
	}{
		{"eleven", eleven, Invalid},
		{"two of one name", []File{board("a"), board("b")}, Invalid},
		{"two of one name once cleaned", []File{{Name: "a b", Data: []byte{1}}, {Name: "a_b", Data: []byte{1}}}, Invalid},
		{"no data", []File{{Name: "a"}}, Invalid},
		{"one too large", []File{{Name: "a", Data: make([]byte, MaxFileSize+1)}}, TooLarge},
		{"too large together", heavy, TooLarge},
	} {
		for which, way := range sending {
			served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
				_, err := way.call(t.Context(), c, Message{Files: tt.files})
				if Classify(err) != tt.want || len(f.sent()) != 0 || WithoutFiles(err) != (tt.want == TooLarge) {
					t.Errorf("%s, %s: %v after %d requests", tt.name, which, err, len(f.sent()))
				}
			})
		}
	}
	served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
		long := board("k")
		long.Description = strings.Repeat("🐉", 600)
		if _, err := c.CreateMessage(t.Context(), "77", showing(long)); err != nil {
			t.Fatal(err)
		}
		if list, _ := attachmentsOf(t, f.sent()[0]); strings.Count(list, "🐉") != 512 || strings.Contains(list, "\uFFFD") {
			t.Errorf("%d dragons in the description", strings.Count(list, "🐉"))
		}
	})
}

// Where Discord's published description of its API lies beside the repository, requests with files and emojis are held against it.
const descriptionFile = "../../../shared/discord/openapi.json"

func described(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	file, err := os.Open(descriptionFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("Discord's description of its API is not here")
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
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return compiler
}

func TestFilesFollowTheDescription(t *testing.T) {
	compiler := described(t)
	routes := map[string]string{
		"create": "/channels/{channel_id}/messages post", "edit": "/channels/{channel_id}/messages/{message_id} patch",
		"follow": "/webhooks/{webhook_id}/{webhook_token} post", "original": "/webhooks/{webhook_id}/{webhook_token}/messages/@original patch",
		"reply": "/interactions/{interaction_id}/{interaction_token}/callback post", "update": "/interactions/{interaction_id}/{interaction_token}/callback post",
	}
	escape := strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D")
	validate := func(t *testing.T, route, body string) {
		t.Helper()
		path, method, _ := strings.Cut(route, " ")
		schema, err := compiler.Compile("openapi.json#/paths/" + escape.Replace(path) + "/" + method + "/requestBody/content/application~1json/schema")
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	hand := File{Name: "hand.png", Key: "h", Data: []byte("PNG")}
	for which, way := range sending {
		t.Run(which, func(t *testing.T) {
			served(t, reply(200, `{}`), func(t *testing.T, f *fake, c *Client) {
				for _, has := range [][]Attachment{nil, {{"600", "board.png", "k"}}, {{"600", "board.png", "k"}, {"601", "hand.png", "h"}}} {
					m := showing(board("k"), hand)
					m.Has = has
					if _, err := way.call(t.Context(), c, m); err != nil {
						t.Fatal(err)
					}
				}
				for _, r := range f.sent() {
					body, _, _ := strings.Cut(contents(t, r), " + ")
					validate(t, routes[which], body)
				}
			})
		})
	}
	served(t, reply(201, `{"id":"1","name":"p7r_1a2b3c4d"}`), func(t *testing.T, f *fake, c *Client) {
		if err := everyCall["emoji"](t.Context(), c); err != nil {
			t.Fatal(err)
		}
		validate(t, "/applications/{application_id}/emojis post", string(f.sent()[0].Body))
	})
}

// Where an attempt before may have taken effect, nobody knows which of two uploads the message has: the
// next edit brings the file anew.
func TestFilesOfAnUnclearEdit(t *testing.T) {
	lost := reply(502, ``)
	body := shown(Attachment{ID: "700", Name: "board.png"})
	served(t, sequence(lost, reply(200, body)), func(t *testing.T, f *fake, c *Client) {
		ref, err := c.ReplaceMessage(t.Context(), "7", "5", showing(board("k")))
		if err != nil || len(f.sent()) != 2 {
			t.Fatalf("%v after %d requests", err, len(f.sent()))
		}
		if len(ref.Attachments) > 0 {
			t.Errorf("known of it: %v", ref.Attachments)
		}
	})
}
