package discord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Discord's limits of files, https://discord.com/developers/docs/reference#uploading-files.
// More than MaxFileSize is taken in some guilds, which is not counted on.
const (
	MaxFiles       = 10       // of one message
	MaxFileSize    = 10 << 20 // bytes
	MaxDescription = 1024     // UTF-16 units; longer ones are cut
	maxUpload      = 25 << 20 // bytes of all files of one request
)

// File is a file a message shall have; components refer to it as
// "attachment://" + Name. Names of one message must differ.
type File struct {
	Name        string // ASCII letters, digits, dot, hyphen, underscore; others become underscores
	ContentType string
	Description string // alt text
	// Key stands for the content: files of one name and key are the same file and
	// need no second upload. Empty means that nothing is known of the content.
	Key string
	// Data is only read; it must never change. It may be nil for a file that an
	// edited message has already.
	Data []byte
}

// Attachment is a file that a message has.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Key is that of the File as it was sent. Discord does not know it, so that it
	// is empty in what comes with an interaction.
	Key string `json:"key,omitempty"`
}

// holds reports whether a is the file f. Where the key of a is not known, a name
// that contains the key of f proves it.
func (a Attachment) holds(f *File) bool {
	if f.Key == "" || a.ID == "" || a.Name != fileName(f.Name) {
		return false
	}
	return a.Key == f.Key || a.Key == "" && strings.Contains(a.Name, f.Key)
}

// WithoutFiles reports whether a message that failed with err may be taken
// without its files and the components that show them: they were refused
// (TooLarge, also for every invalid form of a message with files, and for servers
// that take no files), the bot must not attach any here, a filter disliked them,
// or the server broke over them. It is false for messages that had none.
func WithoutFiles(err error) bool {
	var e *Error
	if !errors.As(err, &e) || !e.files {
		return false
	}
	switch e.class() {
	case TooLarge, MissingPermission, Blocked:
		return true
	case Temporary:
		return e.Status >= http.StatusInternalServerError
	}
	return false
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
}

// parcel is a message made ready to be sent.
type parcel struct {
	payload *payload
	uploads []File
	kept    []Attachment
	keys    map[string]string // of all files, by name
	// unclear: an attempt to send it may have taken effect, and which one Discord took last is unknown.
	unclear bool
}

// pack makes m ready: as an edit it keeps what the message has and uploads the
// rest, as a new message it uploads all.
func (m *Message) pack(op string, edit bool) (*parcel, error) {
	p := &parcel{payload: m.payload(edit)}
	for i, component := range m.Components {
		if component == nil {
			return nil, invalid(op, "component %d is nil", i)
		}
	}
	if !edit && len(m.Files) == 0 {
		return p, nil
	}
	p.keys = make(map[string]string, len(m.Files))
	list := make([]attachment, 0, len(m.Files))
	for i := range m.Files {
		f := &m.Files[i]
		name := fileName(f.Name)
		if _, twice := p.keys[name]; twice {
			return nil, invalid(op, "two files are called %s", name)
		}
		p.keys[name] = f.Key
		entry := attachment{ID: strconv.Itoa(len(p.uploads)), Filename: name, Description: cut(f.Description, MaxDescription)}
		if has, ok := m.has(f); ok && edit {
			entry.ID = has.ID
			p.kept = append(p.kept, Attachment{ID: has.ID, Name: name, Key: f.Key})
		} else {
			p.uploads = append(p.uploads, *f)
		}
		list = append(list, entry)
	}
	p.payload.Attachments = &list
	return p, p.check(op)
}

func (m *Message) has(f *File) (Attachment, bool) {
	for _, a := range m.Has {
		if a.holds(f) {
			return a, true
		}
	}
	return Attachment{}, false
}

// check refuses what Discord would refuse after the upload.
func (p *parcel) check(op string) error {
	if n := len(p.uploads) + len(p.kept); n > MaxFiles {
		return invalid(op, "%d files are more than a message may have", n)
	}
	sum := 0
	for i := range p.uploads {
		f := &p.uploads[i]
		if f.Data == nil {
			return invalid(op, "the message does not have the file %s, and there is no data to upload", fileName(f.Name))
		}
		if sum += len(f.Data); len(f.Data) > MaxFileSize || sum > maxUpload {
			return &Error{Op: op, Code: CodeEntityTooLarge, Message: "the files are larger than Discord takes", files: true}
		}
	}
	return nil
}

// stale reports whether err may mean that an attachment p keeps is gone.
func (p *parcel) stale(err error) bool {
	var e *Error
	return len(p.kept) > 0 && errors.As(err, &e) && e.class() != UnknownEmoji &&
		(e.Code == CodeInvalidForm || e.Code == CodeInvalidFile || e.Code == 0 && e.Status == http.StatusBadRequest)
}

