// Parses and writes the routes of the page, which are in the fragment of the address. The page is one file, which a proxy
// may serve under any path.
import { EXECUTION_TRIGGERS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { AUDIT_ACTION_NAMES } from "../../runtime/vocabulary/audit_actions.ts";
import type { EditedPlace } from "./edited_file.ts";
import { EXECUTION_STATUSES } from "../../runtime/executions/states.ts";

/** Parses a parameter of an address. Returns null for a missing or invalid one. */
type Parse<Value> = (text: string | null) => Value;
type Parameters = Readonly<Record<string, Parse<string | number | null>>>;
type Values<P extends Parameters> = { -readonly [Name in keyof P]: ReturnType<P[Name]> };

const toText: Parse<string | null> = (text) => text || null;
const toNumber: Parse<number | null> = (text) =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : null;
const oneOf = <Name extends string>(names: readonly Name[]): Parse<Name | null> => (text) =>
  names.find((one) => one === text) ?? null;
const toDay: Parse<string | null> = (text) =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;

/** The periods of the usage view in days. */
export const USAGE_DAYS = [7, 30, 90] as const;

/**
 * The parameters of the views whose addresses have no id, in the order of the address. Null means no filter. An address
 * omits a parameter that equals its default, the value for a missing text.
 */
const PARAMETERS = {
  agents: {},
  files: {},
  schedule: {},
  log: {},
  history: {
    status: oneOf(EXECUTION_STATUSES),
    agent: toText,
    trigger: oneOf(EXECUTION_TRIGGERS),
    /** The text to search for in the message, the answer and the error. */
    q: toText,
    /** The first local day, such as `2026-01-31`; `to` is the last. */
    from: toDay,
    to: toDay,
    page: (text: string | null): number => toNumber(text) || 1,
  },
  audit: {
    agent: toText,
    action: oneOf(AUDIT_ACTION_NAMES),
    /** The name of the person or key. */
    name: toText,
    /** The way by which the change came, such as `page`. */
    via: toText,
    from: toDay,
    to: toDay,
    /** The id of the last record on the page of newer records. */
    before: toNumber,
  },
  usage: {
    days: (text: string | null): number => USAGE_DAYS.find((one) => `${one}` === text) ?? 30,
  },
} as const;

type Listed = keyof typeof PARAMETERS;
type RouteOf<View extends Listed> = {
  [One in View]: { view: One } & Values<(typeof PARAMETERS)[One]>;
}[View];
export type HistoryRoute = RouteOf<"history">;
export type AuditRoute = RouteOf<"audit">;

/** A view with its parameters. */
export type Route =
  | { view: "now" }
  | RouteOf<Listed>
  | { view: "edit"; place: EditedPlace }
  | { view: "agent"; id: string }
  | { view: "execution"; id: number; step: number | null }
  | { view: "chat"; agent: string | null; session: string | null }
  | { view: "unknown" };

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
  if (rest.length > 0) return { view: "unknown" };
  if (view === "agents" && id !== "") return { view: "agent", id };
  const execution = toNumber(id);
  if (view === "executions" && execution !== null) {
    return { view: "execution", id: execution, step: toNumber(values.get("step")) };
  }
  if (id !== "") return { view: "unknown" };
  if (view === "") return { view: "now" };
  return isListed(view) ? toRoute(view, values) : { view: "unknown" };
}

/** Returns the address of a route, for `href`. */
export function toHash(route: Exclude<Route, { view: "unknown" }>): string {
  switch (route.view) {
    case "now":
      return "#/";
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
    default: {
      const { view, ...values } = route;
      const defaults: Readonly<Record<string, string | number | null>> = toRoute(view);
      const given = Object.entries(values).filter(([name, value]) => value !== defaults[name]);
      return `#/${view}${toQuery(Object.fromEntries(given))}`;
    }
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
  toHash({ ...toRoute("history"), ...filter });

/** Returns the address of the audit with a filter. */
export const auditHref = (filter: Partial<AuditRoute> = {}): string =>
  toHash({ ...toRoute("audit"), ...filter });

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

const isListed = (view: string): view is Listed => Object.hasOwn(PARAMETERS, view);

/** Returns the route of a view, with the value of each parameter. */
function toRoute<View extends Listed>(view: View, values = new URLSearchParams()): RouteOf<View> {
  const parameters: Parameters = PARAMETERS[view];
  const parsed = Object.entries(parameters).map(([name, parse]) => [name, parse(values.get(name))]);
  return Object.fromEntries([["view", view], ...parsed]);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A segment with an invalid escape stays as written.
    return segment;
  }
}
