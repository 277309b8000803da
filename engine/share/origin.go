package share

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/problem"
)

// hostForm is a host with or without a port. It holds nothing that could end a
// directive of a content policy, and no wildcard.
var hostForm = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$`)

// originsOf checks the pages that may frame a link, and writes them the way
// that browsers compare them.
func originsOf(list []string) ([]string, error) {
	out := []string{}
	for i, text := range list {
		u, err := url.Parse(strings.ToLower(strings.TrimSpace(text)))
		if err != nil || (u.Scheme != "https" && u.Scheme != "http") || !hostForm.MatchString(u.Host) ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, problem.New(problem.Invalid, "This is not the address of a site.").
				At("/origins/"+strconv.Itoa(i), "not an origin", "scheme and host, such as https://example.com")
		}
		out = append(out, u.Scheme+"://"+u.Host)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > OriginsMax {
		return nil, problem.New(problem.Invalid, "At most %d sites may show one link.", OriginsMax).At("/origins", "too many", "fewer sites")
	}
	return out, nil
}
