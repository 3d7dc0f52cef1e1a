// The table of operations: method and path by id, grouped by their file in routes/. The routes, the API description and the
// methods of the client are derived from it. Every command loads this file at start-up, so it imports nothing.

/** The routes in the order of registration: the first match answers a request. */
export const ROUTES = {
  health: { health: "GET /health" },
  info: { info: "GET /info", shutdown: "POST /shutdown" },
  agents: {
    agents: "GET /agents",
    reload: "POST /agents/reload",
    agent: "GET /agents/{id}",
    plan: "GET /agents/{id}/plan",
    run: "POST /agents/{id}/run",
    autoApprove: "POST /agents/{id}/auto-approve",
    resumeAgent: "POST /agents/{id}/resume",
    runs: "GET /agents/{id}/runs",
    slots: "GET /agents/{id}/slots",
  },
  files: {
    agentFile: "GET /agents/{id}/file",
    saveAgentFile: "PUT /agents/{id}/file",
    checkAgentFile: "POST /agents/{id}/file/check",
    renameAgent: "POST /agents/{id}/rename",
    enableAgent: "POST /agents/{id}/enabled",
    file: "GET /files/{id}",
    saveFile: "PUT /files/{id}",
    checkFile: "POST /files/{id}/check",
    editor: "GET /editor",
  },
  executions: {
    executions: "GET /executions",
    execution: "GET /executions/{id}",
    messages: "GET /executions/{id}/messages",
    follow: "GET /executions/{id}/stream",
    cancel: "DELETE /executions/{id}",
    wake: "POST /executions/{id}/wake",
  },
  replays: { replay: "GET /executions/{id}/replay", fork: "POST /executions/{id}/fork" },
  requests: {
    pending: "GET /executions/{id}/pending",
    previewArguments: "POST /executions/{id}/pending",
    respond: "POST /executions/{id}/respond",
  },
  chats: { pairChat: "POST /chats/{id}/pair", pairing: "GET /chats/{id}/pair" },
  checkpoints: { checkpoints: "GET /checkpoints", purgeCheckpoints: "POST /checkpoints/purge" },
  budgets: { budgets: "GET /budgets", raiseBudget: "POST /budgets/raise" },
  sign_ins: { signIns: "GET /sign-in", beginSignIn: "POST /sign-in/begin" },
  scheduler: {
    scheduler: "GET /scheduler",
    pauseScheduler: "POST /scheduler/pause",
    resumeScheduler: "POST /scheduler/resume",
  },
  events: { events: "GET /events/stream" },
  reports: { stats: "GET /stats", recap: "GET /recap", log: "GET /log" },
} as const satisfies Record<string, Record<string, `${Method} /${string}`>>;

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Routes = typeof ROUTES;

/** The name of a file in routes/. */
export type RouteFile = keyof Routes;
/** The id of an operation, which is also its `operationId` in the API description. */
export type OperationId = { [File in RouteFile]: keyof Routes[File] }[RouteFile];

/** The id, the file, the method and the path of an operation. */
export interface OperationPath {
  id: OperationId;
  file: RouteFile;
  method: Method;
  /** The path, with parameters as in `/agents/{id}`. */
  path: string;
}

/** Every operation. */
export const OPERATION_PATHS: readonly OperationPath[] = Object.entries(ROUTES).flatMap((
  [file, routes],
) =>
  Object.entries(routes).map(([id, route]) => {
    const [method, path] = route.split(" ");
    return { id, file, method, path } as OperationPath;
  })
);
