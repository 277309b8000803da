// The editor of a route table: rules from the top, each with conditions, a
// queue and a priority. Rules change their place by buttons or Alt and the
// arrow keys. A line below tries a task out against the table as it is drawn.

import { t } from "../core/strings.ts";
import { at, call, message } from "./api.ts";
import { type Kit, type Learn, learnFields, learnFrom, tidyLearn } from "./learning.ts";
import { toast } from "./toast.ts";

export type Condition = { attribute: string; op: string; value: string };
export type Rule = {
  name?: string;
  when: Condition[];
  queue?: string;
  learn?: Learn;
  priority?: string;
};
export type Props = {
  readonly url: string;
  readonly workflow: string;
  readonly table: { revision: number; rules: Rule[]; default: string };
  readonly queues: readonly string[];
  readonly attributes: readonly string[];
  readonly priorities: readonly string[];
  readonly goals: readonly string[];
  readonly learned_by: readonly string[];
};

const ordered = ["is", "is_not", "at_least", "at_most"];
const texts = ["is", "is_not", "starts_with", "one_of"];

/** The comparisons of an attribute. */
export function opsOf(attribute: string): readonly string[] {
  return attribute === "priority" || attribute === "size" ? ordered : texts;
}

/** The rules with one moved; the same when it cannot move. */
export function moved<T>(list: readonly T[], from: number, by: number): readonly T[] {
  const to = from + by;
  const one = list[from];
  if (one === undefined || to < 0 || to >= list.length) return list;
  const next = list.filter((_, i) => i !== from);
  next.splice(to, 0, one);
  return next;
}

type Made = { class?: string; text?: string } & Record<string, string | boolean>;

function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  of: Made = {},
  ...inside: readonly Node[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(of)) {
    if (name === "text") node.textContent = String(value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, String(value));
  }
  node.append(...inside);
  return node;
}

