package route

import "strings"

// ownPrefix begins the queues of external tasks. No queue that a person names
// has a colon in it.
const ownPrefix = "worker:"

// Own is the queue in which tasks of a type wait for workers of one's own.
func Own(taskType string) string { return ownPrefix + taskType }

// In is the queue as the channel knows it: those of external tasks are apart
// for each workspace, so that no worker can be handed another's task.
func In(workspace, queue string) string {
	if taskType, own := strings.CutPrefix(queue, ownPrefix); own {
		return ownPrefix + workspace + ":" + taskType
	}
	return queue
}

// IsOwn reports whether workers of one's own serve a queue, and not the
// program's.
func IsOwn(queue string) bool { return strings.HasPrefix(queue, ownPrefix) }