// ref reads where a sent message is and what files it has, as far as the answer
// tells. What was kept is there, whether the answer names it or not.
func (p *parcel) ref(w *wireMessage, channel string) MessageRef {
	ref := MessageRef{ID: string(w.ID), Channel: first(w.ChannelID, snowflake(channel))}
	if len(p.keys) == 0 {
		return ref
	}
	ref.Attachments = append(ref.Attachments, p.kept...)
	if p.unclear {
		return ref // what was uploaded twice is there under one of two ids
	}
	for _, a := range w.attachments() {
		key, ours := p.keys[a.Name]
		if ours && !named(ref.Attachments, a.Name) {
			ref.Attachments = append(ref.Attachments, Attachment{ID: a.ID, Name: a.Name, Key: key})
		}
	}
	return ref
}

func named(list []Attachment, name string) bool {
	for _, a := range list {
		if a.Name == name {
			return true
		}
	}
	return false
}

// put makes whole, which contains p's payload, the body of rq, with uploads
// beside it. The bytes are made once, so that a second attempt sends what the
// first sent.
func (rq *request) put(whole any, p *parcel) error {
	rq.files = len(p.uploads)+len(p.kept) > 0
	if err := rq.json(whole); err != nil || len(p.uploads) == 0 {
		return err
	}
	size := len(rq.body) + 1024
	for i := range p.uploads {
		size += len(p.uploads[i].Data) + 512
	}
	buf := bytes.NewBuffer(make([]byte, 0, size))
	w := multipart.NewWriter(buf)
	err := writePart(w, `form-data; name="payload_json"`, rq.contentType, rq.body)
	for i := range p.uploads {
		if f := &p.uploads[i]; err == nil {
			head := fmt.Sprintf(`form-data; name="files[%d]"; filename="%s"`, i, fileName(f.Name))
			err = writePart(w, head, mediaType(f.ContentType), f.Data)
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return invalid(rq.op, "cannot be encoded: %v", err)
	}
	rq.body, rq.contentType = buf.Bytes(), w.FormDataContentType()
	return nil
}

func writePart(w *multipart.Writer, head, kind string, data []byte) error {
	out, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {head}, "Content-Type": {kind}})
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// fileName keeps what is harmless in a header and in an attachment:// address.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "file"
	}
	return clean
}

func mediaType(t string) string {
	if t == "" || strings.ContainsAny(t, "\r\n") {
		return "application/octet-stream"
	}
	return t
}

// cut shortens s to n UTF-16 units, at a rune's border.
func cut(s string, n int) string {
	for at, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:at]
		}
	}
	return s
}

// attachments finds the files of a message. One of Components V2 has them in its
// components alone: its list of attachments is empty.
func (w *wireMessage) attachments() []Attachment {
	var out []Attachment
	var list []struct {
		ID   snowflake `json:"id"`
		Name text      `json:"filename"`
	}
	if len(w.Attachments) > 0 {
		_ = json.Unmarshal(w.Attachments, &list) // odd ones are left out
	}
	for _, a := range list {
		if a.ID != "" && a.Name != "" && !named(out, string(a.Name)) {
			out = append(out, Attachment{ID: string(a.ID), Name: string(a.Name)})
		}
	}
	if !bytes.Contains(w.Components, []byte(`"attachment_id"`)) {
		return out
	}
	var tree any
	numbers := json.NewDecoder(bytes.NewReader(w.Components))
	numbers.UseNumber()
	if numbers.Decode(&tree) == nil {
		findMedia(tree, &out)
	}
	return out
}

// findMedia adds the uploaded media in v, in the order of their components.
func findMedia(v any, out *[]Attachment) {
	switch v := v.(type) {
	case []any:
		for _, child := range v {
			findMedia(child, out)
		}
	case map[string]any:
		if a, ok := uploaded(v); ok && !named(*out, a.Name) {
			*out = append(*out, a)
		}
		for _, key := range []string{"components", "accessory", "items", "media", "file"} {
			findMedia(v[key], out)
		}
	}
}

// uploaded reads a media item that shows an attachment; its address ends with
// the file's name.
func uploaded(media map[string]any) (Attachment, bool) {
	a := Attachment{}
	switch id := media["attachment_id"].(type) {
	case string:
		a.ID = id
	case json.Number:
		a.ID = id.String()
	}
	address, _ := media["url"].(string)
	if u, err := url.Parse(address); err == nil {
		a.Name = path.Base(u.Path)
	}
	return a, isSnowflake(a.ID) && a.Name != "." && a.Name != "/"
}
