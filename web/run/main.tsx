// The run view's entry: reads the page's island, fetches drawing and
// catalogue, and starts to watch.

import { render } from "preact";
import type { Graph, Spec } from "../core/graph.ts";
import { RunClient } from "../core/run-client.ts";
import type { Comparison } from "../core/run-compare.ts";
import { t } from "../core/strings.ts";
import { App } from "./app.tsx";
import { Icon } from "./icon.tsx";
import { at, call, doors, message } from "./net.ts";
import type { PageProps, PageRun } from "./props.ts";
import { readProps } from "./props.ts";
import "../sharing/sharing.css";
import "./run.css";
import { RunStore } from "./store.ts";

const TICK_MS = 250;

async function begin(root: HTMLElement, props: PageProps): Promise<void> {
  const id = props.run.id;
  const [detail, kinds] = await Promise.all([
    call("GET", `/api/runs/${id}`),
    call("GET", "/api/kinds"),
  ]);
  // The page may have waited: the answer is fresher than its island.
  const run = at(detail, "run") as PageRun;
  const store = new RunStore(
    {
      id,
      status: run.status,
      version: run.version.number,
      created: Date.parse(run.created_at),
      ended: run.ended_at === undefined ? undefined : Date.parse(run.ended_at),
      operates: props.user !== undefined && props.user !== null && props.user.role !== "viewer",
    },
    at(detail, "graph") as Graph,
    at(kinds, "kinds") as readonly Spec[],
  );
  // With another run, or, as a case, with what the draft would do.
  const query = new URLSearchParams(location.search);
  const other = query.get("with");
  const kept = query.get("case");
  if ((other ?? kept) !== null) {
    const [runs, { Compare }] = await Promise.all([
      call(
        "GET",
        other === null ? `/api/cases/${kept}/compare` : `/api/runs/${id}/compare/${other}`,
      ),
      import("./compare.tsx"),
    ]);
    root.replaceChildren();
    render(<Compare store={store} runs={runs as Comparison<PageRun>} />, root);
    return;
  }
  root.replaceChildren();
  render(<App store={store} props={{ ...props, run }} />, root);
  const client = new RunClient(id, doors("/api/ticket", `/api/runs/${id}/events`), store);
  window.addEventListener("online", () => client.wake());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) client.wake();
  });
  setInterval(() => store.tick(), TICK_MS);
  await client.start();
}

function Trouble({ text }: { readonly text: string }) {
  return (
    <main class="run-trouble">
      <div class="empty">
        <span class="tile">
          <Icon name="triangle-alert" />
        </span>
        <h1>{t("run.trouble")}</h1>
        <p>{text}</p>
        <div class="row">
          <button type="button" class="btn pri" onClick={() => location.reload()}>
            {t("run.reload")}
          </button>
          <a class="btn" href="/runs">
            {t("run.all")}
          </a>
        </div>
      </div>
    </main>
  );
}

const root = document.getElementById("run");
const props = readProps<PageProps>();
if (root !== null && props !== undefined) {
  begin(root, props).catch((fault: unknown) => {
    if (root.querySelector(".island-wait")) root.replaceChildren();
    render(<Trouble text={message(fault)} />, root);
  });
}
