// Drops that run along edges, one for each token: at most three at a time on
// one edge, at constant speed. Nothing moves while nothing happens.

const SPEED = 0.55; // pixels of the drawing in a millisecond
const AT_ONCE = 3;
const NS = "http://www.w3.org/2000/svg";

type Drop = {
  readonly edge: string;
  readonly path: SVGPathElement;
  readonly length: number;
  readonly dot: SVGCircleElement;
  readonly began: number;
};

export class Drops {
  readonly #parent: Element;
  readonly #still: () => boolean;
  #list: Drop[] = [];
  #frame = 0;

  constructor(parent: Element, still: () => boolean = () => false) {
    this.#parent = parent;
    this.#still = still;
  }

  send(edge: string, path: SVGPathElement): void {
    if (this.#still() || document.hidden) return;
    if (this.#list.filter((d) => d.edge === edge).length >= AT_ONCE) return;
    const dot = document.createElementNS(NS, "circle");
    dot.setAttribute("class", "drop");
    dot.setAttribute("r", "4");
    this.#parent.append(dot);
    this.#list.push({ edge, path, length: path.getTotalLength(), dot, began: performance.now() });
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#move(now));
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    for (const d of this.#list) d.dot.remove();
    this.#list = [];
  }

  #move(now: number): void {
    this.#list = this.#list.filter((d) => {
      const way = (now - d.began) * SPEED;
      if (way >= d.length) {
        d.dot.remove();
        return false;
      }
      const at = d.path.getPointAtLength(Math.max(0, way));
      d.dot.setAttribute("cx", String(at.x));
      d.dot.setAttribute("cy", String(at.y));
      return true;
    });
    this.#frame = this.#list.length === 0 ? 0 : requestAnimationFrame((next) => this.#move(next));
  }
}
