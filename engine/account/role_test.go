package account_test

import (
	"slices"
	"testing"

	"signalbox/engine/account"
)

func TestRolesIncludeThoseBelowThem(t *testing.T) {
	t.Parallel()
	roles := account.Roles()
	for i, a := range roles {
		for j, b := range roles {
			if got, want := a.AtLeast(b), i <= j; got != want {
				t.Errorf("%s includes %s: %v", a, b, got)
			}
		}
		// A role that this program does not know has no rights and gives none.
		for _, other := range []account.Role{"", "root", "Owner"} {
			if other.AtLeast(a) || a.AtLeast(other) {
				t.Errorf("%q and %s include each other", other, a)
			}
		}
	}
	if !slices.Contains(roles, account.Guest) {
		t.Error("guests have no role")
	}
}
