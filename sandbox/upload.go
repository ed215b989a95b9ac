package sandbox

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// upload is one file of a multipart request.
type upload struct {
	field, name, contentType string
	index                    int // n of files[n]
	content                  []byte
}

var fileField = regexp.MustCompile(`^files\[(\d{1,3})\]$`)

// readForm reads payload_json and files[n].
func readForm(r *http.Request) (body []byte, files []upload, err error) {
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, nil, errInvalidJSON()
	}
	bad := &problems{}
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		field := part.FormName()
		m := fileField.FindStringSubmatch(field)
		switch {
		case field == "payload_json":
			body = content
		case m == nil:
			bad.add([]string{field}, "UNKNOWN_FIELD", "This field is not known here")
		case len(content) > maxFileSize:
			return body, files, errTooLarge()
		default:
			f := readFilePart(part, field, content)
			f.index, _ = strconv.Atoi(m[1]) // at most three digits
			files = append(files, f)
		}
	}
	if len(files) > maxFiles {
		bad.add([]string{"files"}, "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	if !bad.empty() {
		return body, files, errForm(bad)
	}
	return body, files, nil
}

func readFilePart(part *multipart.Part, field string, content []byte) upload {
	f := upload{field: field, name: part.FileName(), contentType: part.Header.Get("Content-Type"), content: content}
	if f.contentType == "" || f.contentType == "application/octet-stream" {
		if t := mime.TypeByExtension(path.Ext(f.name)); t != "" {
			f.contentType = t
		} else {
			f.contentType = http.DetectContentType(content)
		}
	}
	return f
}

// safeName is the name Discord keeps of an uploaded file.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if name == "" || strings.Trim(name, ".") == "" {
		return "file"
	}
	return name
}

// attach stores an upload as an attachment of a message in a channel.
func (s *Server) attach(channelID string, f upload, ref *fileRef, ephemeral bool) Attachment {
	name := f.name
	if ref != nil && ref.filename != "" {
		name = ref.filename
	}
	a := Attachment{ID: s.newID(), Filename: safeName(name), ContentType: f.contentType, Size: len(f.content), Ephemeral: ephemeral}
	if ref != nil {
		a.Description = ref.description
	}
	if info, isPicture := readPicture(f.content); isPicture {
		a.Width, a.Height = info.width, info.height
	}
	a.URL = "/attachments/" + channelID + "/" + a.ID + "/" + a.Filename
	a.ProxyURL = a.URL
	s.putFile(a.ID, f.content)
	return a
}

// applyFiles works out the attachments of a message: what the draft keeps of the
// old ones and the uploads. On API 10 an edit's list names all that stay; on 9
// uploads it does not name are added. Without a list all old ones stay.
func (s *Server) applyFiles(c *call, d *draft, channelID string, old []Attachment, ephemeral bool) []Attachment {
	out := []Attachment{}
	if !d.hasFiles {
		out = append(out, old...)
		for _, f := range c.files {
			out = append(out, s.attach(channelID, f, nil, ephemeral))
		}
		return out
	}
	named := map[int]bool{}
	for i := range d.files {
		ref := &d.files[i]
		if f := c.uploadFor(*ref); f != nil {
			named[f.index] = true
			out = append(out, s.attach(channelID, *f, ref, ephemeral))
			continue
		}
		for _, a := range old {
			if a.ID == ref.id {
				if ref.described {
					a.Description = ref.description
				}
				out = append(out, a)
			}
		}
	}
	if !d.kind.edits() || c.api == 9 {
		for _, f := range c.files {
			if !named[f.index] {
				out = append(out, s.attach(channelID, f, nil, ephemeral))
			}
		}
	}
	for _, a := range old {
		if !slices.ContainsFunc(out, func(b Attachment) bool { return b.ID == a.ID }) {
			s.dropFile(a.ID)
		}
	}
	return out
}

func (c *call) uploadFor(ref fileRef) *upload {
	n, isIndex := ref.newFileIndex()
	if !isIndex {
		return nil
	}
	for i := range c.files {
		if c.files[i].index == n {
			return &c.files[i]
		}
	}
	return nil
}

