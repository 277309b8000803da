package route

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/problem"
)

// Limits of a table.
const (
	RulesMax      = 200 // of one table
	ConditionsMax = 10  // of one rule
	ValueMax      = 200 // characters of a value or a name
)

// AttributeNames are what conditions may ask for, beside labels.<name>.
func AttributeNames() []string {
	return []string{"priority", "kind", "type", "size", "workspace", "workflow", "location"}
}

// Ops are the comparisons of an attribute.
func Ops(attribute string) []string {
	if attribute == "priority" || attribute == "size" {
		return []string{"is", "is_not", "at_least", "at_most"}
	}
	return []string{"is", "is_not", "starts_with", "one_of"}
}

var (
	queueRule = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	labelRule = regexp.MustCompile(`^labels\.[A-Za-z0-9_-]{1,40}$`)
)

// GoodQueue reports whether a text may name a queue.
func GoodQueue(name string) bool {
	if location, at := strings.CutPrefix(name, atPrefix); at {
		return GoodLocation(location)
	}
	return queueRule.MatchString(name)
}

// QueueExpected says what a queue's name looks like.
const QueueExpected = "a small letter, then small letters, digits, - and _, at most 40; or at:<location> for workers at the edge"

// Check lists everything that is wrong with a table, each with its place; nil:
// nothing is. The table of a workspace needs a default.
func (t Table) Check(of string) *problem.Problem {
	var c checker
	if len(t.Rules) > RulesMax {
		c.fault("/rules", fmt.Sprintf("%d rules", len(t.Rules)), "at most "+strconv.Itoa(RulesMax))
	}
	if t.Default != "" && !GoodQueue(t.Default) || t.Default == "" && of == OfWorkspace {
		c.fault("/default", fmt.Sprintf("%.60q cannot be a queue's name", t.Default), QueueExpected)
	}
	ids := map[string]bool{}
	for i, r := range t.Rules {
		at := "/rules/" + strconv.Itoa(i)
		c.rule(at, r)
		if r.Learn == nil || r.Learn.ID == "" {
			continue
		}
		if ids[r.Learn.ID] {
			c.fault(at+"/learn/id", fmt.Sprintf("%.60q is another rule's", r.Learn.ID), "an id of its own, or nothing for a new one")
		}
		ids[r.Learn.ID] = true
	}
	if len(c.fields) == 0 {
		return nil
	}
	p := problem.New(problem.Invalid, "The route table cannot be used as it is.")
	p.Fields = c.fields
	return p
}

type checker struct{ fields []problem.Field }

func (c *checker) fault(at, message, expected string) {
	c.fields = append(c.fields, problem.Field{Location: at, Message: message, Expected: expected})
}

func (c *checker) rule(at string, r Rule) {
	if len([]rune(r.Name)) > ValueMax {
		c.fault(at+"/name", "too long", "at most "+strconv.Itoa(ValueMax)+" characters")
	}
	switch {
	case r.Learn != nil && r.Queue != "":
		c.fault(at+"/queue", "a queue, and others to learn among", "one of the two")
	case r.Learn != nil:
		c.learned(at+"/learn", r.Learn)
	case !GoodQueue(r.Queue):
		c.fault(at+"/queue", fmt.Sprintf("%.60q cannot be a queue's name", r.Queue), QueueExpected)
	}
	if _, ok := Priority(r.Priority); !ok {
		c.fault(at+"/priority", fmt.Sprintf("%.60q is no priority", r.Priority), "critical, high, normal, low, a number from 0 to 10, or nothing")
	}
	if len(r.When) == 0 || len(r.When) > ConditionsMax {
		c.fault(at+"/when", fmt.Sprintf("%d conditions", len(r.When)), "1 to "+strconv.Itoa(ConditionsMax)+"; what matches everything is the default")
	}
	for i, w := range r.When {
		c.condition(at+"/when/"+strconv.Itoa(i), w)
	}
}

func (c *checker) condition(at string, w Condition) {
	if !slices.Contains(AttributeNames(), w.Attribute) && !labelRule.MatchString(w.Attribute) {
		c.fault(at+"/attribute", fmt.Sprintf("%.60q is no attribute of a task", w.Attribute), strings.Join(AttributeNames(), ", ")+" or labels.<name>")
		return
	}
	if ops := Ops(w.Attribute); !slices.Contains(ops, w.Op) {
		c.fault(at+"/op", fmt.Sprintf("%.60q does not compare %s", w.Op, w.Attribute), strings.Join(ops, ", "))
	}
	if len([]rune(w.Value)) > ValueMax {
		c.fault(at+"/value", "too long", "at most "+strconv.Itoa(ValueMax)+" characters")
		return
	}
	switch w.Attribute {
	case "priority":
		if _, ok := Priority(w.Value); !ok || w.Value == "" {
			c.fault(at+"/value", fmt.Sprintf("%.60q is no priority", w.Value), "critical, high, normal, low, or a number from 0 to 10")
		}
	case "size":
		if _, ok := bytesOf(w.Value); !ok {
			c.fault(at+"/value", fmt.Sprintf("%.60q is no size", w.Value), "a number of bytes, or one with KB, MB or GB")
		}
	default:
		if w.Value == "" && w.Op != "is" && w.Op != "is_not" {
			c.fault(at+"/value", "empty", "a text")
		}
	}
}
