// Parts of pages and drawings from the server. The browser itself makes a
// document of what comes, in which nothing runs: no text becomes HTML here.

export function page(method: "GET" | "POST", address: string, body?: object): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.responseType = "document";
    request.setRequestHeader("Accept", "text/html, image/svg+xml");
    if (body !== undefined) request.setRequestHeader("Content-Type", "application/json");
    request.addEventListener("load", () => {
      if (request.response instanceof Document) resolve(request.response);
      else reject(new Error(`HTTP ${request.status}`));
    });
    request.addEventListener("error", () => reject(new Error("offline")));
    request.send(body === undefined ? null : JSON.stringify(body));
  });
}

/** A drawing; undefined: there is none. */
export async function drawing(address: string): Promise<Element | undefined> {
  const found = await page("GET", address);
  const root = found.documentElement;
  return root.localName === "svg" ? document.importNode(root, true) : undefined;
}
