package sandbox

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	_ "image/jpeg" // read by image.DecodeConfig
	_ "image/png"
)

// pictureTypes are the kinds of pictures Discord shows in place, and the only files
// the sandbox serves as what they are.
var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"}

// pictureInfo is what the first bytes of a picture say.
type pictureInfo struct {
	contentType   string
	width, height int // pixels; 0 where the kind does not say it up front
}

// readPicture reads the head of a file. ok is false for what is no picture, whatever
// its name.
func readPicture(content []byte) (info pictureInfo, ok bool) {
	if cfg, kind, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
		return pictureInfo{"image/" + kind, cfg.Width, cfg.Height}, true
	}
	if info, ok := readWebP(content); ok {
		return info, true
	}
	if len(content) >= 12 && string(content[4:8]) == "ftyp" && (string(content[8:12]) == "avif" || string(content[8:12]) == "avis") {
		return pictureInfo{contentType: "image/avif"}, true
	}
	return pictureInfo{}, false
}

// readWebP reads the first chunk of a WebP file: lossy, lossless or extended.
func readWebP(b []byte) (pictureInfo, bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return pictureInfo{}, false
	}
	info := pictureInfo{contentType: "image/webp"}
	switch string(b[12:16]) {
	case "VP8 ":
		if !bytes.Equal(b[23:26], []byte{0x9d, 0x01, 0x2a}) {
			return pictureInfo{}, false
		}
		info.width = int(binary.LittleEndian.Uint16(b[26:])) & 0x3fff
		info.height = int(binary.LittleEndian.Uint16(b[28:])) & 0x3fff
	case "VP8L":
		if b[20] != 0x2f {
			return pictureInfo{}, false
		}
		bits := binary.LittleEndian.Uint32(b[21:])
		info.width, info.height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case "VP8X":
		info.width = int(uint24(b[24:])) + 1
		info.height = int(uint24(b[27:])) + 1
	default:
		return pictureInfo{}, false
	}
	return info, true
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

// moves is whether a picture has more than one frame.
func moves(contentType string, content []byte) bool {
	switch contentType {
	case "image/gif":
		g, err := gif.DecodeAll(bytes.NewReader(content))
		return err == nil && len(g.Image) > 1
	case "image/webp":
		return string(content[12:16]) == "VP8X" && content[20]&0x02 != 0
	case "image/avif":
		return string(content[8:12]) == "avis"
	}
	return false
}
