// Which view the address asks for. The part behind `#` is enough: the page is one file, wherever a proxy puts it.
import { EXECUTION_TRIGGERS, type ExecutionTrigger } from "../../../runtime/trigger_kinds.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../../runtime/executions/states.ts";

/** The history, narrowed down. Absent fields leave nothing out. */
export interface HistoryRoute {
  view: "history";
  status: ExecutionStatus | null;
  agent: string | null;
  trigger: ExecutionTrigger | null;
  page: number;
  /** A text in the message, the answer or the error. */
  q?: string;
  /** The first and the last day, local: 2026-01-31. */
  from?: string;
  to?: string;
}

/** A view with what it shows. */
export type Route =
  | { view: "now" }
  | { view: "agents" }
  | { view: "agent"; id: string }
  | { view: "execution"; id: number; step?: number | null }
  | { view: "chat"; agent: string | null; session: string | null }
  | HistoryRoute
  | { view: "schedule" }
  | { view: "usage"; days: number }
  | { view: "log" }
  | { view: "unknown" };

/** How many days of usage may be looked at. */
export const USAGE_DAYS = [7, 30, 90] as const;

/** All executions, the newest first. */
export const WHOLE_HISTORY = {
  view: "history",
  status: null,
  agent: null,
  trigger: null,
  page: 1,
} as const;

/** The view of an address such as `#/history?status=error&page=2`. What makes no sense in a query is left out. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id, ...rest] = path.split("/").map(decode);
  const values = new URLSearchParams(query);
  if (view === "chat" && rest.length <= 1) {
    return { view, agent: id || null, session: id ? rest[0] || null : null };
  }
  if (rest.length > 0) return { view: "unknown" };
  if (id !== undefined && id !== "") {
    if (view === "agents") return { view: "agent", id };
    const isNumber = /^\d{1,15}$/.test(id);
    return view === "executions" && isNumber
      ? { view: "execution", id: Number(id), step: stepOf(values.get("step")) }
      : { view: "unknown" };
  }
  switch (view) {
    case "":
      return { view: "now" };
    case "agents":
    case "schedule":
    case "log":
      return { view };
    case "history":
      return {
        view,
        status: EXECUTION_STATUSES.find((one) => one === values.get("status")) ?? null,
        agent: values.get("agent") || null,
        trigger: EXECUTION_TRIGGERS.find((one) => one === values.get("trigger")) ?? null,
        page: pageOf(values.get("page")),
        ...textOf("q", values.get("q")),
        ...dayOf("from", values.get("from")),
        ...dayOf("to", values.get("to")),
      };
    case "usage":
      return { view, days: USAGE_DAYS.find((one) => String(one) === values.get("days")) ?? 30 };
    default:
      return { view: "unknown" };
  }
}

/** The address of a view, as `href` takes it. */
export function toHash(route: Exclude<Route, { view: "unknown" }>): string {
  switch (route.view) {
    case "now":
      return "#/";
    case "agents":
    case "schedule":
    case "log":
      return `#/${route.view}`;
    case "agent":
      return `#/agents/${encodeURIComponent(route.id)}`;
    case "execution":
      return `#/executions/${route.id}${toQuery({ step: route.step?.toString() ?? null })}`;
    case "chat": {
      const places = [route.agent, route.agent === null ? null : route.session];
      return ["#/chat", ...places.filter((one) => one !== null).map(encodeURIComponent)].join("/");
    }
    case "history": {
      const { status, agent, trigger, page, q = null, from = null, to = null } = route;
      return `#/history${
        toQuery({
          status,
          agent,
          trigger,
          q,
          from,
          to,
          page: page > 1 ? String(page) : null,
        })
      }`;
    }
    case "usage":
      return `#/usage${toQuery({ days: route.days === 30 ? null : String(route.days) })}`;
    default:
      return route satisfies never;
  }
}

function toQuery(values: Record<string, string | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size === 0 ? "" : `?${query}`;
}

function textOf<Name extends string>(name: Name, text: string | null): { [N in Name]?: string } {
  return (text ? { [name]: text } : {}) as { [N in Name]?: string };
}

function dayOf<Name extends string>(name: Name, text: string | null): { [N in Name]?: string } {
  const isDay = text !== null && /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(Date.parse(text));
  return textOf(name, isDay ? text : null);
}

function stepOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function pageOf(text: string | null): number {
  const page = Number(text);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A broken escape stands for itself.
    return segment;
  }
}
