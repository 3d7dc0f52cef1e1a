// The table of operations: right, method and path by id, grouped by their file in routes/. The routes, the check of rights,
// the API description and the methods of the client are derived from it. Every command loads this file at start-up, so it
// imports only types.
import type { Right } from "../../runtime/vocabulary/rights.ts";

/** The routes in the order of registration: the first match answers a request. */
export const ROUTES = {
  health: { health: "open GET /health" },
  info: { info: "view GET /info", shutdown: "control POST /shutdown" },
  agents: {
    agents: "view GET /agents",
    reload: "control POST /agents/reload",
    agent: "view GET /agents/{id}",
    plan: "view GET /agents/{id}/plan",
    run: "start POST /agents/{id}/run",
    autoApprove: "edit POST /agents/{id}/auto-approve",
    resumeAgent: "control POST /agents/{id}/resume",
    runs: "view GET /agents/{id}/runs",
    slots: "view GET /agents/{id}/slots",
  },
  files: {
    agentFile: "view GET /agents/{id}/file",
    companions: "view GET /agents/{id}/companions",
    saveAgentFile: "edit PUT /agents/{id}/file",
    checkAgentFile: "edit POST /agents/{id}/file/check",
    renameAgent: "edit POST /agents/{id}/rename",
    enableAgent: "edit POST /agents/{id}/enabled",
    file: "edit GET /files/{id}",
    saveFile: "edit PUT /files/{id}",
    checkFile: "edit POST /files/{id}/check",
    editor: "edit GET /editor",
  },
  executions: {
    executions: "view GET /executions",
    execution: "view GET /executions/{id}",
    messages: "view GET /executions/{id}/messages",
    follow: "view GET /executions/{id}/stream",
    cancel: "start DELETE /executions/{id}",
    wake: "start POST /executions/{id}/wake",
  },
  replays: { replay: "view GET /executions/{id}/replay", fork: "start POST /executions/{id}/fork" },
  requests: {
    pending: "view GET /executions/{id}/pending",
    previewArguments: "edit POST /executions/{id}/pending",
    respond: "answer POST /executions/{id}/respond",
  },
  keys: {
    keys: "admin GET /keys",
    addKey: "admin POST /keys",
    revokeKey: "admin DELETE /keys/{id}",
    whoami: "view GET /whoami",
    renewKey: "view POST /whoami/renew",
  },
  people: { people: "admin GET /people", removePerson: "admin DELETE /people/{id}" },
  chats: { pairChat: "admin POST /chats/{id}/pair", pairing: "admin GET /chats/{id}/pair" },
  checkpoints: {
    checkpoints: "view GET /checkpoints",
    purgeCheckpoints: "control POST /checkpoints/purge",
  },
  budgets: { budgets: "view GET /budgets", raiseBudget: "control POST /budgets/raise" },
  sign_ins: { signIns: "view GET /sign-in", beginSignIn: "control POST /sign-in/begin" },
  scheduler: {
    scheduler: "view GET /scheduler",
    pauseScheduler: "control POST /scheduler/pause",
    resumeScheduler: "control POST /scheduler/resume",
  },
  audit: { audit: "view GET /audit" },
  events: { events: "view GET /events/stream" },
  reports: { stats: "view GET /stats", recap: "view GET /recap", log: "control GET /log" },
} as const satisfies Record<string, Record<string, `${Right | "open"} ${Method} /${string}`>>;

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Routes = typeof ROUTES;

/** The name of a file in routes/. */
export type RouteFile = keyof Routes;
/** The id of an operation, which is also its `operationId` in the API description. */
export type OperationId = { [File in RouteFile]: keyof Routes[File] }[RouteFile];

/** The id, the file, the right, the method and the path of an operation. */
export interface OperationPath {
  id: OperationId;
  file: RouteFile;
  /** The right that a request needs; `open` if it needs no key. */
  right: Right | "open";
  method: Method;
  /** The path, with parameters as in `/agents/{id}`. */
  path: string;
}

/** Every operation. */
export const OPERATION_PATHS: readonly OperationPath[] = Object.entries(ROUTES).flatMap((
  [file, routes],
) =>
  Object.entries(routes).map(([id, route]) => {
    const [right, method, path] = route.split(" ");
    return { id, file, right, method, path } as OperationPath;
  })
);
