// The boards' entry: what happened in many runs together, over time.

import { render } from "preact";
import { App } from "./app.tsx";
import { readProps } from "./props.ts";
import { BoardStore } from "./store.ts";
import "./boards.css";

const root = document.getElementById("boards");
if (root !== null) {
  const store = new BoardStore(readProps());
  render(<App store={store} />, root);
  store.start();
}
