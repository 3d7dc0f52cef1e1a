// The method and the path of each operation, by its id: the one place for the service that answers, the client that asks and
// the description. On the start-up path of every command: it imports nothing.

/** In the order of registration: of several that fit a request, the first answers. Ids are those of the client's methods. */
const PATHS = {
  health: ["GET", "/health"],
  info: ["GET", "/info"],
  shutdown: ["POST", "/shutdown"],
  agents: ["GET", "/agents"],
  reload: ["POST", "/agents/reload"],
  agent: ["GET", "/agents/{id}"],
  plan: ["GET", "/agents/{id}/plan"],
  run: ["POST", "/agents/{id}/run"],
  autoApprove: ["POST", "/agents/{id}/auto-approve"],
  resumeAgent: ["POST", "/agents/{id}/resume"],
  runs: ["GET", "/agents/{id}/runs"],
  slots: ["GET", "/agents/{id}/slots"],
  executions: ["GET", "/executions"],
  execution: ["GET", "/executions/{id}"],
  messages: ["GET", "/executions/{id}/messages"],
  follow: ["GET", "/executions/{id}/stream"],
  cancel: ["DELETE", "/executions/{id}"],
  replay: ["GET", "/executions/{id}/replay"],
  fork: ["POST", "/executions/{id}/fork"],
  pending: ["GET", "/executions/{id}/pending"],
  previewArguments: ["POST", "/executions/{id}/pending"],
  respond: ["POST", "/executions/{id}/respond"],
  checkpoints: ["GET", "/checkpoints"],
  purgeCheckpoints: ["POST", "/checkpoints/purge"],
  budgets: ["GET", "/budgets"],
  raiseBudget: ["POST", "/budgets/raise"],
  scheduler: ["GET", "/scheduler"],
  pauseScheduler: ["POST", "/scheduler/pause"],
  resumeScheduler: ["POST", "/scheduler/resume"],
  events: ["GET", "/events/stream"],
  stats: ["GET", "/stats"],
  recap: ["GET", "/recap"],
  log: ["GET", "/log"],
} as const satisfies Record<string, readonly [OperationPath["method"], string]>;

/** The name of an operation, also in the API description. */
export type OperationId = keyof typeof PATHS;

export interface OperationPath {
  method: "GET" | "POST" | "DELETE";
  /** Parameters are written `/agents/{id}`. */
  path: string;
}

export function operationPath(id: OperationId): OperationPath {
  const [method, path] = PATHS[id];
  return { method, path };
}
