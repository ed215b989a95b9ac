package store

import (
	"bytes"
)

// salvagedVersion is the version of a table whose record cannot be read. None
// that was counted is as high.
const salvagedVersion = 1 << 32

// salvage makes a row of a table whose record cannot be read from the indexes
// that lead to it, with the record as its snapshot, which nobody can read
// either. So one such record is no more than one such game: it can be set
// aside, which frees its channel and its people.
func (x *tx) salvage(id string, record []byte) Row {
	row := Row{ID: id, Version: salvagedVersion, Snapshot: copyBytes(record), Live: x.in(live).Get([]byte(id)) != nil}
	_ = x.in(channels).ForEach(func(k, v []byte) error {
		if string(v) == id {
			row.Channel = string(k)
		}
		return nil
	})
	pairs := func(b bucket, found func(string)) {
		_ = x.in(b).ForEach(func(k, _ []byte) error {
			if of, table, err := splitPair(k); err == nil && table == id {
				found(of)
			}
			return nil
		})
	}
	pairs(guilds, func(guild string) { row.Guild = guild })
	pairs(seats, func(user string) { row.Users = append(row.Users, user) })
	_ = x.in(deadlines).ForEach(func(k, _ []byte) error {
		if !bytes.Contains(k, []byte(id)) {
			return nil
		}
		if d, err := splitDeadlineKey(k); err == nil && d.Table == id {
			row.Deadlines = append(row.Deadlines, d)
		}
		return nil
	})
	row.Deadlines = DeadlineSet(id, row.Deadlines)
	_ = eachPair(x.in(history), id, func(string, []byte) error { row.Entries++; return nil })
	return row
}
