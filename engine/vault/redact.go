package vault

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// redactMin is the length below which a value is no secret: hiding every
	// "abc" would make outputs useless and say which letters are hidden.
	redactMin = 6
	// redactMax bounds the automaton: patterns of one process.
	redactMax = 20_000
)

// mask stands where a secret was.
const mask = "[redacted]"

// Redactor removes secret values, in every form that they commonly take, from
// bytes that leave the process. It is safe for concurrent use.
type Redactor struct {
	mu       sync.Mutex
	patterns map[string]bool
	machine  atomic.Pointer[automaton]
}

// NewRedactor makes one that knows nothing.
func NewRedactor() *Redactor { return &Redactor{patterns: map[string]bool{}} }

// Add makes the redactor know values.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	grew := false
	for _, v := range values {
		if len(v) < redactMin || r.patterns[v] || len(r.patterns) >= redactMax {
			continue
		}
		for _, form := range forms(v) {
			r.patterns[form] = true
		}
		grew = true
	}
	if grew {
		r.machine.Store(newAutomaton(r.patterns))
	}
}

// Bytes returns the data with every known secret replaced. Data without one is
// returned as it is.
func (r *Redactor) Bytes(data []byte) []byte {
	m := r.machine.Load()
	if m == nil {
		return data
	}
	return m.replace(data)
}

// Text is Bytes for a string.
func (r *Redactor) Text(s string) string {
	m := r.machine.Load()
	if m == nil {
		return s
	}
	return string(m.replace([]byte(s)))
}

// forms lists a value as it is and as encoders write it.
func forms(v string) []string {
	list := []string{
		v,
		hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))),
		url.QueryEscape(v), url.PathEscape(v),
		lowerEscapes(url.QueryEscape(v)), lowerEscapes(url.PathEscape(v)),
	}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if enc.Encode(v) == nil {
			once := strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`)
			list = append(list, once)
		}
	}
	list = append(list, base64Forms(v)...)
	out := list[:0]
	for _, f := range list {
		if len(f) >= redactMin {
			out = append(out, f)
		}
	}
	return out
}

// base64Forms lists what a value looks like inside a longer base64 text: at
// each of three offsets, without the characters that its neighbors change.
func base64Forms(v string) []string {
	var list []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			text := enc.EncodeToString(append(make([]byte, offset), v...))
			first := (offset*8 + 5) / 6 // characters that hold bits of the neighbors before
			last := (offset + len(v)) * 8 / 6
			if last > first {
				list = append(list, text[first:last])
			}
		}
	}
	return list
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// automaton is Aho and Corasick's: it finds all patterns in one pass.
type automaton struct {
	next  []map[byte]int32 // trie
	fail  []int32
	depth []int32
	hit   []int32 // length of the longest pattern that ends here; 0: none
}

func newAutomaton(patterns map[string]bool) *automaton {
	a := &automaton{}
	a.add(0)
	for p := range patterns {
		at := int32(0)
		for i := range len(p) {
			to, ok := a.next[at][p[i]]
			if !ok {
				to = a.add(a.depth[at] + 1)
				a.next[at][p[i]] = to
			}
			at = to
		}
		a.hit[at] = int32(len(p)) //nolint:gosec // bounded by ValueMax
	}
	a.link()
	return a
}

func (a *automaton) add(depth int32) int32 {
	a.next, a.fail = append(a.next, map[byte]int32{}), append(a.fail, 0)
	a.depth, a.hit = append(a.depth, depth), append(a.hit, 0)
	return int32(len(a.next) - 1) //nolint:gosec // bounded by redactMax and ValueMax
}

// link sets where to go on when a character does not fit, level by level.
func (a *automaton) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c, to := range a.next[at] {
			if at != 0 {
				a.fail[to] = a.step(a.fail[at], c)
			}
			a.hit[to] = max(a.hit[to], a.hit[a.fail[to]])
			queue = append(queue, to)
		}
	}
}

func (a *automaton) step(at int32, c byte) int32 {
	for {
		if to, ok := a.next[at][c]; ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = a.fail[at]
	}
}

// replace masks every match; matches that overlap become one mask.
func (a *automaton) replace(data []byte) []byte {
	var out []byte
	at, copied := int32(0), 0 // data[:copied] is in out already
	start, end := -1, -1      // the open match
	flush := func() {
		out = append(append(out, data[copied:start]...), mask...)
		copied, start = end, -1
	}
	for i, c := range data {
		at = a.step(at, c)
		if a.hit[at] == 0 {
			continue
		}
		from := i + 1 - int(a.hit[at])
		if start >= 0 && from > end {
			flush()
		}
		if start < 0 || from < start {
			// A longer match may reach back into what is masked already.
			start = max(from, copied)
		}
		end = i + 1
	}
	if start >= 0 {
		flush()
	}
	if out == nil {
		return data
	}
	return append(out, data[copied:]...)
}