function icon(name: string): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  const sprite = document.querySelector<HTMLMetaElement>("meta[name=sb-icons]")?.content ?? "";
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/** Draws the editor; without the right to change, the fields can only be read. */
export function drawRoutes(place: HTMLElement, props: Props, may: boolean): void {
  let rules: Rule[] = structuredClone(props.table.rules);
  let rest = props.table.default;
  let revision = props.table.revision;
  let dirty = false;
  const rows = el("ol", { class: "rules" });
  const names = el("datalist", { id: "queue-names" });
  for (const q of props.queues) names.append(el("option", { value: q }));
  const said = el("p", { class: "said", role: "status" });
  const save = el("button", { class: "btn pri", type: "button", text: t("queues.save") });

  const changed = (): void => {
    dirty = true;
    save.disabled = false;
    for (const row of rows.children) row.classList.remove("hit");
    said.textContent = t("queues.unsaved");
  };

  const draw = (focus?: { row: number; part: string }): void => {
    rows.replaceChildren(...rules.map((r, i) => ruleRow(r, i)));
    if (focus !== undefined)
      rows.children[focus.row]?.querySelector<HTMLElement>(`[data-part="${focus.part}"]`)?.focus();
  };

  const move = (i: number, by: number, part: string): void => {
    const next = moved(rules, i, by);
    if (next === rules) return;
    rules = [...next];
    changed();
    draw({ row: i + by, part });
    said.textContent = t("queues.moved", { n: i + by + 1 });
  };

  const field = (value: string, label: string, set: (v: string) => void, more: Made = {}) => {
    const input = el("input", {
      class: "inp",
      value,
      "aria-label": label,
      autocomplete: "off",
      maxlength: "200",
      disabled: !may,
      ...more,
    });
    input.addEventListener("input", () => {
      set(input.value.trim());
      changed();
    });
    return input;
  };

  const choice = (
    value: string,
    label: string,
    options: readonly (readonly [string, string])[],
    set: (v: string) => void,
  ) => {
    const select = el("select", { class: "sel", "aria-label": label, disabled: !may });
    for (const [v, text] of options)
      select.append(el("option", { value: v, text, selected: v === value }));
    select.addEventListener("change", () => {
      set(select.value);
      changed();
    });
    return select;
  };

  const press = (glyph: string, label: string, part: string, act: () => void, off = false) => {
    const b = el(
      "button",
      {
        class: "btn ghost sm sq",
        type: "button",
        "aria-label": label,
        title: label,
        "data-part": part,
        disabled: off || !may,
      },
      icon(glyph),
    );
    b.addEventListener("click", act);
    return b;
  };

  const conditionRow = (r: Rule, c: Condition, i: number, k: number): HTMLElement => {
    const label = c.attribute.startsWith("labels.");
    const attributes = [...props.attributes, "labels."].map(
      (a) => [a, t(`queues.attribute.${a === "labels." ? "label" : a}`)] as const,
    );
    const row = el(
      "div",
      { class: "when" },
      choice(label ? "labels." : c.attribute, t("queues.attribute"), attributes, (v) => {
        c.attribute = v;
        if (!opsOf(v).includes(c.op)) c.op = "is";
        draw({ row: i, part: `value${k}` });
      }),
    );
    if (label)
      row.append(
        field(
          c.attribute.slice(7),
          t("queues.label.name"),
          (v) => {
            c.attribute = `labels.${v}`;
          },
          { placeholder: "customer" },
        ),
      );
    row.append(
      choice(
        c.op,
        t("queues.op"),
        opsOf(c.attribute).map((o) => [o, t(`queues.op.${o}`)] as const),
        (v) => {
          c.op = v;
        },
      ),
    );
    row.append(
      c.attribute === "priority"
        ? choice(
            c.value,
            t("queues.value"),
            [
              ["", ""] as const,
              ...props.priorities.map((p) => [p, t(`queues.priority.${p}`)] as const),
            ],
            (v) => {
              c.value = v;
            },
          )
        : field(
            c.value,
            t("queues.value"),
            (v) => {
              c.value = v;
            },
            { "data-part": `value${k}`, placeholder: t("queues.value") },
          ),
    );
    if (r.when.length > 1)
      row.append(
        press("x", t("queues.condition.remove"), `drop${k}`, () => {
          r.when.splice(k, 1);
          changed();
          draw({ row: i, part: "add" });
        }),
      );
    return row;
  };

  const kitOf = (i: number): Kit => ({
    may,
    goals: props.goals,
    by: props.learned_by,
    field,
    choice,
    press,
    changed,
    draw: (part) => draw({ row: i, part }),
  });

  const ruleRow = (r: Rule, i: number): HTMLElement => {
    const whens = el("div", { class: "whens" }, ...r.when.map((c, k) => conditionRow(r, c, i, k)));
    const more = el("button", {
      class: "lnk",
      type: "button",
      text: t("queues.condition.add"),
      "data-part": "add",
      disabled: !may,
    });
    more.addEventListener("click", () => {
      r.when.push({ attribute: "kind", op: "is", value: "" });
      changed();
      draw({ row: i, part: `value${r.when.length - 1}` });
    });
    if (may) (whens.lastElementChild ?? whens).append(more);
    const where = choice(
      r.learn === undefined ? "to" : "learn",
      t("queues.where"),
      [
        ["to", t("queues.to")],
        ["learn", t("queues.learn")],
      ],
      (v) => {
        if (v === "learn") r.learn = learnFrom(r.queue ?? "");
        else {
          r.queue = r.learn?.among[0]?.queue ?? "";
          delete r.learn;
        }
        draw({ row: i, part: "queue" });
      },
    );
    const as = choice(
      r.priority ?? "",
      t("queues.as"),
      [
        ["", t("queues.as.own")] as const,
        ...props.priorities.map((p) => [p, t(`queues.priority.${p}`)] as const),
      ],
      (v) => {
        r.priority = v;
      },
    );
    const queue = (): HTMLElement =>
      field(
        r.queue ?? "",
        t("queues.queue"),
        (v) => {
          r.queue = v;
        },
        { list: "queue-names", placeholder: "express", "data-part": "queue" },
      );
    const to =
      r.learn === undefined
        ? el("div", { class: "to" }, where, queue(), as)
        : learnFields(r.learn, kitOf(i), where, as);
    const row = el(
      "li",
      { class: "rule", "aria-label": t("queues.rule", { n: i + 1 }) },
      el("span", { class: "place", text: String(i + 1), "aria-hidden": "true" }),
      whens,
      to,
      el(
        "div",
        { class: "acts" },
        press("arrow-up", t("queues.up"), "up", () => move(i, -1, "up"), i === 0),
        press(
          "arrow-down",
          t("queues.down"),
          "down",
          () => move(i, 1, "down"),
          i === rules.length - 1,
        ),
        press("trash-2", t("queues.rule.remove"), "remove", () => {
          rules.splice(i, 1);
          changed();
          draw({ row: Math.min(i, rules.length - 1), part: "remove" });
        }),
      ),
    );
    row.addEventListener("keydown", (event) => {
      if (!event.altKey || !may) return;
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      event.preventDefault();
      move(i, event.key === "ArrowUp" ? -1 : 1, "queue");
    });
    return row;
  };

  const table = (): { rules: Rule[]; default: string } => ({
    rules: rules.map((r) => ({
      when: r.when,
      ...(r.learn === undefined ? { queue: r.queue ?? "" } : { learn: tidyLearn(r.learn) }),
      ...(r.name === undefined ? {} : { name: r.name }),
      ...(r.priority === undefined || r.priority === "" ? {} : { priority: r.priority }),
    })),
    default: rest,
  });

  /** Shows a table as it is stored. */
  const take = (answer: unknown): void => {
    revision = Number(at(answer, "revision") ?? revision);
    rules = structuredClone((at(answer, "rules") as Rule[] | undefined) ?? rules);
    dirty = false;
    draw();
  };

  // Somebody has changed a rule below: what is not saved yet is left as it is.
  document.addEventListener("sb:routes", (event) => {
    if (!dirty && event instanceof CustomEvent) take(event.detail);
  });

  save.addEventListener("click", () => {
    save.disabled = true;
    call("PUT", props.url, { revision, ...table() })
      .then((answer) => {
        take(answer);
        said.textContent = "";
        toast(t("queues.saved"));
      })
      .catch((fault: unknown) => {
        save.disabled = false;
        said.textContent = message(fault);
        toast(message(fault), "fail");
      });
  });
  save.disabled = true;

  const add = el("button", { class: "btn", type: "button" }, icon("plus"));
  add.append(t("queues.rule.add"));
  add.addEventListener("click", () => {
    rules.push({ when: [{ attribute: "priority", op: "at_least", value: "high" }], queue: "" });
    changed();
    draw({ row: rules.length - 1, part: "queue" });
  });

  const last = el(
    "div",
    { class: "rest" },
    el("span", { class: "sub", text: t("queues.rest") }),
    field(
      rest,
      t("queues.rest"),
      (v) => {
        rest = v;
      },
      { list: "queue-names", placeholder: props.workflow === "" ? "default" : t("queues.rest.up") },
    ),
  );

  const foot = el("footer", {}, ...(may ? [add, save] : []), said);
  place.replaceChildren(names, rows, last, foot, trial(props, table, rows));
  addEventListener("beforeunload", (event) => {
    if (dirty) event.preventDefault();
  });
  draw();
}

