// Parses and writes the routes of the page, which are in the fragment of the address. The page is one file, which a proxy
// may serve under any path.
import {
  EXECUTION_TRIGGERS,
  type ExecutionTrigger,
} from "../../runtime/vocabulary/trigger_kinds.ts";
import { AUDIT_ACTION_NAMES, type AuditAction } from "../../runtime/vocabulary/audit_actions.ts";
import type { EditedPlace } from "./edited_file.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../runtime/executions/states.ts";

/** The history with its filters. Null means no filter. */
export interface HistoryRoute {
  view: "history";
  status: ExecutionStatus | null;
  agent: string | null;
  trigger: ExecutionTrigger | null;
  page: number;
  /** The text to search for in the message, the answer and the error. */
  q: string | null;
  /** The first local day, such as `2026-01-31`; `to` is the last. */
  from: string | null;
  to: string | null;
}

/** The audit with its filters. Null means no filter. */
export interface AuditRoute {
  view: "audit";
  agent: string | null;
  action: AuditAction | null;
  /** The name of the person or key. */
  name: string | null;
  /** The way by which the change came, such as `page`. */
  via: string | null;
  from: string | null;
  to: string | null;
  /** The id of the last record on the page of newer records. */
  before: number | null;
}

/** A view with its parameters. */
export type Route =
  | { view: "now" | "agents" | "files" | "schedule" | "log" }
  | { view: "edit"; place: EditedPlace }
  | { view: "agent"; id: string }
  | { view: "execution"; id: number; step: number | null }
  | { view: "chat"; agent: string | null; session: string | null }
  | HistoryRoute
  | AuditRoute
  | { view: "usage"; days: number }
  | { view: "unknown" };

/** The periods of the usage view in days. */
export const USAGE_DAYS = [7, 30, 90] as const;
const DEFAULT_DAYS = 30;

const WHOLE_HISTORY: HistoryRoute = {
  view: "history",
  status: null,
  agent: null,
  trigger: null,
  page: 1,
  q: null,
  from: null,
  to: null,
};

const WHOLE_AUDIT: AuditRoute = {
  view: "audit",
  agent: null,
  action: null,
  name: null,
  via: null,
  from: null,
  to: null,
  before: null,
};

/** Parses an address such as `#/history?status=error&page=2`. Ignores invalid query parameters. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id = "", ...rest] = path.split("/").map(decode);
  const values = new URLSearchParams(query);
  if (view === "chat" && rest.length <= 1) {
    return { view, agent: id || null, session: id ? rest[0] || null : null };
  }
  if (view === "edit") {
    const place = toPlace([id, ...rest], values);
    return place === undefined ? { view: "unknown" } : { view, place };
  }
  const isNumber = /^\d{1,15}$/;
  if (rest.length > 0) return { view: "unknown" };
  if (view === "agents" && id !== "") return { view: "agent", id };
  if (view === "executions" && isNumber.test(id)) {
    const step = values.get("step") ?? "";
    return { view: "execution", id: Number(id), step: isNumber.test(step) ? Number(step) : null };
  }
  if (id !== "") return { view: "unknown" };
  switch (view) {
    case "":
      return { view: "now" };
    case "agents":
    case "files":
    case "schedule":
    case "log":
      return { view };
    case "history": {
      const page = Number(values.get("page"));
      return {
        view,
        status: EXECUTION_STATUSES.find((one) => one === values.get("status")) ?? null,
        agent: values.get("agent") || null,
        trigger: EXECUTION_TRIGGERS.find((one) => one === values.get("trigger")) ?? null,
        page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
        q: values.get("q") || null,
        from: dayOf(values.get("from")),
        to: dayOf(values.get("to")),
      };
    }
    case "audit": {
      const before = values.get("before") ?? "";
      return {
        view,
        agent: values.get("agent") || null,
        action: AUDIT_ACTION_NAMES.find((one) => one === values.get("action")) ?? null,
        name: values.get("name") || null,
        via: values.get("via") || null,
        from: dayOf(values.get("from")),
        to: dayOf(values.get("to")),
        before: isNumber.test(before) ? Number(before) : null,
      };
    }
    case "usage":
      return {
        view,
        days: USAGE_DAYS.find((one) => String(one) === values.get("days")) ?? DEFAULT_DAYS,
      };
    default:
      return { view: "unknown" };
  }
}

/** Returns the address of a route, for `href`. */
export function toHash(route: Exclude<Route, { view: "unknown" }>): string {
  switch (route.view) {
    case "now":
      return "#/";
    case "agents":
    case "files":
    case "schedule":
    case "log":
      return `#/${route.view}`;
    case "edit": {
      const { kind, ...rest } = route.place;
      if ("name" in rest) return `#/edit/${kind}/${encodeURIComponent(rest.name)}`;
      return `#/edit/${kind}${"from" in rest ? toQuery(rest) : ""}`;
    }
    case "agent":
      return `#/agents/${encodeURIComponent(route.id)}`;
    case "execution":
      return `#/executions/${route.id}${toQuery({ step: route.step })}`;
    case "chat": {
      const places = [route.agent, route.agent === null ? null : route.session];
      return ["#/chat", ...places.filter((one) => one !== null).map(encodeURIComponent)].join("/");
    }
    case "history": {
      const { status, agent, trigger, page, q, from, to } = route;
      const further = page > 1 ? page : null;
      return `#/history${toQuery({ status, agent, trigger, q, from, to, page: further })}`;
    }
    case "audit": {
      const { view, ...filter } = route;
      return `#/${view}${toQuery(filter)}`;
    }
    case "usage":
      return `#/usage${toQuery({ days: route.days === DEFAULT_DAYS ? null : route.days })}`;
    default:
      return route satisfies never;
  }
}

