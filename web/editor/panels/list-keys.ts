// Arrows in a list: which way a key moves.

const ways: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
]);

const sideways: ReadonlyMap<string, number> = new Map([
  ["ArrowRight", 1],
  ["ArrowLeft", -1],
]);

/** 1 down, -1 up, 0 for every other key. */
export function upOrDown(key: string): number {
  return ways.get(key) ?? 0;
}

/** 1 to the right, -1 to the left, 0 for every other key. */
export function leftOrRight(key: string): number {
  return sideways.get(key) ?? 0;
}

/** The next place in a list without ends. */
export function around(index: number, move: number, count: number): number {
  return count === 0 ? 0 : (index + move + count) % count;
}
