// Messages that come and go. They are read aloud politely.

const STAY_MS = 4_000;

export function toast(text: string, tone: "plain" | "fail" = "plain"): void {
  const box = document.getElementById("toasts");
  if (box === null) return;
  const message = document.createElement("div");
  message.className = tone === "fail" ? "toast fail" : "toast";
  message.textContent = text;
  box.append(message);
  setTimeout(() => message.remove(), STAY_MS);
}
