package sandbox

import "encoding/json"

// MarshalJSON writes the fields which Discord always sends for a type of component,
// with null or their default where they are not set.
func (c Component) MarshalJSON() ([]byte, error) {
	type plain Component
	switch c.Type {
	case TypeContainer:
		return json.Marshal(struct {
			plain
			AccentColor *int `json:"accent_color"`
			Spoiler     bool `json:"spoiler"`
		}{plain(c), c.AccentColor, c.Spoiler})
	case TypeThumbnail:
		return json.Marshal(struct {
			plain
			Description *string `json:"description"`
			Spoiler     bool    `json:"spoiler"`
		}{plain(c), orNull(c.Description), c.Spoiler})
	case TypeFile:
		return json.Marshal(struct {
			plain
			Name    *string `json:"name"`
			Size    int     `json:"size"`
			Spoiler bool    `json:"spoiler"`
		}{plain(c), orNull(c.Name), c.Size, c.Spoiler})
	}
	return json.Marshal(plain(c))
}

// MarshalJSON writes a missing description as null.
func (g GalleryItem) MarshalJSON() ([]byte, error) {
	type plain GalleryItem
	return json.Marshal(struct {
		plain
		Description *string `json:"description"`
		Spoiler     bool    `json:"spoiler"`
	}{plain(g), orNull(g.Description), g.Spoiler})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
