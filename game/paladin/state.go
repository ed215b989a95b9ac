package paladin

// A Phase says what kind of move is due.
type Phase uint8

// The phases, in their order within a round.
const (
	PhaseStart   Phase = iota + 1 // the dealer names the start player (R7)
	PhaseLead                     // every player leads one quest (R8)
	PhasePlace                    // peeks and followers (R9, R10)
	PhaseResolve                  // owners decide about their cards (R12)
	PhaseOver                     // R17
)

func (p Phase) String() string { panic("later") }

// A State is a game of Paladin between two moves. It is a value: a plain copy is independent of the original. It holds
// secrets, so it goes to the table's owner and nobody else.
type State struct {
	players uint8
}

// New deals the first round (R4 to R6). The host, seat 0, is the dealer.
func New(players int, deal Deal) (State, error) { panic("later") }

// Apply makes one move, and all that follows from it at once. It answers with the new state and what happened, in order;
// s stays as it is. The error is a *[RuleError].
func (s *State) Apply(m Move) (State, []Event, error) { panic("later") }

// Legal is every legal move once, sorted bytewise by its text.
func (s *State) Legal() []Move { return s.AppendLegal(nil) }

// AppendLegal appends what Legal answers.
func (s *State) AppendLegal(dst []Move) []Move { panic("later") }

// Players is 3, 4 or 5.
func (s *State) Players() int { return int(s.players) }

// Phase says what kind of move is due.
func (s *State) Phase() Phase { panic("later") }

// Round counts from 1; after the end it stays that of the last round.
func (s *State) Round() int { panic("later") }

// Rounds is how many rounds the game has (R17).
func (s *State) Rounds() int { panic("later") }

// Moves is how many moves were made.
func (s *State) Moves() int { panic("later") }

// ToAct is the seat whose move it is; NoSeat after the end.
func (s *State) ToAct() Seat { panic("later") }

// Dealer is who dealt this round.
func (s *State) Dealer() Seat { panic("later") }

// Scores is the honour of each seat (R15).
func (s *State) Scores() []int { panic("later") }

// Winners are the seats with most honour in seat order, several if they share (R17); nil before the end.
func (s *State) Winners() []Seat { panic("later") }

// Over says whether the game has ended.
func (s *State) Over() bool { panic("later") }

// Deck is the deck that is played with. What it consists of is public.
func (s *State) Deck() Deck { panic("later") }

// Check says whether every card of the deck is there exactly once (R18) and the rest of the state fits together. The
// owner of a table calls it before it stores a state; Apply does not.
func (s *State) Check() error { panic("later") }

// Public is what everybody may know (R19).
func (s *State) Public() Public { panic("later") }

// View is what that seat may know: all that is public, the own cards and what it peeked at.
func (s *State) View(seat Seat) View { panic("later") }

// Redeal deals anew everything that viewer cannot know; NoSeat is a spectator. below answers with a random number from 0
// to n-1.
func (s *State) Redeal(viewer Seat, below func(n int) int) State { panic("later") }

// MarshalJSON writes the stored form of the state.
func (s State) MarshalJSON() ([]byte, error) { panic("later") }

// UnmarshalJSON reads the stored form. It refuses anything that is not a state which can be played on.
func (s *State) UnmarshalJSON(data []byte) error { panic("later") }
