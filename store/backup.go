package store

import (
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
// refused with ErrCorrupt, so that a bad copy never takes the place of a good
// one. That of a newer program is copied.
func BackupFile(src, dst string) error {
	if err := backupFile(src, dst, DefaultLockTimeout); err != nil {
		return fmt.Errorf("back up database %s: %w", src, err)
	}
	return nil
}

func backupFile(src, dst string, timeout time.Duration) error {
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
	if faults := walkPages(f.file, f.head, true); len(faults) > 0 {
		return &CorruptError{Faults: faults}
	}
	if _, err := f.schema(); err != nil {
		return err
	}
	return writeNew(dst, func(out *os.File) error {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		return guard(func() error {
			return f.bolt.View(func(t *bolt.Tx) error {
				_, err := t.WriteTo(out)
				return err
			})
		})
	})
}

func exists(path string) error {
	return fmt.Errorf("%s: %w; name a new file", path, fs.ErrExist)
}

// writeNew makes the new file path with what write puts into it: under another
// name first, then synced, then named. It never replaces a file. If it fails
// it leaves nothing behind.
func writeNew(path string, write func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.partial") // 0600
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close() // harmless if it is closed already
		if rmErr := os.Remove(f.Name()); err == nil && rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = rmErr
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// A link, unlike a rename, fails if somebody made the file meanwhile. Some
	// file systems have no links.
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return exists(path)
	case err != nil:
		if _, err := os.Lstat(path); err == nil {
			return exists(path)
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return err
		}
	}
	return syncDir(dir)
}
