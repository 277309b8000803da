import assert from "node:assert/strict";
import { test } from "node:test";
import { setWords } from "../core/strings.ts";
import { ago } from "./ago.ts";

setWords({
  "time.now": "just now",
  "time.seconds": "{n} s ago",
  "time.minutes": "{n} min ago",
  "time.hours": "{n} h ago",
  "time.days.one": "yesterday",
  "time.days.other": "{n} days ago",
});

// The same cases as the server's TestAgo.
test("the words are those of the server", () => {
  const now = Date.UTC(2026, 4, 4, 12);
  const seconds = [1, 40, 180, 5 * 3600, 30 * 3600, 72 * 3600, 90 * 24 * 3600];
  const words = seconds.map((s) => ago(s * 1000, new Date(now - s * 1000)));
  assert.deepEqual(words, [
    "just now",
    "40 s ago",
    "3 min ago",
    "5 h ago",
    "yesterday",
    "3 days ago",
    "2026-02-03",
  ]);
});
