package sandbox

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var emojiRoutes = []route{
	{method: "GET", pattern: "/applications/{app}/emojis", serve: (*Server).listEmojis},
	{method: "POST", pattern: "/applications/{app}/emojis", serve: (*Server).createEmoji},
	{method: "GET", pattern: "/applications/{app}/emojis/{emoji}", serve: (*Server).getEmoji},
	{method: "PATCH", pattern: "/applications/{app}/emojis/{emoji}", serve: (*Server).renameEmoji},
	{method: "DELETE", pattern: "/applications/{app}/emojis/{emoji}", serve: (*Server).deleteEmoji},
}

var emojiName = regexp.MustCompile(`^[A-Za-z0-9_]{2,32}$`)

const (
	maxEmojis    = 2000
	maxEmojiSize = 256 << 10
)

func (s *Server) emojiObject(e *appEmoji) object {
	return object{"id": e.ID, "name": e.Name, "roles": []string{}, "require_colons": true, "managed": false,
		"animated": e.Animated, "available": true, "user": s.w.users[s.appID].User}
}

func (s *Server) listEmojis(c *call) (int, any, error) {
	if err := s.ownApp(c); err != nil {
		return 0, nil, err
	}
	items := []object{}
	for _, id := range sortedIDs(s.w.emojis) {
		items = append(items, s.emojiObject(s.w.emojis[id]))
	}
	return ok(object{"items": items})
}

func (s *Server) findEmoji(c *call) (*appEmoji, error) {
	if err := s.ownApp(c); err != nil {
		return nil, err
	}
	if e := s.w.emojis[c.path("emoji")]; e != nil {
		return e, nil
	}
	return nil, errUnknownEmoji()
}

func (s *Server) getEmoji(c *call) (int, any, error) {
	e, err := s.findEmoji(c)
	if err != nil {
		return 0, nil, err
	}
	return ok(s.emojiObject(e))
}

// readEmojiName checks a name: 2 to 32 letters, digits and underscores, free.
func (s *Server) readEmojiName(v value, self string) string {
	name := v.str(2, 32)
	if name != "" && !emojiName.MatchString(name) {
		v.fail("STRING_TYPE_REGEX", "String value did not match validation regex.")
	}
	for _, e := range s.w.emojis {
		if e.Name == name && e.ID != self {
			v.fail("APPLICATION_EMOJI_NAME_ALREADY_TAKEN", "An emoji of this application has this name already")
		}
	}
	return name
}

func (s *Server) createEmoji(c *call) (int, any, error) {
	if err := s.ownApp(c); err != nil {
		return 0, nil, err
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	e := &appEmoji{}
	var content []byte
	if v.object("name", "image") {
		e.Name = s.readEmojiName(v.get("name"), "")
		e.Type, content = readEmojiImage(v.need("image"))
	}
	switch err := v.err(); {
	case err != nil:
		return 0, nil, err
	case len(content) > maxEmojiSize:
		return 0, nil, refuse(400, 0, "File cannot be larger than 256.0 kb.")
	case len(s.w.emojis) >= maxEmojis:
		return 0, nil, errTooManyEmojis()
	}
	e.ID, e.Animated = s.newID(), moves(e.Type, content)
	s.w.emojis[e.ID] = e
	s.putFile(e.ID, content)
	s.save(e)
	s.emojisChanged()
	return http.StatusCreated, s.emojiObject(e), nil
}

// readEmojiImage reads "data:image/png;base64,...". What kind of picture it is, the
// content says and not the address.
func readEmojiImage(v value) (contentType string, content []byte) {
	text, isString := v.raw.(string)
	if !isString {
		if !v.null() {
			v.fail("STRING_TYPE_CONVERT", "Could not interpret %s as string.", show(v.raw))
		}
		return "", nil
	}
	head, data, found := strings.Cut(text, ";base64,")
	declared, isData := strings.CutPrefix(head, "data:")
	content, err := base64.StdEncoding.DecodeString(data)
	bad := !found || !isData || err != nil || !slices.Contains(pictureTypes, declared)
	// A file above the limit is refused for its size, whatever is in it.
	if info, isPicture := readPicture(content); !bad && (isPicture || len(content) > maxEmojiSize) {
		return info.contentType, content
	}
	v.fail("IMAGE_INVALID", "Invalid image data")
	return "", nil
}

func (s *Server) renameEmoji(c *call) (int, any, error) {
	e, err := s.findEmoji(c)
	if err != nil {
		return 0, nil, err
	}
	v, refusal := c.read()
	if refusal != nil {
		return 0, nil, refusal
	}
	name := e.Name
	if v.object("name") && v.get("name").set {
		name = s.readEmojiName(v.get("name"), e.ID)
	}
	if err := v.err(); err != nil {
		return 0, nil, err
	}
	e.Name = name
	s.save(e)
	s.emojisChanged()
	return ok(s.emojiObject(e))
}

func (s *Server) deleteEmoji(c *call) (int, any, error) {
	e, err := s.findEmoji(c)
	if err != nil {
		return 0, nil, err
	}
	delete(s.w.emojis, e.ID)
	s.erase(e)
	s.dropFile(e.ID)
	s.emojisChanged()
	return done()
}

// emojisChanged tells the pages, whose texts may hold the emoji.
func (s *Server) emojisChanged() { s.everyWatcher(Event{Type: EventEmojis}) }

// Emojis are the application's emojis, the oldest first.
func (s *Server) Emojis() []Emoji {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Emoji{}
	for _, id := range sortedIDs(s.w.emojis) {
		e := s.w.emojis[id]
		out = append(out, Emoji{ID: e.ID, Name: e.Name, Animated: e.Animated})
	}
	return out
}
