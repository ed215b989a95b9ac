package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// BackupFile copies the database src, which no process may hold, to the new
// file dst with mode 0600. The copy is on the disk when BackupFile returns nil
// and has its name only from then on. The errors are those of Check, or
// fs.ErrExist if there is something at dst; a database with damaged pages is
// refused with ErrCorrupt: nobody can tell what of it a copy would hold, and a
// bad copy shall not take the place of a good one. That of a newer program is
// copied.
func BackupFile(src, dst string, by Examiner) error {
	if err := backupFile(src, dst, DefaultLockTimeout, by); err != nil {
		return fmt.Errorf("back up database %s: %w", src, err)
	}
	return nil
}

func backupFile(src, dst string, timeout time.Duration, by Examiner) error {
	if err := mustBeFile(src); err != nil {
		return err
	}
	if _, err := os.Lstat(dst); err == nil {
		return exists(dst)
	}
	f, err := openReader(src, timeout)
	if err != nil {
		return err
	}
	defer f.close()
	if err := soundPages(context.Background(), by, src, f.size); err != nil {
		return err
	}
	if _, err := f.schema(); err != nil {
		return err
	}
	_, err = writeNew(dst, func(out *os.File) (string, error) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		return dst, guard(func() error {
			return f.bolt.View(func(t *bolt.Tx) error {
				_, err := t.WriteTo(out)
				return err
			})
		})
	})
	return err
}

// soundPages returns a CorruptError for a file of which pages are damaged.
func soundPages(ctx context.Context, by Examiner, path string, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, examinePatience(size))
	defer cancel()
	found, err := examine(ctx, by, path)
	if errors.Is(err, context.DeadlineExceeded) {
		found, err = endless(size), nil
	}
	if err == nil && len(found.Faults) > 0 {
		err = &CorruptError{Faults: found.Faults}
	}
	return err
}

// endless is what is said of a file whose examination came to no end.
func endless(size int64) Examination {
	return Examination{Faults: []string{
		fmt.Sprintf("its pages cannot be followed: they lead in a circle, or the disk is too slow to read them within %s", examinePatience(size)),
	}}
}

func exists(path string) error {
	return fmt.Errorf("%s: %w; name a new file", path, fs.ErrExist)
}

// partialMark ends the name of a file that is not whole yet.
const partialMark = ".partial"

// writeNew makes a new file beside where near is or would be, with what write
// puts into it: under another name first, then synced, then by the name that
// write returns. It never replaces a file. If it fails it leaves nothing behind.
func writeNew(near string, write func(*os.File) (path string, err error)) (path string, err error) {
	dir := filepath.Dir(near)
	f, err := os.CreateTemp(dir, "."+filepath.Base(near)+".*"+partialMark) // 0600
	if err != nil {
		return "", err
	}
	defer func() {
		_ = f.Close() // harmless if it is closed already
		if rmErr := os.Remove(f.Name()); err == nil && rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = rmErr
		}
	}()
	if path, err = write(f); err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	// A link, unlike a rename, fails if somebody made the file meanwhile. Some
	// file systems have no links.
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return "", exists(path)
	case err != nil:
		if _, err := os.Lstat(path); err == nil {
			return "", exists(path)
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return "", err
		}
	}
	return path, syncDir(dir)
}
