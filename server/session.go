package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// Life of a session.
const (
	sessionIdle     = 12 * time.Hour
	sessionLifetime = 7 * 24 * time.Hour
)

// What a session holds.
const (
	sessionUser      = "user"
	sessionWorkspace = "workspace"
	sessionSince     = "since" // when the person logged in, in microseconds
)

// newSessions makes the manager. The store sees only hashes of tokens.
func newSessions(store scs.CtxStore, secure bool) *scs.SessionManager {
	m := scs.New()
	m.Store = store
	m.IdleTimeout = sessionIdle
	m.Lifetime = sessionLifetime
	m.HashTokenInStore = true
	m.Cookie.Name = "sb"
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.HttpOnly = true
	m.Cookie.Path = "/"
	if secure {
		m.Cookie.Name = "__Host-sb"
		m.Cookie.Secure = true
	}
	return m
}

type identityKey struct{}

// current is who sends the request; its Known method says whether anybody is
// logged in.
func (s *Server) current(r *http.Request) account.Identity { return identityOf(r.Context()) }

// identityOf is who the request behind a context comes from.
func identityOf(ctx context.Context) account.Identity {
	i, _ := ctx.Value(identityKey{}).(account.Identity)
	return i
}

// identify finds out who sends the request: an API token goes before the
// session. A token that is wrong is nobody, never the session's user.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.whoSends(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, who)))
	})
}

func (s *Server) whoSends(r *http.Request) (account.Identity, error) {
	ctx := r.Context()
	if header := r.Header.Get("Authorization"); header != "" {
		token, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			return account.Identity{}, nil
		}
		who, err := s.config.Accounts.ByToken(ctx, token)
		if errors.Is(err, account.ErrNotFound) {
			return account.Identity{}, nil
		}
		return who, err
	}
	id, err := uuid.Parse(s.sessions.GetString(ctx, sessionUser))
	if err != nil {
		return account.Identity{}, nil //nolint:nilerr // no session, or one without a user: nobody
	}
	who, err := s.config.Accounts.Identity(ctx, s.sessions.GetString(ctx, sessionWorkspace), id)
	if errors.Is(err, account.ErrNotFound) { // they have left it; they may belong to others
		who, err = s.config.Accounts.Identity(ctx, "", id)
	}
	if errors.Is(err, account.ErrNotFound) {
		return account.Identity{}, nil
	}
	if s.sessions.GetInt64(ctx, sessionSince) < who.SessionsAfter.UnixMicro() && !who.SessionsAfter.IsZero() {
		return account.Identity{}, nil // the password was changed since
	}
	return who, err
}

// login answers the login form. It always redirects: to where the person
// wanted to go, or back to the form with the name of what went wrong.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if !s.parseForm(w, r) {
		return
	}
	email, next := r.PostFormValue("email"), localPath(r.PostFormValue("next"))
	back := func(why string) {
		http.Redirect(w, r, "/login?error="+why+"&next="+url.QueryEscape(next), http.StatusSeeOther)
	}
	if s.limits.login.OnLimit(w, r, strings.ToLower(strings.TrimSpace(email))+"|"+s.clientIP(r)) {
		deedOf(r.Context()).action = "" // the first refusals are there; a flood must not fill the log
		back("limit")
		return
	}
	who, err := s.config.Accounts.Login(r.Context(), email, r.PostFormValue("password"))
	switch p := problem.Of(err); {
	case p != nil:
		d := deedOf(r.Context())
		d.action, d.detail = "login.failed", email
		back("wrong")
	case err != nil:
		s.fail(w, r, err)
	default:
		s.enter(w, r, who, next)
	}
}

// enter gives the person a new session: the old token is never kept over a
// change of rights.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, who account.Identity, next string) {
	if err := s.sessions.RenewToken(r.Context()); err != nil {
		s.fail(w, r, err)
		return
	}
	s.sessions.Put(r.Context(), sessionUser, who.User.String())
	s.sessions.Put(r.Context(), sessionWorkspace, who.Workspace)
	s.sessions.Put(r.Context(), sessionSince, s.config.Now().UnixMicro())
	deedOf(r.Context()).who = who
	if chosen, err := s.config.Accounts.Preferences(r.Context(), who); err == nil && chosen.Language != "" {
		s.keepLanguage(w, chosen.Language)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// logout ends the session on the server, not only in the browser.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	s.hub.endSession(s.sessionOf(r.Context()))
	if err := s.sessions.Destroy(r.Context()); err != nil {
		s.fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// setup answers the setup form: it uses up the link and makes the owner.
func (s *Server) setup(w http.ResponseWriter, r *http.Request) {
	if !s.parseForm(w, r) {
		return
	}
	token := chi.URLParam(r, "token")
	who, err := s.config.Accounts.Setup(r.Context(), token, account.NewOwner{
		Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Password: r.PostFormValue("password"),
	})
	switch p := problem.Of(err); {
	case p != nil && len(p.Fields) > 0:
		deedOf(r.Context()).action = ""
		http.Redirect(w, r, "/setup/"+url.PathEscape(token)+"?error="+url.QueryEscape(p.Fields[0].Location), http.StatusSeeOther)
	case err != nil:
		s.fail(w, r, err)
	default:
		s.enter(w, r, who, "/")
	}
}

// parseForm reads a small form; it has answered when it returns false.
func (s *Server) parseForm(w http.ResponseWriter, r *http.Request) bool {
	r.Body = http.MaxBytesReader(w, r.Body, formMax)
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, problem.New(problem.Invalid, "The form cannot be read."))
		return false
	}
	return true
}

// formMax is the size of a login or setup form in bytes.
const formMax = 16_384

// sessionOf names the session in the hub without revealing its token.
func (s *Server) sessionOf(ctx context.Context) string {
	if token := s.sessions.Token(ctx); token != "" {
		return hashText(token)
	}
	return ""
}

// localPath returns the path when it stays on this server, else "/". A path
// such as //host or /\host would lead a browser away.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}
