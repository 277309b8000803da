package route

import (
	"fmt"
	"regexp"
	"strings"
)

// Prefixes of the queues that workers of one's own serve. No queue that a
// person names has a colon in it, but for those at a location.
const (
	ownPrefix = "worker:" // of a task type, at any location or at one
	atPrefix  = "at:"     // of the program's own steps, at one location
	atSign    = "@"
	nowhere   = "?" // where tasks wait that ask for a location that no worker can have
)

var locationRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// LocationExpected says what a location looks like.
const LocationExpected = "small letters, digits, - and _, at most 40, for example shop-7"

// GoodLocation reports whether workers can be at a location of that name.
func GoodLocation(name string) bool { return locationRule.MatchString(name) }

// Own is the queue in which tasks of a type wait for workers of one's own.
func Own(taskType string) string { return ownPrefix + taskType }

// OwnAt is Own for tasks that are done at a location only.
func OwnAt(taskType, location string) string {
	if location == "" {
		return Own(taskType)
	}
	return Own(taskType) + atSign + location
}

// At is the queue in which the program's own steps wait for workers at a
// location.
func At(location string) string { return atPrefix + location }

// Located is the queue of external tasks that ask for a location. A location
// that no worker can have does not send them anywhere else: they wait, and the
// warning says why.
func Located(queue, location string) (located, warning string) {
	switch {
	case location == "":
		return queue, ""
	case !GoodLocation(location):
		return queue + atSign + nowhere, fmt.Sprintf("“%s” can be no worker's location, so nobody takes the task. Expected: %s", Unknown(location), LocationExpected)
	}
	return queue + atSign + location, ""
}

// In is the queue as the channel knows it: those of workers of one's own are
// apart for each workspace, so that no worker can be handed another's task.
func In(workspace, queue string) string {
	for _, prefix := range []string{ownPrefix, atPrefix} {
		if name, own := strings.CutPrefix(queue, prefix); own {
			return prefix + workspace + ":" + name
		}
	}
	return queue
}

// IsOwn reports whether workers of one's own serve a queue, and not the
// program's.
func IsOwn(queue string) bool {
	return strings.HasPrefix(queue, ownPrefix) || strings.HasPrefix(queue, atPrefix)
}

// Served says what a worker of one's own has to do, and where it has to be, to
// serve a queue, as people or the channel know it; an empty type: the program's
// own steps, an empty location: anywhere.
func Served(queue string) (taskType, location string) {
	name := queue[strings.LastIndexByte(queue, ':')+1:]
	if strings.HasPrefix(queue, atPrefix) {
		return "", name
	}
	taskType, location, _ = strings.Cut(name, atSign)
	return taskType, location
}
