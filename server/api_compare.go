package server

import (
	"context"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compare"
)

type compareInput struct {
	ByID
	Other uuid.UUID `path:"other" format:"uuid"`
}

type compareOut struct {
	A     runOut        `json:"a"`
	B     runOut        `json:"b"`
	Rows  []compareLine `json:"rows" doc:"In the order in which the first run began its visits; then those of the second run alone"`
	Whole bool          `json:"whole" doc:"false: a run is too long, and only its beginning was compared"`
}

type compareLine struct {
	Node     string       `json:"node"`
	Place    string       `json:"place,omitempty" doc:"The body of a container, by containers, visits and indexes"`
	Visit    int          `json:"visit"`
	A        *compareSide `json:"a,omitempty"`
	B        *compareSide `json:"b,omitempty"`
	SameWay  bool         `json:"same_way"`
	SameData bool         `json:"same_data"`
}

type compareSide struct {
	First    int      `json:"first" doc:"Number of its first event"`
	Last     int      `json:"last"`
	StartMS  float64  `json:"start_ms" doc:"Since the run's first event"`
	TookMS   *float64 `json:"took_ms,omitempty" doc:"Absent: it is not over"`
	Outcome  string   `json:"outcome" enum:"open,done,failed,canceled"`
	Attempts int      `json:"attempts"`
	Ports    []string `json:"ports"`
	Error    string   `json:"error,omitempty"`
	Size     int      `json:"size" doc:"Bytes of its output"`
}

// compareRuns lays two runs of a workspace side by side. They need not be of
// one version: steps are the same by their keys.
func (s *Server) compareRuns(ctx context.Context, in *compareInput) (*body[compareOut], error) {
	workspace := identityOf(ctx).Workspace
	a, err := s.config.History.Run(ctx, workspace, in.ID)
	if err != nil {
		return nil, err
	}
	b, err := s.config.History.Run(ctx, workspace, in.Other)
	if err != nil {
		return nil, err
	}
	rows, whole, err := s.config.History.Compare(ctx, workspace, in.ID, in.Other)
	if err != nil {
		return nil, err
	}
	return reply(compareOut{A: showRun(a), B: showRun(b), Rows: showRows(rows), Whole: whole}), nil
}

func showRows(rows []compare.Row) []compareLine {
	out := make([]compareLine, 0, len(rows))
	beganA, beganB := firstStart(rows, func(r compare.Row) *compare.Visit { return r.A }), firstStart(rows, func(r compare.Row) *compare.Visit { return r.B })
	for _, r := range rows {
		out = append(out, compareLine{
			Node: r.Node, Place: r.Place, Visit: r.Visit, A: sideOf(r.A, beganA), B: sideOf(r.B, beganB), SameWay: r.SameWay(), SameData: r.SameData(),
		})
	}
	return out
}

func firstStart(rows []compare.Row, side func(compare.Row) *compare.Visit) time.Time {
	var first time.Time
	for _, r := range rows {
		if v := side(r); v != nil && (first.IsZero() || v.Began.Before(first)) {
			first = v.Began
		}
	}
	return first
}

func sideOf(v *compare.Visit, start time.Time) *compareSide {
	if v == nil {
		return nil
	}
	out := &compareSide{
		First: v.First, Last: v.Last, StartMS: millis(v.Began.Sub(start)), Outcome: string(v.Outcome), Attempts: v.Attempts,
		Ports: v.Ports, Error: v.Error, Size: v.Output.Size(),
	}
	if out.Ports == nil {
		out.Ports = []string{}
	}
	if !v.Ended.IsZero() {
		took := millis(v.Ended.Sub(v.Began))
		out.TookMS = &took
	}
	return out
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }
