package server

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"signalbox/engine/draft"
	"signalbox/engine/problem"
)

// archiveWorkflows answers with the drawings of several workflows as they are
// now, one file each. What a graph holds of secrets is their names.
func (s *Server) archiveWorkflows(w http.ResponseWriter, r *http.Request) {
	var ids []uuid.UUID
	for _, text := range strings.Split(r.URL.Query().Get("ids"), ",") {
		id, err := uuid.Parse(text)
		if err != nil {
			s.fail(w, r, problem.New(problem.Invalid, "This is not an id.").At("query.ids", "not readable", "ids with commas between"))
			return
		}
		ids = append(ids, id)
	}
	if ids = unique(ids); len(ids) > draft.BulkMax {
		s.fail(w, r, problem.New(problem.TooMany, "At most %d workflows are taken along at once.", draft.BulkMax))
		return
	}
	packed, err := s.pack(r, ids)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	deedOf(r.Context()).detail = idList(ids)
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="workflows.zip"`)
	_, _ = w.Write(packed) // an error means that the caller has gone
}

func (s *Server) pack(r *http.Request, ids []uuid.UUID) ([]byte, error) {
	var b bytes.Buffer
	z, names := zip.NewWriter(&b), map[string]int{}
	for _, id := range ids {
		d, err := s.config.Drafts.Open(r.Context(), s.current(r).Workspace, id)
		if err != nil {
			return nil, err
		}
		raw, err := d.Graph.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode workflow %s: %w", id, err)
		}
		name := fileName(d.Graph.Name)
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".json", Method: zip.Deflate, Modified: d.Workflow.UpdatedAt})
		if err == nil {
			_, err = f.Write(indented(raw))
		}
		if err != nil {
			return nil, fmt.Errorf("pack workflow %s: %w", id, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack workflows: %w", err)
	}
	return b.Bytes(), nil
}
