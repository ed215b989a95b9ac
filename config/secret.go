package config

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what every way of printing a Secret gives.
const hidden = "***"

// A Secret is a text that must never reach a log, an error or a file. However
// it is printed or encoded, "***" comes out; only Reveal gives the text.
//
// The text sits behind a pointer because fmt cannot call methods on a value
// held in somebody else's unexported field: there an address is printed.
type Secret struct {
	text *string
}

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the text. Its only caller should be the code that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsEmpty reports whether there is no text to hide.
func (s Secret) IsEmpty() bool { return s.Reveal() == "" }

// String implements fmt.Stringer.
func (Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return hidden }

// Format implements fmt.Formatter, which outranks every verb and flag.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText implements encoding.TextMarshaler, for encoders other than JSON.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON implements json.Marshaler.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }
