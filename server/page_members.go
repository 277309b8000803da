package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/account"
	"signalbox/engine/problem"
	"signalbox/web/view"
)

// pageMembers shows who belongs to the workspace, and open invitations.
func (s *Server) pageMembers(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	members, err := s.config.Accounts.Members(r.Context(), who)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	data := view.Members{MayChange: who.Role.AtLeast(account.Admin), MayAudit: who.Role.AtLeast(account.Admin), Roles: rolesBelow(who.Role)}
	for _, m := range members {
		data.Members = append(data.Members, view.Member{
			ID: m.User.String(), Name: m.Name, Email: m.Email, Role: string(m.Role), Since: m.Since,
			You: m.User == who.User, Fixed: !data.MayChange || m.User == who.User || !who.Role.AtLeast(m.Role),
		})
	}
	if data.Review, err = s.config.Reviews.Required(r.Context(), who.Workspace); err != nil {
		s.fail(w, r, err)
		return
	}
	data.MayRule = who.Role.AtLeast(account.Owner)
	if data.MayChange {
		invitations, err := s.config.Accounts.Invitations(r.Context(), who)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		for _, i := range invitations {
			data.Invitations = append(data.Invitations, view.Invitation{ID: i.ID.String(), Role: string(i.Role), Note: i.Note, By: i.ByName, Expires: i.ExpiresAt})
		}
	}
	s.show(w, r, view.MembersPage(s.page(r, "pages.settings.members", "settings"), data))
}

// rolesBelow lists the roles that somebody can give, strongest first.
func rolesBelow(role account.Role) []string {
	var out []string
	for _, r := range account.Roles() {
		if r != account.Guest && role.AtLeast(r) {
			out = append(out, string(r))
		}
	}
	return out
}

// pageJoin shows the form behind an invitation.
func (s *Server) pageJoin(w http.ResponseWriter, r *http.Request) {
	token := chi.URLParam(r, "token")
	i, err := s.config.Accounts.Invited(r.Context(), token)
	p := s.page(r, "pages.join.title", "")
	switch {
	case problem.Of(err) != nil:
		s.render(w, r, http.StatusNotFound, view.JoinPage(p, view.Join{Dead: true}))
	case err != nil:
		s.fail(w, r, err)
	default:
		wrong := strings.TrimPrefix(r.URL.Query().Get("error"), "/")
		s.show(w, r, view.JoinPage(p, view.Join{Token: token, Wrong: wrong, Role: string(i.Role), By: i.ByName}))
	}
}

// join answers the form behind an invitation: it uses the link up and logs the
// new member in.
func (s *Server) join(w http.ResponseWriter, r *http.Request) {
	if !s.parseForm(w, r) {
		return
	}
	token := chi.URLParam(r, "token")
	if s.limits.login.OnLimit(w, r, "join|"+s.clientIP(r)) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many requests in a minute. Wait a little."))
		return
	}
	who, err := s.config.Accounts.Join(r.Context(), token, account.NewOwner{
		Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Password: r.PostFormValue("password"),
	})
	switch p := problem.Of(err); {
	case p != nil && len(p.Fields) > 0:
		deedOf(r.Context()).action = ""
		http.Redirect(w, r, "/join/"+url.PathEscape(token)+"?error="+url.QueryEscape(p.Fields[0].Location), http.StatusSeeOther)
	case err != nil:
		s.fail(w, r, err)
	default:
		deedOf(r.Context()).detail = string(who.Role)
		s.enter(w, r, who, "/")
	}
}
