package server

import (
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// routes is the whole map. Who may use a route stands in access_table.go; a route
// without an entry there keeps the server from starting.
//
// Middleware inside a Group runs after a route was found, so that allow sees
// the route itself and never guesses from the path.
func (s *Server) routes() chi.Router {
	r := chi.NewRouter()
	r.Use(s.identifyRequest, s.logAccess, s.recoverPanic, s.checkHost, s.setHeaders, s.checkText, middleware.GetHead)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed)

	// Machines. No cookie is read here.
	r.Group(func(r chi.Router) {
		r.Use(s.allow)
		r.Get("/healthz", s.healthz)
		r.Get("/readyz", s.readyz)
		r.Get("/metrics", s.metricsPage)
		r.Get("/static/*", s.static)
		r.HandleFunc("/demo/{name}", s.demo)
		r.HandleFunc("/hooks/{path}", s.hook)
		r.Post("/callback/{token}", s.callback)
		r.Get("/ws", s.socket)
	})

	// Share links, as far as it is the same who looks. No cookie is read here.
	r.Group(func(r chi.Router) {
		r.Use(s.sameOrigin, s.limitGuests, s.forgetCookies, s.speak, s.allow, s.record)
		s.shareRoutes(r)
	})

	// People without an account: share links, login, setup.
	r.Group(func(r chi.Router) {
		r.Use(s.sameOrigin, s.limitGuests, s.speak, s.sessions.LoadAndSave, s.identify, s.allow, s.record)
		s.sharePages(r)
		r.Get("/login", s.pageLogin)
		r.Post("/login", s.login)
		r.Post("/language", s.setLanguage)
		r.Get("/setup/{token}", s.pageSetup)
		r.Post("/setup/{token}", s.setup)
		r.Get("/join/{token}", s.pageJoin)
		r.Post("/join/{token}", s.join)
	})

	// Members: pages and the API.
	r.Group(func(r chi.Router) {
		r.Use(s.sameOrigin, s.speak, s.sessions.LoadAndSave, s.identify, s.allow, s.limitMembers, s.record)
		r.Get("/", s.pageGallery)
		r.Get("/w/{id}", s.pageEditor)
		r.Get("/w/{id}/runs", s.pageWorkflowRuns)
		r.Get("/w/{id}/versions", s.pageVersions)
		r.Get("/w/{id}/cases", s.pageCases)
		r.Get("/w/{id}/review", s.pageReview)
		r.Get("/runs", s.pageRuns)
		r.Get("/runs/{id}", s.pageRun)
		r.Get("/queues", s.pageQueues)
		r.Get("/dead-letters", s.pageLetters)
		r.Get("/boards", s.pageBoards)
		r.Get("/inbox", s.pageInbox)
		r.Get("/settings", s.pageSettings)
		r.Get("/settings/members", s.pageMembers)
		r.Get("/settings/workspaces", s.pageWorkspaces)
		r.Post("/workspaces/{id}/enter", s.enterWorkspace)
		r.Get("/settings/audit", s.pageAudit)
		r.Get("/settings/audit/export", s.exportAudit)
		r.Get("/help/keys", s.pageKeys)
		r.Post("/logout", s.logout)
		r.Get("/export/workflows", s.archiveWorkflows)
		r.Post("/import", s.pageImport)
		r.Get("/snippets/{name}/picture", s.snippetPicture)
		s.registerAPI(r)
	})
	return r
}
