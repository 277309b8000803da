// Package expr evaluates the expressions and templates of a configuration:
// the Common Expression Language over JSON values, within hard limits.
//
// # Numbers
//
// There is one sort of number, that of JSON: 1 and 1.0 are the same, 5 / 2 is
// 2.5, a whole result is written without a fraction, and type(1) is type(1.5).
// The language itself tells int from double and refuses to mix them; so every
// operator is replaced, once it is parsed, by a function of ours that takes a
// number of any sort, and an argument that must be whole (a place in a text, a
// length) is turned into an int where it is used. Numbers from 2^53 on, which
// a float64 cannot hold one by one, are refused when an expression reads or
// makes one: send them as text.
//
// # What there is
//
// The standard library; optional values (input.?name.orValue("")); strings,
// math, sets, lists, base64, cel.bind and comprehensions with two variables;
// times and durations, with zones as offsets (there is no now()). Of our own:
//
//	json(x)        a value as JSON text
//	parse_json(s)  the value of JSON text
//	text(x)        text as it is, null as nothing, other values as JSON
//	number(x)      the number that a text spells
//	default(x, y)  x, or y where x is missing or null
//
// has(a.b.c) is false, not a failure, also when a.b is missing.
//
// # Limits
//
// Nothing in an expression can reach outside: there is no I/O, no clock, no
// randomness. The package is pure, so time is bounded by cost and size and not
// by a clock; the constants say how far. Objects are walked in the order of
// their names, so that the same values always give the same result.
//
// Values are read in place: an expression that names one field of a large
// input touches that field only. A result can share maps and slices with the
// values that went in, so neither may be changed afterwards.
package expr
