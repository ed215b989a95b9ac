package sandbox

import (
	"fmt"
	"slices"
)

const defaultLocale = "en-US"

// localeNames are the languages of Discord's clients and what each calls itself, in
// the order of Discord's own list.
var localeNames = []struct{ Code, Name string }{
	{"id", "Bahasa Indonesia"}, {"da", "Dansk"}, {"de", "Deutsch"}, {"en-GB", "English, UK"}, {"en-US", "English, US"},
	{"es-ES", "Español"}, {"es-419", "Español, LATAM"}, {"fr", "Français"}, {"hr", "Hrvatski"}, {"it", "Italiano"},
	{"lt", "Lietuviškai"}, {"hu", "Magyar"}, {"nl", "Nederlands"}, {"no", "Norsk"}, {"pl", "Polski"},
	{"pt-BR", "Português do Brasil"}, {"ro", "Română"}, {"fi", "Suomi"}, {"sv-SE", "Svenska"}, {"vi", "Tiếng Việt"},
	{"tr", "Türkçe"}, {"cs", "Čeština"}, {"el", "Ελληνικά"}, {"bg", "български"}, {"ru", "Русский"}, {"uk", "Українська"},
	{"hi", "हिन्दी"}, {"th", "ไทย"}, {"zh-CN", "中文"}, {"ja", "日本語"}, {"zh-TW", "繁體中文"}, {"ko", "한국어"},
	{"he", "עברית"}, {"ar", "العربية"},
}

// localeFallbacks are the languages in which Discord's clients look next for a
// command's words.
var localeFallbacks = map[string]string{"en-US": "en-GB", "en-GB": "en-US", "es-419": "es-ES"}

func knownLocale(code string) bool {
	return slices.ContainsFunc(localeNames, func(l struct{ Code, Name string }) bool { return l.Code == code })
}

func checkLocale(code string) error {
	if !knownLocale(code) {
		return fmt.Errorf("%q is no language of Discord's clients: %w", code, ErrInvalidValue)
	}
	return nil
}

// localized is a text of a command in a language: as translated into it, or into the
// one it falls back to, or as it is.
func localized(text string, translations map[string]string, locale string) string {
	for _, l := range []string{locale, localeFallbacks[locale]} {
		if t := translations[l]; t != "" {
			return t
		}
	}
	return text
}

// SetLocale sets the language of a user's client, en-US at first: one of Discord's
// codes, else [ErrInvalidValue]. It goes along with the user's interactions from then
// on, and the page shows commands in it.
func (s *Server) SetLocale(userID, locale string) error {
	if err := checkLocale(locale); err != nil {
		return err
	}
	return s.onUser(userID, func(u *user) error {
		u.Locale = locale
		s.everyWatcher(Event{Type: EventCommands})
		return nil
	})
}

// Locale is the language of a user's client; en-US for somebody unknown.
func (s *Server) Locale(userID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.w.users[userID]; u != nil && u.Locale != "" {
		return u.Locale
	}
	return defaultLocale
}

// SetGuildLocale sets a guild's preferred language, en-US at first: one of Discord's
// codes, else [ErrInvalidValue]. The bot learns of it by GUILD_UPDATE.
func (s *Server) SetGuildLocale(guildID, locale string) error {
	if err := checkLocale(locale); err != nil {
		return err
	}
	return s.onGuild(guildID, func(g *guild) error {
		if g.locale() == locale {
			return nil
		}
		g.Locale = locale
		s.save(g)
		s.channelsChanged()
		if g.BotIn && !g.Unavailable {
			s.dispatchGuild("GUILD_UPDATE", s.guildObject(g))
		}
		return nil
	})
}

// locale is the guild's language; files of earlier versions name none.
func (g *guild) locale() string {
	if g.Locale == "" {
		return defaultLocale
	}
	return g.Locale
}
