package storetest

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"paladin/store"
)

func TestMemory(t *testing.T) {
	Run(t, func(t *testing.T) (store.Store, func() store.Store) {
		m := NewMemory()
		t.Cleanup(func() { m.Close() })
		return m, func() store.Store {
			m = m.Reopen()
			return m
		}
	})
}

// TestMemoryAgreesWithItself tests the model test: on two equal stores it must
// find nothing.
func TestMemoryAgreesWithItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := NewMemory()
		Agree(t, m, func() store.Store {
			m = m.Reopen()
			return m
		})
	})
}

// calls are all methods that can be told to fail, in an order in which each of
// them would succeed.
func calls(m *Memory) []func() error {
	ctx := context.Background()
	return []func() error{
		func() error { _, err := m.Commit(ctx, change("t1", 0)); return err },
		func() error { _, err := m.Table(ctx, "t1"); return err },
		func() error { _, _, err := m.TableByChannel(ctx, "c"); return err },
		func() error { _, err := m.TablesByUser(ctx, "ann"); return err },
		func() error { _, err := m.TablesByGuild(ctx, "guild"); return err },
		func() error { return m.LiveTables(ctx, func(string) error { return nil }) },
		func() error { _, err := m.History(ctx, "t1", 0, 0); return err },
		func() error { _, _, err := m.Repeated(ctx, "press"); return err },
		func() error { _, err := m.Enqueue(ctx, "t1", []store.Intent{{Key: "k"}}); return err },
		func() error { _, err := m.Pending(ctx); return err },
		func() error {
			return m.Settle(ctx, store.Settlement{Table: "t1", Put: []store.Surface{{Name: "board", Message: "m"}}})
		},
		func() error { _, _, err := m.Surface(ctx, "t1", "board"); return err },
		func() error { _, err := m.Surfaces(ctx, "t1"); return err },
		func() error { _, _, err := m.SurfaceByMessage(ctx, "m"); return err },
		func() error { _, err := m.Due(ctx, time.Time{}, 0); return err },
		func() error { _, _, err := m.NextDeadline(ctx); return err },
		func() error { _, err := m.User(ctx, "ann"); return err },
		func() error { return m.UpdateUser(ctx, "ann", func(u *store.User) { u.Name = "Ann" }) },
		func() error { return m.Put(ctx, "k", []byte("v")) },
		func() error { _, _, err := m.Get(ctx, "k"); return err },
		func() error { _, err := m.Keys(ctx, "k"); return err },
		func() error { _, err := m.Prune(ctx, time.Time{}); return err },
		func() error { _, err := m.Backup(ctx, io.Discard); return err },
		func() error {
			c := change("t1", 1)
			c.Live, c.Result = false, game("ann", 3, "bob", 2)
			_, err := m.Commit(ctx, c)
			return err
		},
		func() error { _, _, err := m.ResultOf(ctx, "t1"); return err },
		func() error { _, err := m.ResultsByUser(ctx, "ann", 0, 0); return err },
		func() error { _, err := m.ResultsByGuild(ctx, "guild", 0, 0); return err },
		func() error { _, _, err := m.Standing(ctx, "guild", "ann"); return err },
		func() error { _, _, err := m.Standings(ctx, "guild", store.StandingsQuery{}); return err },
		func() error { _, _, err := m.Place(ctx, "guild", "ann", store.ByRating); return err },
		func() error { _, err := m.Export(ctx, "ann", quoteSetting); return err },
		func() error { _, err := m.Forget(ctx, "ann", Erase()); return err },
		func() error { _, err := m.ForgetRest(ctx, Erase()); return err },
	}
}

// TestMemoryFails fails each call once, before and after its work, and looks
// at what was done.
func TestMemoryFails(t *testing.T) {
	for _, fault := range []Fault{Before, After} {
		for n := 1; n <= len(calls(NewMemory())); n++ {
			m, twin := NewMemory(), NewMemory()
			var got []error
			m.FailAt(n, fault)
			for i, call := range calls(m)[:n] {
				got = append(got, call())
				if want := i + 1; m.Calls() != want {
					t.Fatalf("%d calls were counted as %d", want, m.Calls())
				}
			}
			m.Fail(nil)
			done := n
			if fault == Before {
				done--
			}
			for _, call := range calls(twin)[:done] {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(Dump(t, twin), Dump(t, m)); diff != "" {
				t.Errorf("fault %d at call %d left (-want +got):\n%s", fault, n, diff)
			}
			for i, err := range got {
				if failed := errors.Is(err, ErrInjected); failed != (i == n-1) || err != nil && !failed {
					t.Errorf("fault %d at call %d: call %d returned %v", fault, n, i+1, err)
				}
			}
		}
	}
}

// TestMemoryUncertain: a write that was done and not answered says so.
func TestMemoryUncertain(t *testing.T) {
	m := NewMemory()
	m.FailAt(1, After)
	if _, err := m.Commit(t.Context(), change("t1", 0)); !errors.Is(err, store.ErrUncertain) {
		t.Errorf("got error %v, want ErrUncertain", err)
	}
	m.FailAt(2, Before)
	if _, err := m.Commit(t.Context(), change("t1", 1)); errors.Is(err, store.ErrUncertain) {
		t.Errorf("got error %v for a write that did not begin", err)
	}
}