/** Returns the title of a view: `History`. */
export const toTitle = (view: Route["view"]): string =>
  view.charAt(0).toUpperCase() + view.slice(1);

/** Returns the address of an agent. */
export const agentHref = (id: string): string => toHash({ view: "agent", id });

/** Returns the address of an execution, or of one of its steps. */
export const executionHref = (id: number, step: number | null = null): string =>
  toHash({ view: "execution", id, step });

/**
 * Returns the address of a conversation. Without a session, of a new conversation with the agent; without an agent, of the
 * list of all conversations.
 */
export const chatHref = (agent: string | null, session: string | null = null): string =>
  toHash({ view: "chat", agent, session });

/** Returns the address of the history with a filter. */
export const historyHref = (filter: Partial<HistoryRoute> = {}): string =>
  toHash({ ...WHOLE_HISTORY, ...filter });

/** Returns the address of the audit with a filter. */
export const auditHref = (filter: Partial<AuditRoute> = {}): string =>
  toHash({ ...WHOLE_AUDIT, ...filter });

/** Returns the period of two local days, the last one included, in ISO 8601. Null means no limit. */
export function toPeriod(
  { from, to }: { from: string | null; to: string | null },
): { since?: string; until?: string } {
  const startOf = (day: string, later: number) => {
    const at = new Date(`${day}T00:00`);
    at.setDate(at.getDate() + later);
    return at.toISOString();
  };
  return {
    ...(from !== null && { since: startOf(from, 0) }),
    ...(to !== null && { until: startOf(to, 1) }),
  };
}

/** Returns the file of an address below `#/edit`, or undefined for another address. */
function toPlace(
  [kind, name = "", ...rest]: readonly string[],
  values: URLSearchParams,
): EditedPlace | undefined {
  if ((kind === "agent" || kind === "skill") && name !== "" && rest.length === 0) {
    return { kind, name };
  }
  if (name !== "") return undefined;
  if (kind === "config" || kind === "mcp") return { kind };
  return kind === "new" ? { kind, from: values.get("from"), copy: values.get("copy") } : undefined;
}

function toQuery(values: Record<string, string | number | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== "") query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

function dayOf(text: string | null): string | null {
  const isDay = text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay ? text : null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A segment with an invalid escape stays as written.
    return segment;
  }
}
