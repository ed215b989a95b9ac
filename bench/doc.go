// Package bench measures the bot as a whole against a bare discordgo bot, and what it takes up while nothing happens. It holds
// benchmarks only; README.md says how to run them, what came out and how to read it.
package bench
