package route

import (
	"fmt"
	"strconv"
	"strings"
)

// Names of the priorities, the most urgent first: the position is the number.
func Names() []string { return []string{"critical", "high", "normal", "low"} }

// Normal is the priority of what names none.
const Normal = 2

// Priority reads a priority from a name (critical, high, normal, low) or a
// number from 0 to 10, 10 the most urgent. Nothing is normal; so is what it
// does not know, and then ok is false.
func Priority(v any) (priority int, ok bool) {
	switch v := v.(type) {
	case nil:
		return Normal, true
	case float64:
		switch {
		case !(v >= 0 && v <= 10):
			return Normal, false
		case v >= 10:
			return 0, true
		case v >= 7:
			return 1, true
		case v >= 4:
			return Normal, true
		}
		return 3, true
	case string:
		for i, name := range Names() {
			if v == name {
				return i, true
			}
		}
		if v == "" {
			return Normal, true
		}
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return Priority(n)
		}
	}
	return Normal, false
}

// unknownMax bounds what is repeated of a priority that nobody understands.
const unknownMax = 40

// Unknown is the text of a priority that Priority did not understand.
func Unknown(v any) string {
	text := fmt.Sprint(v)
	if r := []rune(text); len(r) > unknownMax {
		text = string(r[:unknownMax]) + "…"
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// Warning says what became of such a task; empty for no text.
func Warning(unknown string) string {
	if unknown == "" {
		return ""
	}
	return "“" + unknown + "” is no priority: the task counts as normal, and no rule chose its queue. Expected: critical, high, normal, low, or a number from 0 to 10"
}
