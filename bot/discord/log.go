package discord

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// logDiscordgo is discordgo's logger for the whole process. It passes on the
// constant format and the kinds of errors, and nothing discordgo formats into
// them: addresses carry interaction tokens, and packets carry everything.
func logDiscordgo(level, _ int, format string, args ...any) {
	var attrs []any
	for _, arg := range args {
		err, ok := arg.(error)
		if !ok {
			continue
		}
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			attrs = append(attrs, "close_code", closed.Code)
		}
	}
	at := slog.LevelDebug
	if level == discordgo.LogError {
		at = slog.LevelInfo
	}
	slog.Log(context.Background(), at, "discordgo: "+shorten(format, 120), attrs...)
}
