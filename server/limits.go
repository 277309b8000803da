package server

import (
	"net/http"
	"time"

	"github.com/go-chi/httprate"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// Rates. A person or a program below them never notices. Programs on this
// machine itself are slowed down only when they log in or guess.
const (
	loginsPerMinute    = 5      // of one account from one address
	guestsPerMinute    = 300    // pages without login, from one address
	membersPerMinute   = 3_000  // requests of one user or token
	workersPerMinute   = 60_000 // questions of one token that a worker works with
	hooksPerMinute     = 60_000
	socketsPerMinute   = 120 // new websockets from one address
	strangersPerMinute = 30  // share links that are not there, from one address
	guestRunsPerMinute = 10  // runs that one address starts through one link
	shareRunsPerMinute = 60  // runs that all guests start through one link
	rejectedPerMinute  = 60  // wrong signatures and unknown paths from one address
)

// limits are the counters of this server.
type limits struct {
	login     *httprate.RateLimiter
	guests    *httprate.RateLimiter
	members   *httprate.RateLimiter
	workers   *httprate.RateLimiter
	hooks     *httprate.RateLimiter
	sockets   *httprate.RateLimiter
	rejected  *httprate.RateLimiter
	strangers *httprate.RateLimiter
	guestRuns *httprate.RateLimiter
	shareRuns *httprate.RateLimiter
}

func newLimits() limits {
	// Only Retry-After is sent: the other headers would tell a guesser how
	// many tries are left.
	plain := httprate.WithResponseHeaders(httprate.ResponseHeaders{RetryAfter: "Retry-After"})
	limiter := func(n int) *httprate.RateLimiter { return httprate.NewRateLimiter(n, time.Minute, plain) }
	return limits{
		login: limiter(loginsPerMinute), guests: limiter(guestsPerMinute), members: limiter(membersPerMinute), workers: limiter(workersPerMinute),
		hooks: limiter(hooksPerMinute), sockets: limiter(socketsPerMinute), rejected: limiter(rejectedPerMinute),
		strangers: limiter(strangersPerMinute), guestRuns: limiter(guestRunsPerMinute), shareRuns: limiter(shareRunsPerMinute),
	}
}

func (s *Server) limitGuests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.limits.guests.OnLimit(w, r, s.clientIP(r)) {
			s.fail(w, r, problem.New(problem.TooMany, "Too many requests in a minute. Wait a little."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) limitMembers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := s.current(r)
		limiter := s.limits.members
		if who.Role == account.Worker {
			limiter = s.limits.workers
		}
		if !s.fromLoopback(r) && limiter.OnLimit(w, r, who.User.String()+"|"+who.Token.String()) {
			s.fail(w, r, problem.New(problem.TooMany, "Too many requests in a minute. Wait a little."))
			return
		}
		next.ServeHTTP(w, r)
	})
}
