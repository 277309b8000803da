// Titles of cards seen from afar: as large as can be read, on as many lines as
// the card has room for.

/** From one line to the next, in letters' heights. */
export const LEADING = 1.08;

/** What a title should measure on the screen, and what it must, in pixels. */
const WANTED = 10;
const LEAST = 6.5;
const PLAIN = 17;
const WIDEST = 38;

export type Fitted = { readonly size: number; readonly lines: readonly string[] };

const known = new Map<string, Fitted>();
const MANY = 4_000;

/** The largest size at which a text stands in a box at this zoom, and its lines. */
export function fitted(text: string, w: number, h: number, z: number): Fitted {
  // A zoom passes through many values; steps are enough and can be remembered.
  const steps = Math.round(Math.log2(z) * 8);
  const key = `${steps} ${w} ${h} ${text}`;
  const had = known.get(key);
  if (had !== undefined) return had;
  if (known.size > MANY) known.clear();
  const found = fit(text, w, h, 2 ** (steps / 8));
  known.set(key, found);
  return found;
}

function fit(text: string, w: number, h: number, z: number): Fitted {
  let size = Math.min(WIDEST, Math.max(PLAIN, WANTED / z));
  for (;;) {
    const most = Math.max(1, Math.floor((h + 4) / (size * LEADING)));
    const lines = wrap(text, w / size);
    const fits = lines.length <= most && lines.every((line) => wide(line) <= w / size);
    const next = size * 0.92;
    if (fits || next < PLAIN || next * z < LEAST) {
      const kept = lines.slice(0, most);
      const cut = kept.map((line, i) =>
        shorten(line, w / size, i === most - 1 && lines.length > most),
      );
      return { size: Math.round(size * 10) / 10, lines: cut };
    }
    size = next;
  }
}

function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  // Chinese breaks between any two signs.
  for (const word of text.split(/(?<=\s)|(?=[\u2e80-\uffef])/)) {
    const last = lines.at(-1);
    if (last !== undefined && wide((last + word).trimEnd()) <= room) {
      lines[lines.length - 1] = last + word;
    } else lines.push(word);
  }
  return lines.map((line) => line.trim());
}

function shorten(line: string, room: number, more: boolean): string {
  if (!more && wide(line) <= room) return line;
  let text = line;
  while (text.length > 1 && wide(text) + 0.8 > room) text = text.slice(0, -1);
  return `${text}…`;
}

/** About how wide a text is, in letters' heights: measuring thousands is slow. */
function wide(text: string): number {
  let sum = 0;
  for (const sign of text) {
    if (sign >= "\u2e80") sum += 1;
    else if (/[iljtfrI1.,:;'!|() ]/.test(sign)) sum += 0.34;
    else if (/[A-Zmw@%]/.test(sign)) sum += 0.73;
    else sum += 0.59;
  }
  return sum;
}
