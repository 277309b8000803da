// Builds the browser's files into static/dist: scripts, styles, fonts, icons,
// each under a name with its hash, and a manifest that knows them all.
//
//   node build.mjs            build once and check the budgets
//   node build.mjs --watch    build again on every change
//   node build.mjs --tests    bundle the unit tests into web/build
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const dist = "static/dist";
const args = process.argv.slice(2);

/** Files under a folder whose names end in a suffix. */
function find(folder, suffix) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((f) => join(folder, String(f)))
    .filter((f) => f.endsWith(suffix));
}

// Some parts that come later have copies of small modules for themselves: shared
// ones would be cut out of what a page loads at its start, which makes that
// larger.
const copied = [
  {
    by: /\/web\/(rig|editor\/(test|talk|traffic))\//,
    what: /\/web\/(core\/run-[a-z]+\.ts|run\/(net\.ts|icon\.tsx)|ui\/ago\.ts)$/,
  },
  {
    by: /\/web\/(kernel\/(minimap|peers)|core\/tidy)\.ts$/,
    what: /\/web\/(kernel\/(paint-far|svg)|core\/(below|card|fit-title|frame|geometry|snap|subtitle))\.ts$/,
  },
];

const copies = {
  name: "copies",
  setup(build) {
    build.onResolve({ filter: /^\./ }, async (args) => {
      if (args.pluginData === copies) return undefined;
      // A copy takes copies of what it needs.
      const rules = copied.filter((c) => args.namespace === "copy" || c.by.test(args.importer));
      if (rules.length === 0) return undefined;
      const { kind, resolveDir } = args;
      const { path } = await build.resolve(args.path, { kind, resolveDir, pluginData: copies });
      return rules.some((c) => c.what.test(path)) ? { path, namespace: "copy" } : { path };
    });
    build.onLoad({ filter: /./, namespace: "copy" }, ({ path }) => ({
      contents: readFileSync(path),
      loader: extname(path).slice(1),
      resolveDir: dirname(path),
    }));
  },
};

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  sourcemap: false,
  legalComments: "none",
  loader: { ".woff2": "file", ".json": "json" },
};

if (args.includes("--tests")) {
  rmSync("web/build", { recursive: true, force: true });
  await esbuild.build({
    ...common,
    entryPoints: find("web", ".test.ts")
      .concat(find("web", ".test.tsx"))
      .filter((f) => !f.startsWith("web/e2e/")),
    outdir: "web/build",
    outbase: "web",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    sourcemap: "inline",
    packages: "external",
  });
  process.exit(0);
}

/** Puts a file into dist under a hashed name. */
function put(manifest, name, data) {
  const hash = createHash("sha256").update(data).digest("hex").slice(0, 10);
  const dot = name.lastIndexOf(".");
  const file = `${name.slice(0, dot)}-${hash}${name.slice(dot)}`;
  writeFileSync(join(dist, file), data);
  manifest[name] = { file, imports: [] };
  return file;
}

/** One SVG with a symbol for each icon that is named in web/style/icons.txt. */
function sprite() {
  const names = [
    ...new Set(readFileSync("web/style/icons.txt", "utf8").split(/\s+/).filter(Boolean)),
  ].sort();
  const symbols = names.map((n) => {
    const svg = readFileSync(`node_modules/lucide-static/icons/${n}.svg`, "utf8");
    const body = svg
      .slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.lastIndexOf("</svg>"))
      .replace(/\s+/g, " ")
      .trim();
    return `<symbol id="${n}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${body}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

const entries = {
  editor: "web/editor/main.tsx",
  run: "web/run/main.tsx",
  share: "web/share/main.tsx",
  boards: "web/boards/main.tsx",
  ui: "web/ui/main.ts",
  tour: "web/tour/main.ts",
  main: "web/style/main.css",
  queues: "web/style/queues.css", // of its page alone
};

// What each page may load at its start, and what is loaded later, in bytes
// after gzip.
const budgets = {
  "editor.js": 60_000,
  "run.js": 50_000,
  "share.js": 35_000,
  "boards.js": 60_000,
  "ui.js": 8_000,
  "tour.js": 3_000,
  "main.css": 12_000,
  "web/editor/expr/codemirror.ts": 120_000,
};

async function build() {
  mkdirSync(dist, { recursive: true });
  for (const f of readdirSync(dist)) if (f !== ".keep") rmSync(join(dist, f), { recursive: true });
  const present = Object.fromEntries(Object.entries(entries).filter(([, f]) => existsSync(f)));
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: present,
    outdir: dist,
    entryNames: "[name]-[hash]",
    chunkNames: "chunk-[hash]",
    assetNames: "[name]-[hash]",
    splitting: true,
    minify: true,
    metafile: true,
    plugins: [copies],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const manifest = {};
  const sizes = {};
  for (const [file, out] of Object.entries(metafile.outputs)) {
    if (!out.entryPoint) continue;
    const eager = imports(metafile, file);
    const size = [file, ...eager].reduce((n, f) => n + gzip(readFileSync(f)).length, 0);
    const name = Object.keys(entries).find((k) => entries[k] === out.entryPoint);
    if (!name) {
      sizes[out.entryPoint] = size; // loaded later by a page
      continue;
    }
    const ext = extname(file);
    manifest[name + ext] = { file: basename(file), imports: eager.map((f) => basename(f)) };
    sizes[name + ext] = size;
    if (ext === ".js" && out.cssBundle) {
      manifest[`${name}.css`] = { file: basename(out.cssBundle), imports: [] };
    }
  }
  put(manifest, "icons.svg", sprite());
  for (const f of find("web/mark", ".svg")) put(manifest, basename(f), readFileSync(f));
  if (!args.includes("--watch")) compress();
  writeFileSync(join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 1)}\n`);
  checkBudgets(sizes);
}

/** What a script imports at once, directly or not. */
function imports(metafile, file, found = []) {
  for (const i of metafile.outputs[file].imports) {
    if (i.kind !== "import-statement" || found.includes(i.path)) continue;
    found.push(i.path);
    imports(metafile, i.path, found);
  }
  return found;
}

const gzip = (data) => gzipSync(data, { level: 9 });

/** Writes a smaller twin of every text, for browsers that take it. */
function compress() {
  for (const f of readdirSync(dist)) {
    if (![".js", ".css", ".svg"].includes(extname(f))) continue;
    const data = readFileSync(join(dist, f));
    writeFileSync(join(dist, `${f}.gz`), gzip(data));
    writeFileSync(join(dist, `${f}.br`), brotliCompressSync(data));
  }
}

function checkBudgets(sizes) {
  let over = false;
  for (const [name, most] of Object.entries(budgets)) {
    const size = sizes[name];
    if (size === undefined) continue;
    over ||= size > most;
    const verdict = size > most ? "  OVER ITS BUDGET" : "";
    console.log(`${name.padEnd(30)} ${String(size).padStart(7)} of ${most} bytes (gzip)${verdict}`);
  }
  if (over) throw new Error("a script or style is larger than its budget");
}

await build();
if (args.includes("--watch")) {
  const { watch } = await import("node:fs");
  let timer;
  watch("web", { recursive: true }, (_event, file) => {
    if (!file || /(^|\/)build\/|_templ\.go$|\.templ$/.test(String(file))) return;
    clearTimeout(timer);
    timer = setTimeout(() => build().catch((e) => console.error(e.message)), 80);
  });
}
