package pg

import (
	"encoding/binary"
	"iter"
	"time"
)

// Object ids of the types that a turn writes.
const (
	oidBool, oidBytea, oidText, oidJSON     = 16, 17, 25, 114
	oidInt4, oidTimestamptz, oidUUID        = 23, 1184, 2950
	arrayHeader                         int = 20
)

//nolint:gochecknoglobals // a table
var typeNames = map[uint32]string{
	oidBool: "bool", oidBytea: "bytea", oidText: "text", oidJSON: "json", oidInt4: "int4", oidTimestamptz: "timestamptz", oidUUID: "uuid",
}

// column is a one-dimensional array in PostgreSQL's binary form, built in
// place: a turn of hundreds of rows goes out without one allocation a row.
type column struct {
	oid   uint32
	buf   []byte
	n     uint32
	nulls uint32
}

// bufferMax is what a column keeps from one turn to the next; a turn that was
// larger gives its memory back.
const bufferMax = 4 << 20

func (c *column) reset() {
	if cap(c.buf) > bufferMax {
		c.buf = nil
	}
	c.buf = append(c.buf[:0], make([]byte, arrayHeader)...)
	c.n, c.nulls = 0, 0
}

func (c *column) bytes() []byte {
	dims := uint32(1)
	if c.n == 0 {
		dims = 0
	}
	binary.BigEndian.PutUint32(c.buf[0:], dims)
	binary.BigEndian.PutUint32(c.buf[4:], c.nulls)
	binary.BigEndian.PutUint32(c.buf[8:], c.oid)
	if dims == 0 {
		return c.buf[:12]
	}
	binary.BigEndian.PutUint32(c.buf[12:], c.n)
	binary.BigEndian.PutUint32(c.buf[16:], 1)
	return c.buf
}

// values are the elements, null as nil.
func (c *column) values() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := c.buf[arrayHeader:]; len(rest) > 0; {
			size := int32(binary.BigEndian.Uint32(rest)) //nolint:gosec // -1 is null
			rest = rest[4:]
			if size < 0 {
				if !yield(nil) {
					return
				}
				continue
			}
			if !yield(rest[:size:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

func (c *column) add(b []byte) {
	c.n++
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(len(b)))
	c.buf = append(c.buf, b...)
}

func (c *column) addText(s string) {
	c.n++
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(len(s)))
	c.buf = append(c.buf, s...)
}

func (c *column) addInt(v int) {
	c.n++
	c.buf = binary.BigEndian.AppendUint32(c.buf, 4)
	c.buf = binary.BigEndian.AppendUint32(c.buf, uint32(int32(v)))
}

func (c *column) addBool(v bool) {
	c.n++
	c.buf = binary.BigEndian.AppendUint32(c.buf, 1)
	b := byte(0)
	if v {
		b = 1
	}
	c.buf = append(c.buf, b)
}

// addTime writes null for the zero time.
func (c *column) addTime(t time.Time) {
	c.n++
	if t.IsZero() {
		c.nulls = 1
		c.buf = binary.BigEndian.AppendUint32(c.buf, ^uint32(0))
		return
	}
	c.buf = binary.BigEndian.AppendUint32(c.buf, 8)
	c.buf = binary.BigEndian.AppendUint64(c.buf, timestamp(t))
}

// timestamp counts microseconds since 2000, as PostgreSQL does.
func timestamp(t time.Time) uint64 {
	return uint64(t.UnixMicro() - 946_684_800_000_000)
}
