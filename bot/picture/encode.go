package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"sync"
)

// packing is how hard zlib tries. image/png offers its levels 1, 6 and 9 only: the first makes pictures of the table a fifth larger
// than this one, the second takes twice its time.
const packing = 5

// A packer is what a picture is packed with. It is used again, for it is large.
type packer struct {
	zlib *zlib.Writer
	rows []byte
}

var packers = sync.Pool{New: func() any {
	w, err := zlib.NewWriterLevel(nil, packing)
	if err != nil {
		panic("picture: " + err.Error()) // cannot be: the level exists
	}
	return &packer{zlib: w}
}}

// encode writes a PNG: four bits for a pixel if sixteen colours are enough, and eight otherwise. No row is filtered, which suits
// flat colours best.
func encode(img *image.Paletted) ([]byte, error) {
	p := packers.Get().(*packer)
	defer packers.Put(p)
	depth := byte(8)
	if len(img.Palette) <= 16 {
		depth = 4
	}
	p.rows = pack(p.rows[:0], img, depth)

	var out bytes.Buffer
	out.Grow(20 << 10)
	out.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(img.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Rect.Dy()))
	chunk(&out, "IHDR", append(header, depth, 3, 0, 0, 0)) // 3: the pixels are indices into a palette
	chunk(&out, "PLTE", paletteBytes(img.Palette))
	var data bytes.Buffer
	data.Grow(16 << 10)
	p.zlib.Reset(&data)
	if _, err := p.zlib.Write(p.rows); err != nil {
		return nil, err
	}
	if err := p.zlib.Close(); err != nil {
		return nil, err
	}
	chunk(&out, "IDAT", data.Bytes())
	chunk(&out, "IEND", nil)
	return out.Bytes(), nil
}

// pack appends the picture's rows as PNG wants them, each after a byte that says that it is not filtered.
func pack(dst []byte, img *image.Paletted, depth byte) []byte {
	w := img.Rect.Dx()
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride : y*img.Stride+w]
		dst = append(dst, 0)
		if depth == 8 {
			dst = append(dst, row...)
			continue
		}
		for len(row) >= 2 {
			dst = append(dst, row[0]<<4|row[1])
			row = row[2:]
		}
		if len(row) == 1 {
			dst = append(dst, row[0]<<4)
		}
	}
	return dst
}

func paletteBytes(p color.Palette) []byte {
	out := make([]byte, 0, 3*len(p))
	for _, c := range p {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		out = append(out, n.R, n.G, n.B)
	}
	return out
}

// chunk writes one part of a PNG.
func chunk(out *bytes.Buffer, kind string, data []byte) {
	var word [4]byte
	binary.BigEndian.PutUint32(word[:], uint32(len(data)))
	out.Write(word[:])
	sum := crc32.ChecksumIEEE([]byte(kind))
	sum = crc32.Update(sum, crc32.IEEETable, data)
	out.WriteString(kind)
	out.Write(data)
	binary.BigEndian.PutUint32(word[:], sum)
	out.Write(word[:])
}
