package config_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"paladin/config"
)

func TestSecretNeverPrints(t *testing.T) {
	const text = "hunter2"
	secret := config.NewSecret(text)
	c := config.Config{DiscordToken: secret}
	// The worst holder: fmt cannot call methods on an unexported field.
	holder := struct{ secret config.Secret }{secret}

	var printed []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T", "%10s", "% x"} {
		for _, v := range []any{secret, &secret, c, &c, holder, &holder, []config.Secret{secret}, map[string]config.Secret{"a": secret}} {
			printed = append(printed, fmt.Sprintf(verb, v))
		}
	}
	printed = append(printed, fmt.Sprint(secret), secret.String(), secret.GoString(), fmt.Errorf("token %v: %w", secret, errors.New("x")).Error())
	for _, encode := range []func(any) ([]byte, error){json.Marshal, xml.Marshal} {
		out, err := encode(struct{ Token config.Secret }{secret})
		if err == nil {
			printed = append(printed, string(out))
		}
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("start", "token", secret, "config", c, "holder", holder)
	}
	printed = append(printed, log.String())

	for _, p := range printed {
		if strings.Contains(p, text) || strings.Contains(p, fmt.Sprintf("%x", text)) || strings.Contains(p, fmt.Sprintf("%X", text)) {
			t.Errorf("the secret was printed: %s", p)
		}
	}
	if got := fmt.Sprintf("%v", secret); got != "***" {
		t.Errorf("printed as %q, want ***", got)
	}
	if !strings.Contains(log.String(), "token=***") || !strings.Contains(log.String(), `"token":"***"`) {
		t.Errorf("logged as %s", log.String())
	}
	if got := secret.Reveal(); got != text {
		t.Errorf("Reveal = %q", got)
	}
}

func TestZeroSecretIsEmpty(t *testing.T) {
	var zero config.Secret
	if zero.Reveal() != "" || !zero.IsEmpty() || config.NewSecret("x").IsEmpty() {
		t.Error("the zero Secret should be the only empty one here")
	}
}
