// The form of what every step has besides its own settings: how often it is
// tried, how long it may take, and in which queue its tasks wait.

import type { Schema } from "../../core/form-schema.ts";
import type { Spec } from "../../core/graph.ts";
import { t } from "../strings.ts";

/** Saga: the step stands in a transaction. */
export function policySchema(spec: Spec, saga: boolean): Schema {
  const pivot: Record<string, Schema> = saga ? { pivot: pivotOf() } : {};
  const visits: Schema = {
    type: "integer",
    title: t("editor.policy.visits"),
    description: t("editor.policy.visitsHelp"),
    minimum: 1,
    maximum: 1_000_000,
    "x-constant": true,
    "x-placeholder": "1000",
    "x-advanced": true,
  };
  if (spec.work !== "task")
    return {
      type: "object",
      properties: { max_visits: { ...visits, "x-advanced": false }, ...pivot },
    };
  return {
    type: "object",
    properties: {
      retry: retry(spec),
      timeout: timeout(spec),
      task: task(),
      ...pivot,
      max_visits: visits,
    },
  };
}

function pivotOf(): Schema {
  return {
    type: "boolean",
    title: t("editor.policy.pivot"),
    description: t("editor.policy.pivotHelp"),
    default: false,
    "x-constant": true,
  };
}

/** A duration; without one there is no bound. */
function bound(title: string, description: string): Schema {
  return {
    type: "string",
    title,
    description,
    "x-ui": "duration",
    "x-constant": true,
    "x-advanced": true,
  };
}

function retry(spec: Spec): Schema {
  return {
    type: "object",
    title: t("editor.policy.retry"),
    properties: {
      max_attempts: {
        type: "integer",
        title: t("editor.policy.attempts"),
        description: t("editor.policy.attemptsHelp"),
        minimum: 1,
        maximum: 1_000,
        default: spec.attempts ?? 1,
        "x-constant": true,
      },
      backoff: {
        type: "string",
        title: t("editor.policy.backoff"),
        enum: ["exponential", "fixed"],
        "x-enum-titles": [t("editor.policy.exponential"), t("editor.policy.fixed")],
        default: "exponential",
        "x-constant": true,
      },
      initial: {
        type: "string",
        title: t("editor.policy.initial"),
        "x-ui": "duration",
        default: "1s",
        "x-constant": true,
      },
      factor: {
        type: "number",
        title: t("editor.policy.factor"),
        minimum: 1,
        default: 2,
        "x-constant": true,
        "x-advanced": true,
        "x-showIf": "backoff=exponential",
      },
      max_interval: {
        type: "string",
        title: t("editor.policy.interval"),
        "x-ui": "duration",
        default: "1m",
        "x-constant": true,
        "x-advanced": true,
      },
      jitter: {
        type: "number",
        title: t("editor.policy.jitter"),
        description: t("editor.policy.jitterHelp"),
        minimum: 0,
        maximum: 1,
        default: 0,
        "x-constant": true,
        "x-advanced": true,
      },
      on: {
        type: "array",
        title: t("editor.policy.on"),
        description: t("editor.policy.onHelp"),
        items: { type: "string" },
        "x-constant": true,
        "x-advanced": true,
      },
      when: {
        type: "string",
        title: t("editor.policy.when"),
        description: t("editor.policy.whenHelp"),
        "x-ui": "expr",
        "x-placeholder": 'error.class == "unavailable"',
        "x-advanced": true,
      },
      total: bound(t("editor.policy.retryTotal"), t("editor.policy.retryTotalHelp")),
    },
  };
}

function timeout(spec: Spec): Schema {
  return {
    type: "object",
    title: t("editor.policy.timeout"),
    properties: {
      attempt: {
        type: "string",
        title: t("editor.policy.attemptTimeout"),
        "x-ui": "duration",
        default: spec.timeout ?? "60s",
        "x-constant": true,
      },
      total: bound(t("editor.policy.total"), t("editor.policy.totalHelp")),
      queue: bound(t("editor.policy.queueTimeout"), t("editor.policy.queueTimeoutHelp")),
      heartbeat: bound(t("editor.policy.heartbeat"), t("editor.policy.heartbeatHelp")),
    },
  };
}

function task(): Schema {
  return {
    type: "object",
    title: t("editor.policy.task"),
    properties: {
      queue: {
        type: "string",
        title: t("editor.policy.queue"),
        description: t("editor.policy.queueHelp"),
        "x-placeholder": t("editor.policy.queuePlaceholder"),
      },
      priority: {
        type: "string",
        title: t("editor.policy.priority"),
        description: t("editor.policy.priorityHelp"),
        enum: ["critical", "high", "normal", "low"],
        "x-enum-titles": [
          t("editor.policy.critical"),
          t("editor.policy.high"),
          t("editor.policy.normal"),
          t("editor.policy.low"),
        ],
        default: "normal",
      },
      type: {
        type: "string",
        title: t("editor.policy.type"),
        description: t("editor.policy.typeHelp"),
        "x-placeholder": "image/png",
        "x-advanced": true,
      },
      location: {
        type: "string",
        title: t("editor.policy.location"),
        description: t("editor.policy.locationHelp"),
        "x-advanced": true,
      },
      concurrency: {
        type: "object",
        title: t("editor.policy.concurrency"),
        description: t("editor.policy.concurrencyHelp"),
        "x-advanced": true,
        properties: {
          limit: count(t("editor.policy.atOnce"), 10_000),
          key: key(),
        },
      },
      rate: {
        type: "object",
        title: t("editor.policy.rate"),
        "x-advanced": true,
        properties: {
          n: count(t("editor.policy.rateN"), 1_000),
          per: bound(t("editor.policy.ratePer"), t("editor.policy.ratePerHelp")),
          key: key(),
        },
      },
      circuit: {
        type: "object",
        title: t("editor.policy.circuit"),
        description: t("editor.policy.circuitHelp"),
        "x-advanced": true,
        properties: {
          threshold: count(t("editor.policy.threshold"), 1_000),
          cooldown: {
            ...bound(t("editor.policy.cooldown"), t("editor.policy.cooldownHelp")),
            "x-placeholder": "30s",
          },
        },
      },
    },
  };
}

/** How many; nothing is any number. */
function count(title: string, maximum: number): Schema {
  return { type: "integer", title, minimum: 1, maximum, "x-constant": true };
}

/** What a limit is counted for apart. */
function key(): Schema {
  return {
    type: "string",
    title: t("editor.policy.key"),
    description: t("editor.policy.keyHelp"),
    "x-placeholder": "=input.customer",
  };
}
