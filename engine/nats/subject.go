package nats

import (
	"fmt"
	"strconv"
	"strings"

	"signalbox/engine/task"
)

// token makes one subject token of a name: what has a meaning in subjects or
// in names of consumers is written as =XX.
func token(name string) string {
	if name == "" {
		return "="
	}
	plain := true
	for i := range len(name) {
		plain = plain && tokenByte(name[i])
	}
	if plain {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		if tokenByte(name[i]) {
			b.WriteByte(name[i])
		} else {
			fmt.Fprintf(&b, "=%02X", name[i])
		}
	}
	return b.String()
}

func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// name is the inverse of token.
func name(token string) string {
	if token == "=" {
		return ""
	}
	if !strings.Contains(token, "=") {
		return token
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] == '=' && i+2 < len(token) {
			if v, err := strconv.ParseUint(token[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(token[i])
	}
	return b.String()
}

// taskSubject names one attempt: the server keeps at most one message of it.
func taskSubject(b []byte, t *task.Task) []byte {
	b = append(b, "task."...)
	b = append(append(b, token(t.Workspace)...), '.')
	b = append(append(b, token(t.Queue)...), '.')
	b = append(strconv.AppendInt(b, int64(lane(t.Priority)), 10), '.')
	b = append(append(b, token(t.Run)...), '.')
	b = append(append(b, token(t.Node)...), '.')
	b = append(strconv.AppendInt(b, int64(t.Scope), 10), '.')
	b = append(strconv.AppendInt(b, int64(t.Visit), 10), '.')
	return strconv.AppendInt(b, int64(t.Attempt), 10)
}

// lanes is how many priorities a queue has, each with a consumer of its own.
const lanes = task.Low + 1

func lane(priority int) int { return min(max(priority, task.Critical), task.Low) }

// filter is what the consumer of a queue and priority listens to.
func filter(queue string, prio int) string {
	return "task.*." + token(queue) + "." + strconv.Itoa(prio) + ".>"
}

// durable names that consumer.
func durable(queue string, prio int) string { return token(queue) + "-" + strconv.Itoa(prio) }

// queueOf reads the queue out of a consumer's name.
func queueOf(consumer string) (queue string, ok bool) {
	i := strings.LastIndexByte(consumer, '-')
	if i < 0 {
		return "", false
	}
	prio, err := strconv.Atoi(consumer[i+1:])
	return name(consumer[:i]), err == nil && prio >= 0 && prio < lanes
}

func resultSubject(shard int) string { return "result." + strconv.Itoa(shard) }

// runSubject is the subject of live news of a run.
func runSubject(kind, workspace, run string) string {
	return kind + "." + token(workspace) + "." + token(run)
}
