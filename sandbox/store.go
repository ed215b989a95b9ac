package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// store keeps the world in one bbolt file. A nil *store keeps nothing.
type store struct{ db *bbolt.DB }

const (
	storeFormat = "paladin-sandbox-1"
	lockTimeout = 3 * time.Second
)

var buckets = []string{"meta", "users", "guilds", "channels", "messages", "commands", "emojis", "files"}

func openStore(path string) (*store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("open the sandbox's file %s: another process holds it", path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open the sandbox's file %s: its folder does not exist", path)
	case err != nil:
		return nil, fmt.Errorf("open the sandbox's file %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("format"))
		if err != nil {
			return err
		}
		found := string(b.Get([]byte("format")))
		if found == "" {
			if err := b.Put([]byte("format"), []byte(storeFormat)); err != nil {
				return err
			}
		} else if found != storeFormat {
			return fmt.Errorf("its format %q is not %q: another version of the sandbox wrote it", found, storeFormat)
		}
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the sandbox's file %s: %w", path, err), db.Close())
	}
	return &store{db}, nil
}

// change is one write: a nil value deletes.
type change struct {
	bucket, key string
	value       []byte
}

// apply writes all changes or none; they are on the disk when it returns.
func (st *store) apply(changes []change) error {
	if st == nil || len(changes) == 0 {
		return nil
	}
	return st.db.Update(func(tx *bbolt.Tx) error {
		for _, c := range changes {
			b := tx.Bucket([]byte(c.bucket))
			var err error
			if c.value == nil {
				err = b.Delete([]byte(c.key))
			} else {
				err = b.Put([]byte(c.key), c.value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// load reads the whole world but the files.
func (st *store) load(w *world) error {
	return st.db.View(func(tx *bbolt.Tx) error {
		if err := each(tx, "meta", func(m *meta) { w.meta = m }); err != nil {
			return err
		}
		if err := each(tx, "users", func(u *user) { w.users[u.ID] = u }); err != nil {
			return err
		}
		if err := each(tx, "guilds", func(g *guild) { w.guilds[g.ID] = g }); err != nil {
			return err
		}
		if err := each(tx, "channels", func(c *channel) { w.channels[c.ID] = c }); err != nil {
			return err
		}
		if err := each(tx, "commands", func(c *command) { w.commands[c.ID] = c }); err != nil {
			return err
		}
		if err := each(tx, "emojis", func(e *appEmoji) { w.emojis[e.ID] = e }); err != nil {
			return err
		}
		return each(tx, "messages", func(m *message) {
			if c := w.channels[m.ChannelID]; c != nil {
				c.messages = append(c.messages, m)
			}
		})
	})
}

func each[T any](tx *bbolt.Tx, bucket string, add func(*T)) error {
	return tx.Bucket([]byte(bucket)).ForEach(func(key, raw []byte) error {
		v := new(T)
		if err := json.Unmarshal(raw, v); err != nil {
			return fmt.Errorf("%s %s: %w", bucket, key, err)
		}
		add(v)
		return nil
	})
}

// file reads an uploaded file, or nil.
func (st *store) file(key string) []byte {
	if st == nil {
		return nil
	}
	var out []byte
	err := st.db.View(func(tx *bbolt.Tx) error {
		if raw := tx.Bucket([]byte("files")).Get([]byte(key)); raw != nil {
			out = append([]byte{}, raw...)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

func (st *store) close() error {
	if st == nil {
		return nil
	}
	return st.db.Close()
}
