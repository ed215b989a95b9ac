// Package bot is the application: it turns what Discord sends into commands of a table, makes them durable, and says what
// happened.
//
// # The path of one press
//
// App.Handle takes an event on the gateway's read loop and only starts work. A press or command becomes a request
// (request.go). What only reads is answered from the store. What changes a table goes onto that table's queue (owner.go): one
// at a time per table, bounded, and never waiting for Discord. There the table decides, and one transaction of the store
// holds the new table, its history, the interaction's id, what is to be said (outbox intents) and when to look again
// (deadlines). When that transaction is on disk the move has happened. Only then the press is answered (answer.go) and the
// outbox (outbox.go, deliver.go) brings boards and DMs up to date. An intent names what to show, not the text: it is rendered
// from the table at the moment it is sent, so that ten refreshes become one and nothing is said that is no longer true.
//
// A crash before the commit: nothing happened, the person presses again. After it: the outbox goes on at the next start.
package bot
