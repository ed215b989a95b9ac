package paladin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// What people hand in is read key by key and not into structs: encoding/json takes "Moves" for "moves", lets null pass for
// anything and the last of two equal keys win, so that two readers could see two games in one record.

// members are the keys of a JSON object with their values, in order.
type members []member

type member struct {
	key   string
	value json.RawMessage
}

// find is the first value of key, or nil.
func (ms members) find(key string) json.RawMessage {
	for _, m := range ms {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (ms members) count(key string) (n int) {
	for _, m := range ms {
		if m.key == key {
			n++
		}
	}
	return n
}

// readObject reads data as exactly one JSON object.
func readObject(data []byte) (members, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("not JSON: the text is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if whole[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(whole))
	var ms members
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		ms = append(ms, member{key: key.(string), value: value})
	}
	return ms, nil
}

func readString(raw json.RawMessage) (string, error) {
	var text string
	if len(raw) == 0 || raw[0] != '"' {
		return "", fmt.Errorf("%s is not a text", quote(string(raw)))
	}
	err := json.Unmarshal(raw, &text)
	return text, err
}

// readInt reads a number that is written as a whole one: 3.0 and 3e0 are not.
func readInt(raw json.RawMessage) (int, error) {
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number", quote(string(raw)))
	}
	return n, nil
}

func readList(raw json.RawMessage) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' {
		return nil, fmt.Errorf("%s is not a list", quote(string(raw)))
	}
	err := json.Unmarshal(raw, &list)
	return list, err
}

func readInts(raw json.RawMessage) ([]int, error) {
	list, err := readList(raw)
	if err != nil {
		return nil, err
	}
	ints := make([]int, len(list))
	for i, item := range list {
		if ints[i], err = readInt(item); err != nil {
			return nil, err
		}
	}
	return ints, nil
}

func readStrings(raw json.RawMessage) ([]string, error) {
	list, err := readList(raw)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, item := range list {
		if texts[i], err = readString(item); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func readCardList(raw json.RawMessage) ([]Card, error) {
	texts, err := readStrings(raw)
	if err != nil {
		return nil, err
	}
	cards := make([]Card, len(texts))
	for i, text := range texts {
		if cards[i], err = ParseCard(text); err != nil {
			return nil, err
		}
	}
	return cards, nil
}

// readCards fills cards; the list must be as long.
func readCards(raw json.RawMessage, cards []Card) error {
	list, err := readCardList(raw)
	if err != nil {
		return err
	}
	if len(list) != len(cards) {
		return fmt.Errorf("%d cards where %d belong", len(list), len(cards))
	}
	copy(cards, list)
	return nil
}

// readHonours fills quests; the list must be as long.
func readHonours(raw json.RawMessage, quests []uint8) error {
	list, err := readInts(raw)
	if err != nil {
		return err
	}
	if len(list) != len(quests) {
		return fmt.Errorf("%d quests where %d belong", len(list), len(quests))
	}
	for i, honour := range list {
		if honour < 1 || honour > MaxHonour {
			return fmt.Errorf("a quest of honour %d: it is 1 to %d", honour, MaxHonour)
		}
		quests[i] = uint8(honour)
	}
	return nil
}
