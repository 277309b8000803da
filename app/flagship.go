package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/draft"
)

// mainWorkspace is the workspace that every database starts with.
const mainWorkspace = "main"

// flagship is the template that runs from the first minute on.
const flagship = "support-ticket-triage"

// system is the author of what the program itself imports.
func system() draft.Person { return draft.Person{ID: uuid.Nil, Name: "Signalbox"} }

// importFlagship publishes the flagship in a database that has no workflow
// yet, so that the README's first command works at once.
func (a *App) importFlagship(ctx context.Context) error {
	list, err := a.drafts.List(ctx, mainWorkspace, draft.Cursor{}, 1)
	if err != nil {
		return fmt.Errorf("look for workflows: %w", err)
	}
	t, ok := a.gallery.Find(flagship)
	if len(list) > 0 || !ok {
		return nil
	}
	w, err := a.drafts.Create(ctx, mainWorkspace, system(), t.Graph)
	if err != nil {
		return fmt.Errorf("import the first template: %w", err)
	}
	if _, err := a.drafts.Publish(ctx, mainWorkspace, w.ID, system(), draft.Publication{Note: "The template as it came."}); err != nil {
		return fmt.Errorf("publish the first template: %w", err)
	}
	return nil
}
