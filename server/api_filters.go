package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/history"
	"signalbox/engine/problem"
)

func (s *Server) registerFilters(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/filters", "List the filters of runs that you kept, and those that the workspace shares"), s.listFilters)
	put := op(http.MethodPost, "/api/filters", "Keep a filter of runs under a name")
	put.DefaultStatus = http.StatusCreated
	on(s, api, put, s.putFilter)
	on(s, api, op(http.MethodDelete, "/api/filters/{id}", "Delete a filter: your own, or as an admin any that is shared"), s.deleteFilter)
	on(s, api, op(http.MethodPut, "/api/filters/{id}/default", "Let your list of runs begin with a filter, or not"), s.defaultFilter)
}

type filterOut struct {
	ID       uuid.UUID  `json:"id"`
	Name     string     `json:"name"`
	Workflow *uuid.UUID `json:"workflow,omitempty"`
	Query    string     `json:"query" doc:"As it stands in the address"`
	Shared   bool       `json:"shared"`
	Own      bool       `json:"own"`
	Default  bool       `json:"default"`
}

func showFilter(f history.Filter, user uuid.UUID) filterOut {
	return filterOut{ID: f.ID, Name: f.Name, Workflow: idSet(f.Workflow), Query: f.Query, Shared: f.Shared, Own: f.User == user, Default: f.Default}
}

type filtersOut struct {
	Filters []filterOut `json:"filters"`
}

func (s *Server) listFilters(ctx context.Context, _ *struct{}) (*body[filtersOut], error) {
	who := identityOf(ctx)
	list, err := s.config.Filters.Filters(ctx, who.Workspace, who.User)
	if err != nil {
		return nil, err
	}
	out := filtersOut{Filters: make([]filterOut, 0, len(list))}
	for _, f := range list {
		out.Filters = append(out.Filters, showFilter(f, who.User))
	}
	return reply(out), nil
}

type filterInput struct {
	Body struct {
		Name     string     `json:"name" maxLength:"200"`
		Query    string     `json:"query" maxLength:"2000" doc:"As it stands in the address of the list of runs: status=failed&source=api"`
		Workflow *uuid.UUID `json:"workflow,omitempty" doc:"For the runs of this workflow only"`
		Shared   bool       `json:"shared,omitempty" doc:"For everybody in the workspace"`
	}
}

func (s *Server) putFilter(ctx context.Context, in *filterInput) (*body[filterOut], error) {
	who := identityOf(ctx)
	f := history.Filter{ID: uuid.Must(uuid.NewV7()), Workspace: who.Workspace, Shared: in.Body.Shared, User: who.User, CreatedAt: s.config.Now().UTC().Truncate(time.Microsecond)}
	if f.Name = strings.Join(strings.Fields(in.Body.Name), " "); f.Name == "" || utf8.RuneCountInString(f.Name) > history.FilterNameMax || strings.ContainsFunc(f.Name, unicode.IsControl) {
		return nil, problem.New(problem.Invalid, "A filter needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", history.FilterNameMax))
	}
	if in.Body.Workflow != nil {
		f.Workflow = *in.Body.Workflow
		if _, err := s.config.Drafts.Workflow(ctx, who.Workspace, f.Workflow); err != nil {
			return nil, err
		}
	}
	var err error
	if f.Query, err = s.cleanQuery(ctx, who, f.Workflow, in.Body.Query); err != nil {
		return nil, err
	}
	if f.Shared && !who.Role.AtLeast(account.Operator) {
		return nil, problem.New(problem.Forbidden, "Sharing a filter needs the role %s; yours is %s.", account.Operator, who.Role)
	}
	have, err := s.config.Filters.Filters(ctx, who.Workspace, who.User)
	if err != nil {
		return nil, err
	}
	if len(have) >= history.FiltersMax {
		return nil, problem.New(problem.TooMany, "There are %d filters here, which is the limit. Delete one first.", history.FiltersMax)
	}
	if err := s.config.Filters.Put(ctx, f); err != nil {
		return nil, err
	}
	return reply(showFilter(f, who.User)), nil
}

// cleanQuery checks a filter and writes it in one order, so that the same
// filter always reads the same.
func (s *Server) cleanQuery(ctx context.Context, who account.Identity, workflow uuid.UUID, text string) (string, error) {
	given, err := url.ParseQuery(text)
	if err != nil {
		return "", problem.New(problem.Invalid, "This is no filter.").At("/query", "not readable", "status=failed&source=api")
	}
	kept := url.Values{}
	for _, name := range runFilters() {
		if v := given.Get(name); v != "" && name != "after" {
			kept.Set(name, v)
		}
	}
	if len(kept) == 0 {
		return "", problem.New(problem.Invalid, "This filter leaves nothing out.").At("/query", "empty", "status=failed&source=api")
	}
	if _, err := s.runQuery(ctx, who.Workspace, workflow, kept); err != nil {
		return "", err
	}
	return kept.Encode(), nil
}

func (s *Server) deleteFilter(ctx context.Context, in *ByID) (*struct{}, error) {
	who := identityOf(ctx)
	return nil, s.config.Filters.Delete(ctx, who.Workspace, in.ID, who.User, who.Role.AtLeast(account.Admin))
}

type defaultInput struct {
	ByID
	Body struct {
		Default bool `json:"default"`
	}
}

func (s *Server) defaultFilter(ctx context.Context, in *defaultInput) (*struct{}, error) {
	who := identityOf(ctx)
	id := in.ID
	if !in.Body.Default {
		id = uuid.Nil
	}
	return nil, s.config.Filters.SetDefault(ctx, who.Workspace, id, who.User)
}
