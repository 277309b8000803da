package queue

import "time"

// Circuit holds attempts back while what they call is down. So many failures
// in a row open it; when it has cooled down, one attempt goes to see: its
// success closes the circuit, its failure opens it again.
type Circuit struct {
	failures int
	until    time.Time // open till then; zero: closed
	probe    bool      // the one attempt is out
}

// Trip is when a circuit opens, and for how long.
type Trip struct {
	Name      string
	Threshold int
	Cooldown  time.Duration
}

// held is until when nothing may pass; zero: something may. A probe that is
// out holds everything for as long as it takes: forever is the far future.
func (c *Circuit) held(now time.Time) time.Time {
	switch {
	case c.until.IsZero():
		return time.Time{}
	case c.probe:
		return farFuture
	case now.Before(c.until):
		return c.until
	}
	return time.Time{}
}

var farFuture = time.Unix(1<<40, 0) //nolint:gochecknoglobals // a constant

// pass notes that an attempt goes out.
func (c *Circuit) pass() {
	if !c.until.IsZero() {
		c.probe = true
	}
}

// end takes how an attempt ended. One that was out when the circuit opened
// tells nothing new, but for its success.
func (c *Circuit) end(t Trip, ok, down, probe bool, now time.Time) {
	switch {
	case ok:
		*c = Circuit{}
	case !down: // it answered, if only with a no
		if probe || c.until.IsZero() {
			*c = Circuit{}
		}
	case probe || c.until.IsZero():
		c.failures++
		if probe || c.failures >= t.Threshold {
			c.until, c.probe = now.Add(t.Cooldown), false
		}
	}
}

// Down reports whether a class of error says that the other side does not
// work, as opposed to that it does not like what it got.
func Down(class string) bool {
	switch class {
	case "unavailable", "timeout", "rate_limited", "internal":
		return true
	}
	return false
}
