package server

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/learn"
	"signalbox/engine/route"
	"signalbox/engine/routing"
	"signalbox/web/view"
)

// workflowsMax is how many workflows the route table offers to choose from.
const workflowsMax = 200

// routeProps is what the script of the route table gets.
type routeProps struct {
	URL        string    `json:"url"`
	Workflow   string    `json:"workflow"`
	Table      routesOut `json:"table"`
	Queues     []string  `json:"queues"`
	Attributes []string  `json:"attributes"`
	Priorities []string  `json:"priorities"`
	Goals      []string  `json:"goals"`
	LearnedBy  []string  `json:"learned_by"`
}

// pageQueues shows the queues as they are, and a route table.
func (s *Server) pageQueues(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	workflow := uuid.Nil
	data := view.Queues{
		MayHold: who.Role.AtLeast(account.Operator), MayLimit: who.Role.AtLeast(account.Admin), MayRoute: who.Role.AtLeast(account.Admin),
	}
	url := "/api/routes"
	if named := r.URL.Query().Get("workflow"); named != "" {
		id, err := uuid.Parse(named)
		if err != nil {
			s.notFound(w, r)
			return
		}
		wf, err := s.config.Drafts.Workflow(r.Context(), who.Workspace, id)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		workflow, data.Workflow, data.MayRoute = id, &view.Named{ID: id.String(), Name: wf.Name}, who.Role.AtLeast(account.Editor)
		url = "/api/workflows/" + id.String() + "/routes"
	}
	states, err := s.config.Routing.States(r.Context(), who.Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	table, err := s.config.Routing.Table(r.Context(), who.Workspace, workflow)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if data.Letters, err = s.config.Letters.Count(r.Context(), who.Workspace, uuid.Nil); err != nil {
		s.fail(w, r, err)
		return
	}
	list, err := s.config.Drafts.List(r.Context(), who.Workspace, draft.Cursor{}, workflowsMax)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	for _, wf := range list {
		data.Workflows = append(data.Workflows, view.Named{ID: wf.ID.String(), Name: wf.Name})
	}
	props := routeProps{URL: url, Table: showRoutes(table), Attributes: route.AttributeNames(), Priorities: route.Names(), Goals: learn.Goals(), LearnedBy: route.LearnedBy()}
	if data.Workflow != nil {
		props.Workflow = data.Workflow.ID
	}
	workers, err := s.config.Workers.Workers(r.Context(), who.Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	now := s.config.Now()
	for _, one := range workers {
		data.Workers = append(data.Workers, view.Worker{
			Name: one.Worker, Location: one.Location, Types: one.Types, Steps: one.Steps, Alive: one.Alive(now), Left: one.Left, SeenAt: one.SeenAt,
		})
	}
	for _, st := range states {
		row := queueRow(st)
		if row.Own = route.IsOwn(st.Name); row.Own {
			_, row.Location = route.Served(st.Name)
			row.Workers = serving(workers, st.Name, now)
		}
		data.Rows = append(data.Rows, row)
		props.Queues = append(props.Queues, st.Name)
	}
	for _, one := range workers { // where a rule can send steps, too
		if at := route.At(one.Location); one.Steps && !slices.Contains(props.Queues, at) {
			props.Queues = append(props.Queues, at)
		}
	}
	data.Table = props
	rules, err := s.config.Routing.LearnedRules(r.Context(), who.Workspace, workflow)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	data.Learned = view.Learned{At: url + "/learned/", May: data.MayRoute}
	for _, one := range rules {
		data.Learned.Rules = append(data.Learned.Rules, learnedView(one))
	}
	s.show(w, r, view.QueuesPage(s.page(r, "pages.queues.title", "queues"), data))
}

func queueRow(st routing.State) view.Queue {
	c := st.Settings
	return view.Queue{
		Name: st.Name, Revision: st.Revision, Paused: c.Paused, Depth: st.Seen.Depth, Waiting: st.Seen.Waiting, Out: st.Seen.Out, Oldest: st.Seen.Oldest,
		Slots: st.Slots, Concurrency: c.Window(), Rate: c.Rate, Per: c.Per, Fair: c.Fair, Handover: c.Handover, Backlog: c.Backlog, BacklogMost: c.BacklogLimit(),
		Ins: st.Seen.Ins, Outs: st.Seen.Outs, PerSecond: 1 / routing.ReportEvery.Seconds(),
	}
}

func learnedView(r routing.LearnedRule) view.LearnedRule {
	explore := r.Learn.Explore
	if explore == 0 {
		explore = learn.ExploreUsual
	}
	out := view.LearnedRule{
		ID: r.Learn.ID, Number: r.Position + 1, Name: r.Name, Goal: r.Learn.Goal, Explore: explore, Pin: r.Learn.Pin,
		Went: view.Interval(r.Went), All: partView(r.All),
	}
	for i, f := range r.Fixed {
		out.All.Queues[i].Fixed = view.Interval(f.Estimate)
	}
	for _, p := range r.Parts {
		if p.For != "" {
			out.Parts = append(out.Parts, partView(p))
		}
	}
	return out
}

func partView(p routing.LearnedPart) view.LearnedPart {
	out := view.LearnedPart{For: p.For}
	for _, q := range p.Queues {
		out.Queues = append(out.Queues, view.LearnedQueue{Queue: q.Queue, Share: q.Share, Off: q.Off, N: q.N, Seconds: view.Interval(q.Time), Success: view.Interval(q.Success)})
	}
	return out
}
