// Serves the page with nothing but the canvas, under the program's own content
// policy, and opens it in a browser.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { chromium } from "playwright-core";
import { flags } from "./program.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const types = { ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml" };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; require-trusted-types-for 'script'; trusted-types sb";

function sprite() {
  const names = readFileSync(join(root, "web/style/icons.txt"), "utf8").split(/\s+/).filter(Boolean);
  const symbols = [...new Set(names)].map((name) => {
    const svg = readFileSync(join(root, `node_modules/lucide-static/icons/${name}.svg`), "utf8");
    const body = svg.slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.lastIndexOf("</svg>"));
    return `<symbol id="${name}" viewBox="0 0 24 24">${body}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

const bundled = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: "/",
  loader: { ".woff2": "file" },
};

async function files(reactFlow) {
  const built = [
    await esbuild.build({
      ...bundled,
      entryPoints: { page: "web/kernel/bench/page.ts", style: "web/kernel/bench/page.css" },
    }),
  ];
  if (reactFlow) {
    built.push(
      await esbuild.build({
        ...bundled,
        entryPoints: {
          "react-flow": "web/kernel/bench/react-flow/page.tsx",
          "react-flow-style": "web/kernel/bench/react-flow/page.css",
        },
        // The project's own settings turn JSX into Preact.
        tsconfigRaw: { compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" } },
        define: { "process.env.NODE_ENV": '"production"' },
      }),
    );
  }
  const found = new Map(built.flatMap((b) => b.outputFiles).map((f) => [f.path, Buffer.from(f.contents)]));
  found.set("/icons.svg", Buffer.from(sprite()));
  found.set("/", Buffer.from(html("page", "style")));
  found.set("/react-flow", Buffer.from(html("react-flow", "react-flow-style")));
  return found;
}

const html = (script, style) => `<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Canvas</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="/icons.svg"><link rel="stylesheet" href="/${style}.css"></head>
<body><main id="host"></main><script type="module" src="/${script}.js"></script></body></html>`;

/**
 * The address of the page, and what stops serving it; wanted, also that of the
 * page with React Flow.
 */
export async function serve({ reactFlow = false } = {}) {
  const all = await files(reactFlow);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const body = all.get(path);
    response.writeHead(body === undefined ? 404 : 200, {
      "content-type": extname(path) === "" ? "text/html" : (types[extname(path)] ?? "text/plain"),
      "content-security-policy": policy,
    });
    response.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close(), files: all };
}

export function launch(more = []) {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, headless: true, args: [...flags, ...more] });
}

/** Opens the page; faults on it are collected in the list. */
export async function open(browser, url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault.stack ?? fault)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  await page.waitForFunction(() => window.bench !== undefined);
  await frames(page, 3);
  return { page, faults };
}

/** Waits until so many frames have been drawn. */
export function frames(page, count = 2) {
  return page.evaluate(
    (n) =>
      new Promise((done) => {
        const step = (left) => (left === 0 ? done() : requestAnimationFrame(() => step(left - 1)));
        step(n);
      }),
    count,
  );
}
