package server

import (
	"maps"

	"signalbox/engine/account"
)

// accessTable is the one place that says who may do what.
func accessTable() map[string]access {
	table := pageAccess()
	maps.Copy(table, shareAccess())
	maps.Copy(table, folderAccess())
	maps.Copy(table, apiAccess())
	maps.Copy(table, boardAccess())
	maps.Copy(table, queueAccess())
	maps.Copy(table, letterAccess())
	maps.Copy(table, caseAccess())
	maps.Copy(table, importAccess())
	maps.Copy(table, snippetAccess())
	maps.Copy(table, checkpointAccess())
	maps.Copy(table, proposalAccess())
	maps.Copy(table, workspaceAccess())
	maps.Copy(table, talkAccess())
	maps.Copy(table, reviewAccess())
	maps.Copy(table, bulkAccess())
	for route, scope := range scopeTable() {
		a := table[route] // without a row there, no route has it, and checkAccess says so
		a.scope = scope
		table[route] = a
	}
	return table
}

// pageAccess is the part for pages and for machines that bring no token.
func pageAccess() map[string]access {
	anybody := access{}
	local := access{loopback: true}
	viewer := access{role: account.Viewer}
	admin := access{role: account.Admin}
	return map[string]access{
		"GET /healthz":               anybody,
		"GET /readyz":                anybody,
		"GET /metrics":               local,
		"GET /static/*":              anybody,
		"* /demo/{name}":             local,
		"* /hooks/{path}":            anybody, // each webhook checks its own caller
		"POST /callback/{token}":     anybody, // the address is the proof
		"GET /ws":                    anybody, // the first frame carries a ticket
		"GET /login":                 anybody,
		"POST /login":                anybody.as("login"),
		"POST /language":             anybody, // it sets a cookie
		"GET /setup/{token}":         anybody,
		"POST /setup/{token}":        anybody.as("setup"),
		"GET /join/{token}":          anybody,
		"POST /join/{token}":         anybody.as("member.join"),
		"GET /":                      viewer,
		"GET /w/{id}":                viewer,
		"GET /w/{id}/runs":           viewer,
		"GET /w/{id}/versions":       viewer,
		"GET /runs":                  viewer,
		"GET /runs/{id}":             viewer,
		"GET /boards":                viewer,
		"GET /settings":              viewer,
		"GET /settings/members":      viewer,
		"GET /settings/audit":        admin,
		"GET /settings/audit/export": admin.as("audit.export"),
		"GET /help/keys":             viewer,
		"POST /logout":               viewer.as("logout"),
	}
}

// shareAccess is the part for share links: by token, or listed by name.
func shareAccess() map[string]access {
	anybody, editor := access{}, access{role: account.Editor}
	table := map[string]access{"GET /embed/{token}": anybody, "POST /api/shares/preview": editor}
	for _, base := range []string{"/s/{token}", "/p/{slug}"} {
		for _, what := range []string{"", ".svg", ".png", "/badge.svg", "/workflow.json", "/events"} {
			table["GET "+base+what] = anybody
		}
		table["POST "+base+"/ticket"] = anybody
		table["POST "+base+"/sandbox"] = anybody
		table["POST "+base+"/runs"] = anybody.as("share.run")
		table["POST "+base+"/copy"] = editor.as("share.copy")
	}
	return table
}