// checkFiles notes attachments that are neither uploaded nor there, too many of
// them, attachment:// addresses that name no file, and files that nobody would see.
func (c *call) checkFiles(d *draft, old []Attachment) {
	names, stay := map[string]bool{}, len(c.files)
	for _, f := range c.files {
		names[safeName(f.name)] = true
	}
	for _, ref := range d.files {
		switch f := c.uploadFor(ref); {
		case f != nil:
			if ref.filename != "" {
				names[safeName(ref.filename)] = true
			}
		case slices.ContainsFunc(old, func(a Attachment) bool { return a.ID == ref.id }):
		default:
			ref.at.get("id").fail("ATTACHMENT_NOT_FOUND", "Attachment data not found")
		}
	}
	for _, a := range old {
		if !d.hasFiles || slices.ContainsFunc(d.files, func(r fileRef) bool { return r.id == a.ID }) {
			names[a.Filename] = true
			stay++
		}
	}
	if stay > maxFiles {
		d.root.get("attachments").length(stay, 0, maxFiles)
	}
	shown := map[string]bool{}
	for _, m := range d.media {
		name := attachmentName(m.raw.(string))
		if shown[name] = true; !names[name] {
			m.fail("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The referenced attachment %q was not found", name)
		}
	}
	if d.v2 {
		c.checkShown(d, shown)
	}
}

// checkShown notes uploads that no component of a V2 message shows. Discord keeps
// such a file where nobody sees it; here it is refused, because whoever sent it meant
// it to be seen.
func (c *call) checkShown(d *draft, shown map[string]bool) {
	for _, f := range c.files {
		name, at := safeName(f.name), d.root.get("attachments")
		for _, ref := range d.files {
			if n, isIndex := ref.newFileIndex(); isIndex && n == f.index {
				at = ref.at
				if ref.filename != "" {
					name = safeName(ref.filename)
				}
			}
		}
		if !shown[name] {
			at.fail("ATTACHMENT_NOT_SHOWN", "No component of this message shows the file %q", name)
		}
	}
}

// resolveMedia replaces attachment:// addresses by those of the attachments. What
// is resolved already it leaves untouched: others may be reading it.
//
// base is the address under which the bot sees the sandbox: a file already on the
// message may be shown by its own address too.
func (s *Server) resolveMedia(list []Component, attachments []Attachment, base string) {
	eachMedia(list, func(m *Media) {
		own := strings.TrimPrefix(m.URL, base)
		if m.ID != "" && m.ProxyURL != "" && attachmentName(m.URL) == "" && own == m.URL {
			return
		}
		name := attachmentName(m.URL)
		for _, a := range attachments {
			if name != "" && a.Filename == name || own == a.URL {
				*m = Media{URL: a.URL, ProxyURL: a.ProxyURL, Width: a.Width, Height: a.Height, ContentType: a.ContentType, AttachmentID: a.ID}
			}
		}
		m.ID, m.ProxyURL = s.newID(), m.URL
	})
	walk(list, func(c *Component) {
		if c.File == nil {
			return
		}
		for _, a := range attachments {
			if a.ID == c.File.AttachmentID && c.Name != a.Filename {
				c.Name, c.Size = a.Filename, a.Size
			}
		}
	})
}

// serveFile serves an uploaded file, as the kind that its name says.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.sendFile(w, r, r.PathValue("id"), mime.TypeByExtension(path.Ext(r.PathValue("name"))))
}

func (s *Server) serveEmoji(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(r.PathValue("name"), ".")
	s.mu.Lock()
	e := s.w.emojis[id]
	s.mu.Unlock()
	if e == nil {
		writeError(w, errNotFound())
		return
	}
	s.sendFile(w, r, id, e.Type)
}

func (s *Server) sendFile(w http.ResponseWriter, _ *http.Request, id, contentType string) {
	s.mu.Lock()
	content, ok := s.files[id]
	closed := s.closed
	s.mu.Unlock()
	if !ok && !closed {
		content = s.db.file(id)
	}
	if content == nil {
		writeError(w, errNotFound())
		return
	}
	// Only pictures are shown by a browser; anything else could be a page that
	// acts in the sandbox's own name.
	if !slices.Contains(pictureTypes, contentType) {
		contentType = "application/octet-stream"
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(content) // a reader who went away needs nothing
}
