//go:build race

package reference_test

// raceDetector makes everything several times slower: fewer drawings are played
// then, for what is looked for is a difference of meaning, not a race.
const raceDetector = true