// apiAccess is the part for the API.
func apiAccess() map[string]access {
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	editor := access{role: account.Editor}
	developer := access{role: account.Developer}
	admin := access{role: account.Admin}
	worker := access{role: account.Worker} // a token for that alone
	return map[string]access{
		"GET /api/openapi.json":                     viewer,
		"GET /api/me":                               viewer,
		"PATCH /api/me":                             viewer, // one's own language and tour
		"POST /api/me/password":                     viewer.as("password.change"),
		"GET /api/members":                          viewer,
		"PATCH /api/members/{id}":                   admin.as("member.role"),
		"DELETE /api/members/{id}":                  admin.as("member.remove"),
		"GET /api/invitations":                      admin,
		"POST /api/invitations":                     admin.as("member.invite"),
		"DELETE /api/invitations/{id}":              admin.as("invitation.revoke"),
		"GET /api/audit":                            admin,
		"GET /api/kinds":                            viewer,
		"POST /api/ticket":                          viewer,
		"GET /api/templates":                        viewer,
		"GET /api/workflows":                        viewer,
		"POST /api/workflows":                       editor,
		"GET /api/workflows/{id}":                   viewer,
		"PATCH /api/workflows/{id}":                 editor,
		"DELETE /api/workflows/{id}":                editor.as("workflow.delete"),
		"GET /api/workflows/{id}/draft":             viewer,
		"GET /api/workflows/{id}/export":            viewer,
		"GET /api/workflows/{id}/ops":               viewer,
		"POST /api/workflows/{id}/ops":              editor,
		"PUT /api/workflows/{id}/camera":            viewer,
		"POST /api/workflows/{id}/publish":          editor.as("workflow.publish"),
		"GET /api/workflows/{id}/versions":          viewer,
		"GET /api/versions/{id}":                    viewer,
		"POST /api/workflows/{id}/runs":             operator.as("run.start"),
		"GET /api/workflows/{id}/samples":           viewer,
		"GET /api/workflows/{id}/ports":             viewer,
		"POST /api/expr/check":                      viewer,
		"GET /api/runs":                             viewer,
		"GET /api/runs/{id}":                        viewer,
		"GET /api/runs/{id}/events":                 viewer,
		"GET /api/runs/{id}/events/{seq}":           viewer,
		"POST /api/runs/{id}/cancel":                operator.as("run.cancel"),
		"POST /api/runs/{id}/signal":                operator.as("run.signal"),
		"POST /api/runs/{id}/decide":                operator.as("run.decide"),
		"POST /api/runs/{id}/callback":              operator.as("run.callback"),
		"POST /api/runs/{id}/pause":                 operator.as("run.pause"),
		"POST /api/runs/{id}/resume":                operator.as("run.resume"),
		"POST /api/runs/{id}/rollback":              operator.as("run.rollback"),
		"POST /api/runs/{id}/resolve":               operator.as("run.resolve"),
		"POST /api/runs/{id}/clock":                 operator.as("run.clock"),
		"POST /api/runs/{id}/arrange":               operator.as("run.arrange"),
		"POST /api/runs/{id}/release":               operator.as("run.release"),
		"POST /api/runs/{id}/retry":                 operator.as("run.retry"),
		"POST /api/runs/{id}/fork":                  operator.as("run.fork"),
		"GET /api/runs/{id}/forks":                  viewer,
		"GET /api/runs/{id}/compare/{other}":        viewer,
		"GET /api/shares":                           viewer,
		"POST /api/shares":                          editor.as("share.create"),
		"DELETE /api/shares/{id}":                   editor.as("share.revoke"),
		"GET /api/credentials":                      editor, // names only, to choose from
		"POST /api/credentials":                     developer.as("credential.set"),
		"DELETE /api/credentials/{id}":              developer.as("credential.delete"),
		"GET /api/workers":                          viewer,
		"DELETE /api/workers/types/{name}":          editor.as("worker.type.forget"),
		"POST /api/worker/announce":                 worker,
		"POST /api/worker/take":                     worker,
		"POST /api/worker/notices":                  worker,
		"POST /api/worker/leave":                    worker,
		"GET /api/worker/leases/{lease}/input":      worker,
		"POST /api/worker/leases/{lease}/heartbeat": worker,
		"POST /api/worker/leases/{lease}/part":      worker,
		"POST /api/worker/leases/{lease}/complete":  worker,
		"POST /api/worker/leases/{lease}/fail":      worker,
		"POST /api/worker/leases/{lease}/release":   worker,
		"GET /api/tokens":                           viewer,                    // one's own
		"POST /api/tokens":                          viewer.as("token.create"), // with at most one's own role
		"DELETE /api/tokens/{id}":                   viewer.as("token.revoke"),
	}
}