/** The line that tries a task out. */
function trial(
  props: Props,
  table: () => { rules: Rule[]; default: string },
  rows: HTMLElement,
): HTMLElement {
  const fields: Record<string, HTMLInputElement> = {};
  const input = (name: string, like: string): HTMLElement => {
    const field = el("input", {
      class: "inp",
      name,
      placeholder: like,
      autocomplete: "off",
      maxlength: "200",
    });
    fields[name] = field;
    return el("label", {}, el("span", { text: t(`queues.attribute.${name}`) }), field);
  };
  const answer = el("p", { class: "answer", role: "status" });
  const form = el(
    "form",
    { class: "trial", "aria-label": t("queues.try") },
    el("b", { text: t("queues.try") }),
    input("priority", "high"),
    input("kind", "http"),
    input("type", "image/png"),
    input("size", "1024"),
    input("location", ""),
    el("button", { class: "btn", type: "submit", text: t("queues.try.go") }),
    answer,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = (name: string): string => fields[name]?.value.trim() ?? "";
    const drawn = table();
    const body = {
      kind: value("kind"),
      type: value("type"),
      location: value("location"),
      size: Math.max(0, Math.trunc(Number(value("size")) || 0)),
      ...(value("priority") === "" ? {} : { priority: value("priority") }),
      rules: drawn.rules,
      default: drawn.default,
    };
    call("POST", "/api/routes/test", body)
      .then((d) => {
        const rule = Number(at(d, "rule"));
        for (const [i, row] of [...rows.children].entries())
          row.classList.toggle("hit", i === rule);
        const warning = at(d, "warning");
        const queue = String(at(d, "queue"));
        const priority = t(`queues.priority.${String(at(d, "priority"))}`);
        const among = at(d, "learned", "among") as { queue: string; share: number }[] | undefined;
        const shares = among
          ?.map((f) => `${f.queue} ${Math.round(f.share * 1000) / 10}%`)
          .join(", ");
        const by =
          rule >= 0
            ? t("queues.try.by", { n: rule + 1 })
            : t(
                props.workflow !== "" && drawn.default === "" ? "queues.try.up" : "queues.try.rest",
              );
        const where =
          shares === undefined
            ? t("queues.try.said", { queue, priority })
            : t("queues.try.learned", { shares, priority });
        answer.textContent = [where, by, typeof warning === "string" ? warning : ""].join(" ");
      })
      .catch((fault: unknown) => {
        answer.textContent = message(fault);
      });
  });
  return form;
}
