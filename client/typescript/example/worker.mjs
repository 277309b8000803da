// A worker in JavaScript: it turns text around, word by word.
//
//   npm run build
//   SIGNALBOX_URL=http://127.0.0.1:8080 SIGNALBOX_TOKEN=sb_… node example/worker.mjs

import process from "node:process";
import { Failure, Worker } from "@signalbox/worker";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

const worker = new Worker({
  url: process.env.SIGNALBOX_URL ?? "http://127.0.0.1:8080",
  token: process.env.SIGNALBOX_TOKEN ?? "",
  name: process.env.WORKER_NAME ?? `example-${process.pid}`,
  log: (message) => console.error(message),
});

worker.handle(
  {
    name: "turn_around",
    title: "Turn around",
    description: "Puts the letters of a text the other way round.",
    icon: "undo-2",
    input: {
      type: "object",
      required: ["text"],
      properties: { text: { type: "string", title: "Text" } },
    },
    output: { type: "object", properties: { text: { type: "string" } } },
  },
  async ({ input, progress }) => {
    if (typeof input?.text !== "string")
      throw new Failure("invalid_input", "The input is not {text}.");
    const words = input.text.split(" ").map((word) => [...word].reverse().join(""));
    for (const word of words) progress(`${word} `);
    return { text: words.reverse().join(" ") };
  },
);

await worker.run(stop.signal);