// boardAccess is the part for boards.
func boardAccess() map[string]access {
	viewer := access{role: account.Viewer}
	return map[string]access{
		"GET /api/boards/infrastructure": viewer,
		"GET /api/boards/events":         viewer,
		"GET /api/boards/business":       viewer,
		"POST /api/outcomes":             access{role: account.Operator}.as("outcome.tell"),
	}
}

// queueAccess is the part for queues and the routes to them.
func queueAccess() map[string]access {
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	editor := access{role: account.Editor}
	admin := access{role: account.Admin}
	return map[string]access{
		"GET /queues":                       viewer,
		"GET /api/routes":                   viewer,
		"PUT /api/routes":                   admin.as("routes.set"),
		"POST /api/routes/test":             viewer,
		"GET /api/workflows/{id}/routes":    viewer,
		"PUT /api/workflows/{id}/routes":    editor.as("routes.set"),
		"DELETE /api/workflows/{id}/routes": editor.as("routes.remove"),
		"GET /api/queues":                   viewer,

		"GET /api/routes/learned":                               viewer,
		"POST /api/routes/learned/{rule}/forget":                admin.as("routes.forget"),
		"POST /api/routes/learned/{rule}/pin":                   admin.as("routes.pin"),
		"GET /api/workflows/{id}/routes/learned":                viewer,
		"POST /api/workflows/{id}/routes/learned/{rule}/forget": editor.as("routes.forget"),
		"POST /api/workflows/{id}/routes/learned/{rule}/pin":    editor.as("routes.pin"),

		"GET /api/queues/{name}":         viewer,
		"PUT /api/queues/{name}":         admin.as("queue.set"),
		"POST /api/queues/{name}/pause":  operator.as("queue.pause"),
		"POST /api/queues/{name}/resume": operator.as("queue.resume"),
	}
}

// letterAccess is the part for dead letters: who may retry a run may retry them.
func letterAccess() map[string]access {
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	return map[string]access{
		"GET /dead-letters":              viewer,
		"GET /api/dead-letters":          viewer,
		"GET /api/dead-letters/{name}":   viewer,
		"POST /api/dead-letters/retry":   operator.as("letter.retry"),
		"POST /api/dead-letters/discard": operator.as("letter.discard"),
	}
}

// caseAccess is the part for cases: who may publish may keep them, and only who
// answers for the whole may say that they stand before publishing.
func caseAccess() map[string]access {
	viewer := access{role: account.Viewer}
	editor := access{role: account.Editor}
	return map[string]access{
		"GET /w/{id}/cases":                  viewer,
		"GET /api/workflows/{id}/cases":      viewer,
		"POST /api/workflows/{id}/cases":     editor.as("case.add"),
		"PUT /api/workflows/{id}/guard":      access{role: account.Admin}.as("workflow.guard"),
		"POST /api/workflows/{id}/rehearsal": viewer,
		"PATCH /api/cases/{id}":              editor.as("case.rename"),
		"DELETE /api/cases/{id}":             editor.as("case.remove"),
		"GET /api/cases/{id}/compare":        viewer,
		"GET /api/cases/{id}/events/{seq}":   viewer,
	}
}

// bulkAccess is the part for acts on many runs and for filters that choose them. Each run is asked for again
// when its turn comes.
func bulkAccess() map[string]access {
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	return map[string]access{
		"POST /api/bulk/preview":   operator,
		"POST /api/bulk":           operator.as("run.bulk"),
		"GET /api/bulk":            viewer,
		"GET /api/bulk/{id}":       viewer,
		"POST /api/bulk/{id}/stop": operator.as("run.bulk.stop"),

		"GET /api/filters":              viewer,
		"POST /api/filters":             viewer, // one's own; shared ones need more
		"DELETE /api/filters/{id}":      viewer,
		"PUT /api/filters/{id}/default": viewer,
	}
}
