package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// value is a JSON value on its way through the checks, together with where it
// stands in the body. Its methods note what is wrong and return a zero value;
// whoever started the check looks at the notes at the end.
type value struct {
	raw  any // nil, bool, json.Number, string, []any or map[string]any
	set  bool
	path []string
	all  *problems
}

// decodeBody reads one JSON value and nothing behind it.
func decodeBody(body []byte) (value, *apiError) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var raw any
	if err := d.Decode(&raw); err != nil {
		return value{}, errInvalidJSON()
	}
	if _, err := d.Token(); err != io.EOF {
		return value{}, errInvalidJSON()
	}
	return value{raw: raw, set: true, all: &problems{}}, nil
}

// err is the refusal of the whole body, or nil.
func (v value) err() *apiError {
	if v.all.empty() {
		return nil
	}
	return errForm(v.all)
}

func (v value) fail(code, format string, args ...any) {
	v.all.add(v.path, code, fmt.Sprintf(format, args...))
}

func (v value) null() bool { return !v.set || v.raw == nil }

func (v value) at(key string, raw any, set bool) value {
	return value{raw: raw, set: set, path: append(slices.Clip(v.path), key), all: v.all}
}

// get is a field of an object; unset when it is not there.
func (v value) get(name string) value {
	m, _ := v.raw.(map[string]any)
	raw, set := m[name]
	return v.at(name, raw, set)
}

// need is a field that must be there and must not be null.
func (v value) need(name string) value {
	f := v.get(name)
	if f.null() {
		f.missing()
	}
	return f
}

func (v value) missing() { v.fail("BASE_TYPE_REQUIRED", "This field is required") }

// object notes when v is not an object, and each field that is not known. Discord
// itself passes over most unknown fields; here they are refused, because what is
// passed over in silence is a mistake nobody notices.
func (v value) object(known ...string) bool {
	m, ok := v.raw.(map[string]any)
	if !ok {
		v.fail("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return false
	}
	for key := range m {
		if !slices.Contains(known, key) {
			v.get(key).fail("UNKNOWN_FIELD", "This field is not known here")
		}
	}
	return true
}

// list is the elements of a list of lo to hi; null is an empty list.
func (v value) list(lo, hi int) []value {
	if v.null() {
		if lo > 0 {
			v.missing()
		}
		return nil
	}
	raw, ok := v.raw.([]any)
	if !ok {
		v.fail("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return nil
	}
	v.length(len(raw), lo, hi)
	out := make([]value, len(raw))
	for i, e := range raw {
		out[i] = v.at(strconv.Itoa(i), e, true)
	}
	return out
}

func (v value) length(n, lo, hi int) {
	switch {
	case n >= lo && n <= hi:
	case lo > 0:
		v.fail("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", lo, hi)
	default:
		v.fail("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", hi)
	}
}

// str is a string of lo to hi UTF-16 units; null is the empty string.
func (v value) str(lo, hi int) string {
	if v.null() {
		if lo > 0 {
			v.missing()
		}
		return ""
	}
	s, ok := v.raw.(string)
	if !ok {
		v.fail("STRING_TYPE_CONVERT", "Could not interpret %s as string.", show(v.raw))
		return ""
	}
	v.length(utf16Len(s), lo, hi)
	return s
}

// integer is a whole number of lo to hi; null is 0.
func (v value) integer(lo, hi int64) int64 {
	if v.null() {
		return 0
	}
	n, ok := v.raw.(json.Number)
	if !ok {
		v.fail("NUMBER_TYPE_COERCE", "Value %s is not int.", show(v.raw))
		return 0
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(n.String(), 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			v.fail("NUMBER_TYPE_COERCE", "Value %s is not int.", show(v.raw))
			return 0
		}
		i = int64(f)
	}
	switch {
	case i < lo:
		v.fail("NUMBER_TYPE_MIN", "int value should be greater than or equal to %d.", lo)
	case i > hi:
		v.fail("NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", hi)
	}
	return i
}

// number is any number, or nil for null.
func (v value) number() *float64 {
	if v.null() {
		return nil
	}
	n, ok := v.raw.(json.Number)
	if !ok {
		v.fail("NUMBER_TYPE_COERCE", "Value %s is not float.", show(v.raw))
		return nil
	}
	f, err := n.Float64()
	if err != nil {
		v.fail("NUMBER_TYPE_COERCE", "Value %s is not float.", show(v.raw))
		return nil
	}
	return &f
}

// boolean is true or false; null is false.
func (v value) boolean() bool {
	if v.null() {
		return false
	}
	b, ok := v.raw.(bool)
	if !ok {
		v.fail("BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
	}
	return b
}

// oneOf is a whole number among the given ones.
func (v value) oneOf(allowed ...int64) int64 {
	n := v.integer(math.MinInt64, math.MaxInt64)
	if _, number := v.raw.(json.Number); number && !slices.Contains(allowed, n) {
		v.fail("BASE_TYPE_CHOICES", "Value must be one of {%s}.", join(allowed))
	}
	return n
}

// snowflake is an id, as a string or a whole number; null is empty.
func (v value) snowflake() string {
	if v.null() {
		return ""
	}
	text := ""
	switch raw := v.raw.(type) {
	case string:
		text = raw
	case json.Number:
		text = raw.String()
	}
	if _, err := strconv.ParseUint(text, 10, 63); err != nil {
		v.fail("NUMBER_TYPE_COERCE", "Value %s is not snowflake.", show(v.raw))
		return ""
	}
	return text
}

func join(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ", ")
}

// show is a value for a message, short.
func show(raw any) string {
	b, err := json.Marshal(raw)
	if err != nil {
		return "?"
	}
	if len(b) > 60 {
		return string(b[:57]) + "..."
	}
	return string(b)
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if k := utf16.RuneLen(r); k > 0 {
			n += k
		} else {
			n++
		}
	}
	return n
}
