// Short messages in the page's own region, which is read aloud politely.

const STAY_MS = 5_000;

export function toast(text: string, tone: "plain" | "fail" = "plain"): void {
  const box = document.getElementById("toasts");
  if (box === null) return;
  const made = document.createElement("div");
  made.className = tone === "fail" ? "toast fail" : "toast";
  made.textContent = text;
  box.append(made);
  setTimeout(() => made.remove(), STAY_MS);
}
