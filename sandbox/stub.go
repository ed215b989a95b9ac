package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

type core struct{ token, appID string }
type interaction struct{}

func open(cfg Config) (*Server, error)                                                    { return &Server{}, nil }
func (s *Server) handler() http.Handler                                                   { return http.NotFoundHandler() }
func (s *Server) close() error                                                            { return nil }
func (i *Interaction) result() (r Result)                                                 { return }
func (i *Interaction) first(ctx context.Context) (r Result, err error)                    { return }
func (i *Interaction) wait(ctx context.Context) (r Result, err error)                     { return }
func (s *Server) findInteraction(id string) (*Interaction, bool)                          { return nil, false }
func (s *Server) users() []User                                                           { return nil }
func (s *Server) bot() (u User)                                                           { return }
func (s *Server) guildsOf(string) []Guild                                                 { return nil }
func (s *Server) channelsOf(string) ([]Channel, error)                                    { return nil, nil }
func (s *Server) messagesOf(u, c string) ([]Message, error)                               { return nil, nil }
func (s *Server) messageOf(u, c, m string) (r Message, e error)                           { return }
func (s *Server) commandsOf(u, c string) ([]Command, error)                               { return nil, nil }
func (s *Server) pingsOf(string) []Ping                                                   { return nil }
func (s *Server) say(ctx context.Context, u, c, t string) (m Message, e error)            { return }
func (s *Server) dismiss(u, c, m string) error                                            { return nil }
func (s *Server) press(ctx context.Context, u, c, m, id string) (i *Interaction, e error) { return }
func (s *Server) selectValues(ctx context.Context, u, c, m, id string, v []string) (i *Interaction, e error) {
	return
}
func (s *Server) submitModal(ctx context.Context, u, id string, v map[string][]string) (i *Interaction, e error) {
	return
}
func (s *Server) runCommand(ctx context.Context, u, c, n, sub string, o []Option) (i *Interaction, e error) {
	return
}
func (s *Server) autocomplete(ctx context.Context, u, c, n, sub, f string, o []Option) (i []Choice, e error) {
	return
}
func (s *Server) forgePress(ctx context.Context, u, c, m string, t int, id string, v []string) (i *Interaction, e error) {
	return
}
func (s *Server) sendRaw(ctx context.Context, u, c, m string, t int, d json.RawMessage) (i *Interaction, e error) {
	return
}
func (s *Server) subscribe(string) (<-chan Event, func())               { return nil, func() {} }
func (s *Server) addUser(n string, g []string) (u User, e error)        { return }
func (s *Server) addGuild(n string, m []string) (g Guild, e error)      { return }
func (s *Server) addChannel(g, n string, t int) (c Channel, e error)    { return }
func (s *Server) addThread(c, n string) (t Channel, e error)            { return }
func (s *Server) deleteChannel(c string) error                          { return nil }
func (s *Server) deleteMessage(c, m string) error                       { return nil }
func (s *Server) setPermissions(g string, b Permissions) error          { return nil }
func (s *Server) setMemberPermissions(g, u string, b Permissions) error { return nil }
func (s *Server) closeDMs(u string, b bool) error                       { return nil }
func (s *Server) archiveThread(u string, b bool) error                  { return nil }
func (s *Server) lockThread(u string, b bool) error                     { return nil }
func (s *Server) removeMember(g, u string) error                        { return nil }
func (s *Server) addMember(g, u string) error                           { return nil }
func (s *Server) kickBot(g string) error                                { return nil }
func (s *Server) inviteBot(g string) error                              { return nil }
func (s *Server) guildUnavailable(g string, b bool) error               { return nil }
func (s *Server) setLocale(u, l string) error                           { return nil }
func (s *Server) expire()                                               {}
func (s *Server) requestLog() []Request                                 { return nil }
func (s *Server) countedRequests() int                                  { return 0 }
func (s *Server) observe(func(Request)) func()                          { return func() {} }
func (s *Server) setFault(func(Request) *Fault)                         {}
func errorFault(int, int, string) *Fault                                { return nil }
func rateLimitFault(time.Duration, string) *Fault                       { return nil }
func cloudflareFault() *Fault                                           { return nil }
func (s *Server) setFaultDispatch(func(Dispatch) []Dispatch)            {}
func (s *Server) setFaultGateway(func(int) *GatewayFault)               {}
func (s *Server) dropGateway()                                          {}
func (s *Server) closeGateway(int)                                      {}
func (s *Server) sendReconnect()                                        {}
func (s *Server) sendInvalidSession(bool)                               {}
func (s *Server) repeatReady()                                          {}
func (s *Server) redeliver(string) error                                { return nil }
func (s *Server) connections() (int, <-chan struct{})                   { return 0, nil }
