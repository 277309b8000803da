// Makes the pictures of the README: node web/e2e/screenshots.mjs [folder]
import { mkdirSync } from "node:fs";
import { becomeOwner, startBrowser, startProgram } from "./program.mjs";

const folder = process.argv[2] ?? "docs/pictures";
mkdirSync(folder, { recursive: true });
const program = await startProgram();
const browser = await startBrowser();
const { page, faults } = await browser.page({ deviceScaleFactor: 1 });

const call = (path, body) =>
  page.evaluate(
    async ([p, b]) => {
      const post = { method: "POST", headers: { "Content-Type": "application/json" } };
      return (await fetch(p, b === null ? {} : { ...post, body: JSON.stringify(b) })).json();
    },
    [path, body ?? null],
  );

/** A published workflow from a template, with a run of its sample. */
async function fromTemplate(template) {
  const { id } = await call("/api/workflows", { template });
  const { seq, graph } = await call(`/api/workflows/${id}/draft`);
  await call(`/api/workflows/${id}/publish`, { seq });
  const { run } = await call(`/api/workflows/${id}/runs`, { input: graph.layout.sample ?? {} });
  return run.id;
}

/** The page in a theme, when nothing moves any more. */
async function show(path, theme) {
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(program.origin + path, { waitUntil: "networkidle" });
  await page.waitForTimeout(600);
}

try {
  await becomeOwner(page, program);
  const { workflows } = await call("/api/workflows");
  const flow = workflows.find((w) => /triage/i.test(w.name));
  for (const template of ["quorum", "pull-request-approval", "deep-research", "incident-runbook"]) await fromTemplate(template);
  const saga = await fromTemplate("order-saga");
  for (const priority of [9, 2, 5]) {
    await fetch(`${program.origin}/hooks/demo-ticket`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ subject: "Payment failed twice", priority }),
    });
  }
  await show(`/w/${flow.id}`, "light");
  await page.locator(".tour").getByRole("button", { name: "Next" }).focus();
  await page.keyboard.press("Escape");
  await page.locator(".tour").waitFor({ state: "detached" });
  await page.locator(".k-card", { hasText: "By priority and type" }).click();
  await page.locator(".ed-titlefield").waitFor();
  await page.mouse.move(700, 760);
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}/editor.png` });
  await show(`/runs/${saga}`, "dark");
  await page.screenshot({ path: `${folder}/run.png` });
  await show("/", "light");
  await page.screenshot({ path: `${folder}/gallery.png` });
  if (faults.length > 0) console.log(faults.join("\n"));
} finally {
  await browser.close();
  await program.stop();
}
