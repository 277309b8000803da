// Starts the real program on a free port with data of its own, and a real
// browser, for the tests in this folder.
import { spawn } from "node:child_process";
import { mkdtempSync, chmodSync, rmSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** What lets Chromium run anywhere, and keeps it off the network. */
export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The program: its address, its setup link, and how to stop it. */
export async function startProgram() {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
  chmodSync(dir, 0o755);
  const child = spawn("bin/signalbox", ["serve", "--data", dir, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let log = "";
  child.stderr.on("data", (d) => {
    log += d;
  });
  const setup = await new Promise((resolve, reject) => {
    child.stdout.on("data", (d) => {
      out += d;
      const m = /http\S+\/setup\/\S+/.exec(out);
      if (m && out.includes("curl")) resolve(m[0]);
    });
    child.on("exit", (code) => reject(new Error(`the program ended with ${code}: ${log}`)));
  });
  const origin = new URL(setup).origin;
  return {
    origin,
    setup,
    log: () => log,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      const code = await ended;
      rmSync(dir, { recursive: true, force: true });
      return code;
    },
  };
}

/** A browser that reports what a page must never do. */
export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  return {
    async page(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      const faults = [];
      page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
      page.on("console", (m) => {
        if (m.type() === "error" && !/status of (4\d\d|502)/.test(m.text())) faults.push(`console: ${m.text()}`);
      });
      page.on("dialog", (d) => {
        faults.push(`dialog: ${d.message()}`);
        d.dismiss().catch(() => {});
      });
      return { page, context, faults };
    },
    close: () => browser.close(),
  };
}

const axeSource = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** Accessibility violations of a page, as short lines. */
export async function axe(page) {
  // The page's policy forbids injected scripts; the debugger's protocol does not.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axeSource });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | '))))",
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return JSON.parse(result.value);
}

/** Makes the first owner and logs the page in. */
export async function becomeOwner(page, program) {
  await page.goto(program.setup);
  await page.fill('input[name="name"]', "Ada");
  await page.fill('input[name="email"]', "ada@example.org");
  await page.fill('input[name="password"]', "a long enough password");
  await page.click('button[type="submit"]');
  await page.waitForURL(`${program.origin}/`);
}
