package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"signalbox/engine/account"
)

// languageCookie holds the language that a person chose.
const (
	languageCookie = "lang"
	languageKept   = 365 * 24 * time.Hour
)

// languageOf is the language that a page is written in: the person's choice,
// else what the browser asks for.
func (s *Server) languageOf(r *http.Request) string {
	if c, err := r.Cookie(languageCookie); err == nil && slices.Contains(s.pages.words.Languages(), c.Value) {
		return c.Value
	}
	return s.pages.words.Pick(r.Header.Get("Accept-Language"))
}

type languageKey struct{}

// speak remembers the language of a request for those who only see its
// context.
func (s *Server) speak(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), languageKey{}, s.languageOf(r))))
	})
}

// languageIn is the language of the request behind a context.
func languageIn(ctx context.Context) string {
	lang, _ := ctx.Value(languageKey{}).(string)
	return lang
}

// setLanguage keeps the choice and goes back to where the person was.
func (s *Server) setLanguage(w http.ResponseWriter, r *http.Request) {
	if !s.parseForm(w, r) {
		return
	}
	if lang := r.PostFormValue("lang"); slices.Contains(s.pages.words.Languages(), lang) {
		s.keepLanguage(w, lang)
		if who := s.current(r); who.Known() {
			if err := s.chooseLanguage(r.Context(), who, lang); err != nil {
				s.fail(w, r, err)
				return
			}
		}
	}
	http.Redirect(w, r, localPath(r.PostFormValue("next")), http.StatusSeeOther)
}

// chooseLanguage keeps the choice with the account.
func (s *Server) chooseLanguage(ctx context.Context, who account.Identity, lang string) error {
	p, err := s.config.Accounts.Preferences(ctx, who)
	if err != nil {
		return err
	}
	p.Language = lang
	return s.config.Accounts.SetPreferences(ctx, who, p)
}

func (s *Server) keepLanguage(w http.ResponseWriter, lang string) {
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: lang, Path: "/", MaxAge: int(languageKept / time.Second),
		Secure: s.scheme == "https", SameSite: http.SameSiteLaxMode, HttpOnly: true,
	})
}
