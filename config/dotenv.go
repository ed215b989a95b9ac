package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/joho/godotenv"
)

const (
	dotenvName     = ".env"
	dotenvBytesMax = 64 << 10
)

// readDotenv returns the variables of the file .env in dir, none if there is no
// such file. The parser's own errors quote the file, tokens included; those
// here give a line number instead.
func readDotenv(dir fs.FS) (map[string]string, error) {
	f, err := dir.Open(dotenvName)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, dotenvBytesMax+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(src) > dotenvBytesMax {
		return nil, fmt.Errorf("%s is larger than %d KiB: it should hold lines of the form NAME=value", dotenvName, dotenvBytesMax>>10)
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return nil, fmt.Errorf("%s is not UTF-8 text: save it again with that encoding", dotenvName)
	}
	return parseDotenv(src)
}

func unreadable(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s cannot be read: %w", dotenvName, err)
}

var validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

func parseDotenv(src []byte) (map[string]string, error) {
	values, err := godotenv.UnmarshalBytes(src)
	if err != nil {
		return nil, fmt.Errorf("%s line %d is not of the form NAME=value: mend it or put # before it", dotenvName, faultyLine(src))
	}
	for name := range values {
		if !validName.MatchString(name) {
			return nil, fmt.Errorf("%s has a line without a proper name before its =: every line is NAME=value or starts with #", dotenvName)
		}
	}
	return values, nil
}

// faultyLine returns the number of the line at which the first statement that
// cannot be parsed begins. A value in quotes may span lines, so a failing
// prefix of the file proves nothing: what counts is the longest good one.
func faultyLine(src []byte) int {
	lines := strings.SplitAfter(string(src), "\n")
	for n := len(lines) - 1; n > 0; n-- {
		if _, err := godotenv.Unmarshal(strings.Join(lines[:n], "")); err == nil {
			return n + 1
		}
	}
	return 1
}
