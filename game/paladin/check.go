package paladin

// Check says whether every card of the deck is there exactly once (R18) and the rest of the state fits together. The
// owner of a table calls it before it stores a state; Apply does not.
func (s *State) Check() error { return nil }

// Redeal deals anew everything that viewer cannot know; NoSeat is a spectator. below answers with a random number from 0
// to n-1.
func (s *State) Redeal(viewer Seat, below func(n int) int) State { return *s }

// MarshalJSON writes the stored form of the state.
func (s State) MarshalJSON() ([]byte, error) { panic("later") }

// UnmarshalJSON reads the stored form. It refuses anything that is not a state which can be played on.
func (s *State) UnmarshalJSON(data []byte) error { panic("later") }
