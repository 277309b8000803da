package server

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/engine/problem"
)

// contentPolicy lets a page load only our own files, and no script write HTML
// from text except through the policy sb (web/ui).
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; " +
	"require-trusted-types-for 'script'; trusted-types sb"

// checkText refuses addresses that hold what is no text, or a NUL, which
// PostgreSQL cannot compare with anything.
func (s *Server) checkText(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		good := isText(r.URL.Path)
		if strings.Contains(r.URL.RawQuery, "%") || !isText(r.URL.RawQuery) {
			for name, values := range r.URL.Query() {
				good = good && isText(name) && !slices.ContainsFunc(values, func(v string) bool { return !isText(v) })
			}
		}
		if !good {
			s.fail(w, r, problem.New(problem.Invalid, "The address holds a character that is none: a NUL, or a part of one."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// setHeaders sets what every answer carries. A handler may only make it
// stricter.
func (s *Server) setHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if strings.HasPrefix(s.origin, "https://") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if secretPath(r.URL.Path) {
			// The address itself is the secret. The set-up page keeps the policy
			// of other pages: it names no other site, and with no-referrer a
			// browser sends its form with the origin "null".
			if !strings.HasPrefix(r.URL.Path, "/setup/") {
				h.Set("Referrer-Policy", "no-referrer")
			}
			h.Set("X-Robots-Tag", "noindex, nofollow")
		}
		next.ServeHTTP(w, r)
	})
}

// secretPath reports whether the path holds a token that opens something.
func secretPath(path string) bool {
	return strings.HasPrefix(path, sharedAt) || strings.HasPrefix(path, framedAt) || strings.HasPrefix(path, "/setup/")
}

// forgetCookies makes sure that nothing behind it can act for a person: what
// stands in a frame of another site, or is fetched by it, is the same for all.
func (s *Server) forgetCookies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Cookie")
		r.Header.Del("Authorization")
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses requests for names that are not ours: a page of another
// site whose name was made to point at this machine (DNS rebinding).
func (s *Server) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r.Host) {
			s.fail(w, r, problem.New(problem.Forbidden, "This server does not answer under that name. Set --public-url to the address that people use."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) knownHost(host string) bool {
	return slices.Contains(s.hosts, strings.ToLower(host))
}

// sameOrigin refuses requests that another site makes a browser send. Reads
// pass: without CORS headers no other site can see their answers.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.fromOurPages(r) {
			s.fail(w, r, problem.New(problem.Forbidden, "This request comes from a page of another site."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromOurPages reports whether a request that may change something comes from
// our own pages or from a program. The standard library's check comes first;
// it compares the Origin with the Host only, so the scheme is checked here.
func (s *Server) fromOurPages(r *http.Request) bool {
	if s.crossOrigin.Check(r) != nil {
		return false
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	origins := r.Header.Values("Origin")
	return len(origins) == 0 || len(origins) == 1 && s.ownOrigin(origins[0], r.Host)
}

// ownOrigin reports whether an Origin header names the address that the
// request itself went to.
func (s *Server) ownOrigin(origin, host string) bool {
	return origin == s.scheme+"://"+host && s.knownHost(host)
}
