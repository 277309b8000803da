package server

// ForgetLimits starts all counters anew, for tests that ask more than a person would.
func (s *Server) ForgetLimits() { s.limits = newLimits() }
