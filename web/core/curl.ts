// A cURL command, as browsers and manuals copy it, as the settings of an HTTP
// step.

import type { Json, JsonObject } from "./graph.ts";

export type Request = {
  readonly config: JsonObject;
  /** A part of the address, to call the step by. */
  readonly title: string;
  /** What the command carried and the drawing must not: it belongs into a credential. */
  readonly secret: boolean;
};

export function isCurl(text: string): boolean {
  return /^\s*(\$\s+)?curl(\.exe)?\s/.test(text);
}

/** The step that a command stands for; undefined: there is no address in it. */
export function readCurl(text: string): Request | undefined {
  const call = parsed(wordsOf(text.replace(/^\s*\$\s+/, "")).slice(1));
  if (call.url === "") return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(call.url) ? call.url : `http://${call.url}`;
  const headers: Record<string, string> = {};
  let secret = call.user;
  for (const line of call.headers) {
    const [name = "", ...rest] = line.split(":");
    const value = rest.join(":").trim();
    if (/^(authorization|cookie|x-api-key)$/i.test(name.trim())) secret = true;
    else if (name.trim() !== "" && value !== "") headers[name.trim()] = value;
  }
  const content = call.get ? {} : bodyOf(call, headers);
  const query = call.get ? queryOf(call.data) : {};
  const method = methodOf(call);
  return {
    title: titleOf(url),
    secret,
    config: {
      method,
      url,
      ...(Object.keys(query).length > 0 ? { query } : {}),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      auth: secret ? "credential" : "none",
      ...content,
      response: "json",
    },
  };
}

type Call = {
  url: string;
  method: string;
  headers: string[];
  data: string[];
  json: boolean;
  get: boolean;
  head: boolean;
  user: boolean;
};

/** Options that take a value and mean nothing here. */
const ignored = new Set(
  "-o --output -m --max-time --connect-timeout -x --proxy -w --write-out -c --cookie-jar --retry -F --form -E --cert --key --cacert -T --upload-file --resolve -r --range --limit-rate".split(
    " ",
  ),
);

const data = new Set(
  "-d --data --data-raw --data-ascii --data-binary --data-urlencode --json".split(" "),
);

function parsed(words: readonly string[]): Call {
  const call: Call = {
    url: "",
    method: "",
    headers: [],
    data: [],
    json: false,
    get: false,
    head: false,
    user: false,
  };
  const rest = words.flatMap(apart);
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? "";
    if (!takesValue(word)) plain(call, word);
    else {
      i++;
      valued(call, word, rest[i] ?? "");
    }
  }
  return call;
}

/** "-XPOST" and "--request=POST" as two words, "-sSL" as three. */
function apart(word: string): string[] {
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
  if (long !== null) return [long[1] ?? "", long[2] ?? ""];
  if (!/^-[a-zA-Z#]./.test(word)) return [word];
  const first = word.slice(0, 2);
  if (takesValue(first)) return [first, word.slice(2)];
  return [first, ...apart(`-${word.slice(2)}`)];
}

function takesValue(word: string): boolean {
  const known =
    "-X --request -H --header -u --user -A --user-agent -e --referer -b --cookie --url".split(" ");
  return known.includes(word) || data.has(word) || ignored.has(word);
}

function plain(call: Call, word: string): void {
  if (word === "-G" || word === "--get") call.get = true;
  else if (word === "-I" || word === "--head") call.head = true;
  else if (!word.startsWith("-") && call.url === "") call.url = word;
}

function valued(call: Call, word: string, value: string): void {
  if (word === "--json") call.json = true;
  if (data.has(word)) {
    call.data.push(word === "--data-urlencode" ? encoded(value) : value);
    return;
  }
  switch (word) {
    case "-X":
    case "--request":
      call.method = value.toUpperCase();
      break;
    case "-H":
    case "--header":
      call.headers.push(value);
      break;
    case "-u":
    case "--user":
      call.user = true;
      break;
    case "-A":
    case "--user-agent":
      call.headers.push(`User-Agent: ${value}`);
      break;
    case "-e":
    case "--referer":
      call.headers.push(`Referer: ${value}`);
      break;
    case "-b":
    case "--cookie":
      call.headers.push(`Cookie: ${value}`);
      break;
    case "--url":
      call.url = value;
      break;
  }
}

function encoded(value: string): string {
  const at = value.indexOf("=");
  return at < 0
    ? encodeURIComponent(value)
    : `${value.slice(0, at)}=${encodeURIComponent(value.slice(at + 1))}`;
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]);

function methodOf(call: Call): string {
  if (methods.has(call.method)) return call.method;
  if (call.head) return "HEAD";
  return call.data.length > 0 && !call.get ? "POST" : "GET";
}

function bodyOf(call: Call, headers: Record<string, string>): JsonObject {
  if (call.data.length === 0) return { body_type: "none" };
  const text = call.data.join(call.json ? "" : "&");
  const type = Object.keys(headers).find((name) => name.toLowerCase() === "content-type");
  const value = type === undefined ? "" : (headers[type] ?? "");
  const body = call.json || /json/i.test(value) || value === "" ? jsonOf(text) : undefined;
  if (body !== undefined) {
    if (type !== undefined) delete headers[type];
    return { body_type: "json", body };
  }
  if (type === undefined) headers["Content-Type"] = "application/x-www-form-urlencoded";
  return { body_type: "text", body: text };
}

/** A JSON object or list; a lone word or number is a form's field rather. */
function jsonOf(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function queryOf(parts: readonly string[]): Record<string, string> {
  const plain = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));
  const pairs = parts
    .join("&")
    .split("&")
    .filter((part) => part !== "");
  return Object.fromEntries(
    pairs.map((part) => {
      const [name = "", ...value] = part.split("=");
      return [plain(name), plain(value.join("="))];
    }),
  );
}

function titleOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\//i, "").split(/[?#]/)[0] ?? "";
  const [host = "", ...parts] = path.split("/").filter((p) => p !== "");
  return parts.findLast((p) => /^[a-z][a-z_-]{2,}$/i.test(p)) ?? host;
}

/** The words of a command line, as a shell takes them apart. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const piece =
    /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\\r?\n|\\(.)|([^\s'"\\]+)|(\s+)/gsu;
  let word: string | undefined;
  for (const [whole, ansi, single, double, escaped, bare, space] of text.matchAll(piece)) {
    if (space !== undefined || /^\\\r?\n$/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const part =
      single ?? escaped ?? bare ?? double?.replace(/\\(["\\$`])/g, "$1") ?? unescaped(ansi ?? "");
    word = (word ?? "") + part;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const signs: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, hex?: string, sign = "") =>
    hex === undefined ? (signs[sign] ?? sign) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
