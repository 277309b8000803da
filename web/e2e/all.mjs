// Runs the browser tests, two files at a time, each with a program and a browser
// of its own. node --test web/e2e/FILE runs one of them alone.
import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { prepareData } from "./program.mjs";

const files = readdirSync("web/e2e").filter((f) => f.endsWith(".test.mjs"));
const prepared = await prepareData();
const options = ["--test", "--test-concurrency=2", ...process.argv.slice(2)];
const tests = spawn(process.execPath, [...options, ...files.map((f) => `web/e2e/${f}`)], {
  stdio: "inherit",
  env: { ...process.env, SIGNALBOX_E2E_PREPARED: prepared },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const code = await new Promise((resolve) => tests.once("exit", resolve));
rmSync(prepared, { recursive: true, force: true });
process.exitCode = code ?? 1;
