package machine

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// MakeEdges writes a rising list of positions as ranges, or, when many gaps
// would make that long, as a bitmap: ten thousand edges fit in 1.7 KB.
func MakeEdges(list []int) Edges {
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(list[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(list[j]))
		}
		i = j + 1
	}
	if b.Len() < 1_000 {
		return Edges(b.String())
	}
	base := list[0]
	set := make([]byte, (list[len(list)-1]-base)/8+1)
	for _, e := range list {
		set[(e-base)/8] |= 1 << ((e - base) % 8)
	}
	if bitmap := fmt.Sprintf("b%d:%s", base, base64.RawStdEncoding.EncodeToString(set)); len(bitmap) < b.Len() {
		return Edges(bitmap)
	}
	return Edges(b.String())
}

// Count is how many positions there are.
func (e Edges) Count() int {
	list, err := e.List()
	if err != nil {
		return 0
	}
	return len(list)
}

// List returns the positions, rising.
func (e Edges) List() ([]int, error) {
	if e == "" {
		return nil, nil
	}
	if rest, ok := strings.CutPrefix(string(e), "b"); ok {
		return bitmapList(rest)
	}
	var list []int
	for part := range strings.SplitSeq(string(e), ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(lo)
		if err != nil {
			return nil, fmt.Errorf("edge list %.40q: %w", e, err)
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(hi); err != nil {
				return nil, fmt.Errorf("edge list %.40q: %w", e, err)
			}
		}
		for ; a <= b; a++ {
			list = append(list, a)
		}
	}
	return list, nil
}

func bitmapList(s string) ([]int, error) {
	at, data, _ := strings.Cut(s, ":")
	base, err := strconv.Atoi(at)
	if err != nil {
		return nil, fmt.Errorf("edge bitmap: %w", err)
	}
	set, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("edge bitmap: %w", err)
	}
	var list []int
	for i := range len(set) * 8 {
		if set[i/8]&(1<<(i%8)) != 0 {
			list = append(list, base+i)
		}
	}
	return list, nil
}
