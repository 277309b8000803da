// Makes the pictures of the README: node web/e2e/screenshots.mjs [folder]
import { mkdirSync } from "node:fs";
import { becomeOwner, startBrowser, startProgram } from "./program.mjs";

const folder = process.argv[2] ?? "docs/pictures";
mkdirSync(folder, { recursive: true });
const program = await startProgram();
const browser = await startBrowser();
const { page, faults } = await browser.page({ deviceScaleFactor: 1 });
try {
  await becomeOwner(page, program);
  for (const priority of [9, 2, 5]) {
    await fetch(`${program.origin}/hooks/demo-ticket`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ subject: "Payment failed twice", priority }),
    });
  }
  const get = (path) => page.evaluate(async (p) => (await fetch(p)).json(), path);
  const flow = (await get("/api/workflows")).workflows.find((w) => /triage/i.test(w.name));
  const run = (await get("/api/runs?limit=1")).runs[0];
  const shots = { gallery: "/", editor: `/w/${flow.id}`, run: `/runs/${run.id}`, runs: "/runs" };
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, path] of Object.entries(shots)) {
      await page.goto(program.origin + path, { waitUntil: "networkidle" });
      await page.waitForTimeout(600);
      await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
    }
  }
  if (faults.length > 0) console.log(faults.join("\n"));
} finally {
  await browser.close();
  await program.stop();
}
