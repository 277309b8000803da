// Texts to paste elsewhere: a README takes Markdown, a page takes a frame.

/** A picture of the link that leads to it; what: ".svg" or "/badge.svg". */
export function markdown(name: string, url: string, what: string): string {
  return `[![${name.replaceAll(/[[\]\\]/g, "\\$&")}](${url}${what})](${url})`;
}

/** A frame for a page of a site that may show the link. */
export function frame(name: string, url: string): string {
  const key = url.slice(url.lastIndexOf("/") + 1);
  const title = name.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const address = new URL(`/embed/${key}`, url).href;
  return `<iframe src="${address}" title="${title}" width="100%" height="420"></iframe>`;
}
