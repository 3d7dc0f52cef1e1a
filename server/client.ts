// The typed client of the HTTP API, for the command line and the dashboard: what can be asked. It stands on the start-up
// path of every command: it imports types, its own small parts and the clock, nothing else.
import { SystemClock } from "../base/clock.ts";
import type { ExecutionStatus } from "../runtime/executions/states.ts";
import type { ExecutionTrigger } from "../runtime/trigger_kinds.ts";
import type { AgentResumed, ReloadBody } from "./schemas/agent_action_schemas.ts";
import type { AgentDetail, AgentSummary } from "./schemas/agent_schemas.ts";
import type { AutoApproveBody, AutoApproved } from "./schemas/approval_schemas.ts";
import type { BudgetBody, RaiseBody } from "./schemas/budget_schemas.ts";
import type { CheckpointsBody, PurgeBody, PurgedBody } from "./schemas/checkpoint_schemas.ts";
import { askForJson, type ClientRequest, sendRequest, toQuery } from "./client/client_request.ts";
import type { ServiceEventMessage, StreamFrame } from "./client/client_stream.ts";
import { type ClientOptions, socketTransport } from "./client/client_transport.ts";
import type {
  CancelBody,
  ExecutionDetail,
  ExecutionSummary,
  ListedExecution,
  LogRow,
} from "./schemas/execution_schemas.ts";
import { followExecutionStream, followServiceStream } from "./streams/followed_stream.ts";
import { type OperationId, operationPath } from "./operations/operation_paths.ts";
import type { HealthBody } from "./schemas/health_schema.ts";
import type { InfoBody, ShutdownBody } from "./schemas/info_schemas.ts";
import type { LogBody, RecapBody, StatsBody } from "./schemas/report_schemas.ts";
import type { PlanBody } from "./schemas/plan_schemas.ts";
import type {
  EditedCallBody,
  EditedCallPreview,
  PendingBody,
  RespondAccepted,
  RespondBody,
} from "./schemas/request_schemas.ts";
import type { ForkBody, ReplayBody } from "./schemas/replay_schemas.ts";
import type { RunAccepted, RunBody } from "./schemas/run_schemas.ts";
import type { SchedulerBody, SchedulerChanged, SlotBody } from "./schemas/scheduler_schemas.ts";

export { ApiError, orMissing, ServiceUnreachable } from "./client/client_errors.ts";
export type { ServiceEventMessage, StreamFrame } from "./client/client_stream.ts";
export type { Transport } from "./client/client_transport.ts";

type CallOptions = Pick<ClientRequest, "signal">;

interface OperationOptions extends Omit<ClientRequest, "method" | "path"> {
  /** What its path is about. */
  id?: string | number;
  query?: Record<string, string | number | undefined>;
}

interface Page {
  limit?: number;
  offset?: number;
}

/** Which executions, and how much of them. Times are ISO 8601. */
export interface ExecutionQuery extends Page {
  status?: readonly ExecutionStatus[] | undefined;
  agent?: string | undefined;
  parent?: number | undefined;
  follows?: number | undefined;
  trigger?: ExecutionTrigger | undefined;
  /** The id of a conversation. */
  session?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** A text of at least 3 characters. */
  q?: string | undefined;
  /** Looks for it in the tool results of the page's executions. */
  results?: boolean | undefined;
  preview?: boolean | undefined;
}

/** One method per endpoint. Every method throws ApiError, ServiceUnreachable, or the reason of its aborted signal. */
export class Client {
  readonly #transport: ClientOptions;
  readonly #sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: ClientOptions) {
    this.#transport = options;
    this.#sleep = options.sleep ?? ((ms, signal) => new SystemClock().sleep(ms, signal));
  }

  health(options: CallOptions = {}): Promise<HealthBody> {
    return this.#call("health", options);
  }

  info(options: CallOptions = {}): Promise<InfoBody> {
    return this.#call("info", options);
  }

  shutdown(options: CallOptions = {}): Promise<ShutdownBody> {
    return this.#call("shutdown", options);
  }

  /** With `day` each has the outcomes of the last 24 hours; with `fresh` files that have changed are read first. */
  agents(
    { day, fresh }: { day?: boolean; fresh?: boolean } = {},
    options: CallOptions = {},
  ): Promise<AgentSummary[]> {
    const query = { day: day ? "true" : undefined, fresh: fresh ? "true" : undefined };
    return this.#call("agents", { ...options, query });
  }

  agent(id: string): Promise<AgentDetail> {
    return this.#call("agent", { id });
  }

  /** With `prompt` also the messages that its model would be sent. */
  plan(id: string, { prompt }: { prompt?: boolean | undefined } = {}): Promise<PlanBody> {
    return this.#call("plan", { id, query: { prompt: prompt ? "true" : undefined } });
  }

  run(
    id: string,
    body: RunBody = {},
    options: { idempotencyKey?: string } = {},
  ): Promise<RunAccepted> {
    return this.#call("run", { id, body, headers: toKeyHeader(options) });
  }

  /** With `tools` custom tools and MCP servers are started for what they declare now. */
  replay(id: number, { tools }: { tools?: boolean | undefined } = {}): Promise<ReplayBody> {
    return this.#call("replay", { id, query: { tools: tools ? "true" : undefined } });
  }

  fork(
    id: number,
    body: ForkBody = {},
    options: { idempotencyKey?: string } = {},
  ): Promise<RunAccepted> {
    return this.#call("fork", { id, body, headers: toKeyHeader(options) });
  }

  runs(id: string, page: Page = {}): Promise<ExecutionSummary[]> {
    return this.#call("runs", { id, query: { ...page } });
  }

  slots(id: string, page: Page = {}): Promise<SlotBody[]> {
    return this.#call("slots", { id, query: { ...page } });
  }

  /** Lets an agent call a tool unasked from now on; without `write` only shows the change of its file. */
  autoApprove(id: string, body: AutoApproveBody): Promise<AutoApproved> {
    return this.#call("autoApprove", { id, body });
  }

  /** Lets its stopped trigger fire again. */
  resumeAgent(id: string): Promise<AgentResumed> {
    return this.#call("resumeAgent", { id });
  }

  reload(): Promise<ReloadBody> {
    return this.#call("reload");
  }

  executions(
    filter: ExecutionQuery = {},
    options: CallOptions = {},
  ): Promise<ListedExecution[]> {
    const { status, preview, results, ...rest } = filter;
    const yes = (wanted: boolean | undefined) => wanted ? "true" : undefined;
    const query = {
      ...rest,
      status: status?.join(","),
      preview: yes(preview),
      results: yes(results),
    };
    return this.#call("executions", { ...options, query });
  }

  execution(id: number, options: CallOptions = {}): Promise<ExecutionDetail> {
    return this.#call("execution", { id, ...options });
  }

  messages(id: number, page: { after?: number; limit?: number } = {}): Promise<LogRow[]> {
    return this.#call("messages", { id, query: { ...page } });
  }

  cancel(id: number): Promise<CancelBody> {
    return this.#call("cancel", { id });
  }

  pending(id: number, options: CallOptions = {}): Promise<PendingBody> {
    return this.#call("pending", { id, ...options });
  }

  /** Checks other arguments for the call that is asked about, and tells what it would do with them; changes nothing. */
  previewArguments(id: number, body: EditedCallBody): Promise<EditedCallPreview> {
    return this.#call("previewArguments", { id, body });
  }

  respond(id: number, body: RespondBody): Promise<RespondAccepted> {
    return this.#call("respond", { id, body });
  }

  checkpoints(): Promise<CheckpointsBody> {
    return this.#call("checkpoints");
  }

  purgeCheckpoints(body: PurgeBody = {}): Promise<PurgedBody> {
    return this.#call("purgeCheckpoints", { body });
  }

  /**
   * The frames of one execution after `after`: those logged, then live ones, up to and including `complete`,
   * `waiting` or `shutdown`. A connection that breaks earlier is resumed after the last frame (text that
   * streamed as deltas meanwhile is lost, the frame that holds it is not).
   */
  follow(
    id: number,
    options: { after?: number; deltas?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame, void, void> {
    const { after = 0, deltas, ...rest } = options;
    const query = { deltas: deltas ? 1 : undefined };
    const open = (last: number) =>
      this.#openStream("follow", { ...rest, id, query, headers: { "last-event-id": `${last}` } });
    return followExecutionStream(id, { ...rest, open, sleep: this.#sleep, after });
  }

  /** Those of the workspace and of all agents, or of one. */
  budgets(
    { agent }: { agent?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<BudgetBody[]> {
    return this.#call("budgets", { ...options, query: { agent } });
  }

  raiseBudget(body: RaiseBody): Promise<BudgetBody> {
    return this.#call("raiseBudget", { body });
  }

  scheduler(options: { upcoming?: number } = {}): Promise<SchedulerBody> {
    return this.#call("scheduler", { query: { ...options } });
  }

  pauseScheduler(): Promise<SchedulerChanged> {
    return this.#call("pauseScheduler");
  }

  resumeScheduler(): Promise<SchedulerChanged> {
    return this.#call("resumeScheduler");
  }

  /**
   * What happens in the service from now on, up to and including `shutdown`. There is no replay, so nothing is taken
   * up again: throws ServiceUnreachable when the connection breaks, and the caller asks for the state. `onOpen` is
   * called when the service tells what happens from then on.
   */
  events(
    options: CallOptions & { onOpen?: () => void } = {},
  ): AsyncGenerator<ServiceEventMessage, void, void> {
    const { onOpen, ...rest } = options;
    const open = () => this.#openStream("events", rest);
    return followServiceStream({ ...rest, ...(onOpen && { onOpen }), open });
  }

  stats(options: { days?: number; timezone?: string } = {}): Promise<StatsBody> {
    return this.#call("stats", { query: { ...options } });
  }

  /** Times are ISO 8601. */
  recap(span: { since?: string | undefined; until?: string | undefined } = {}): Promise<RecapBody> {
    return this.#call("recap", { query: { ...span } });
  }

  log(options: { lines?: number } = {}): Promise<LogBody> {
    return this.#call("log", { query: { ...options } });
  }

  [Symbol.dispose](): void {
    this.#transport.close?.();
  }

  #call<T>(operation: OperationId, options: OperationOptions = {}): Promise<T> {
    return askForJson(this.#transport, toRequest(operation, options));
  }

  #openStream(operation: OperationId, options: OperationOptions): Promise<Response> {
    const headers = { accept: "text/event-stream", ...options.headers };
    return sendRequest(this.#transport.fetch, toRequest(operation, { ...options, headers }));
  }
}

function toKeyHeader({ idempotencyKey: key }: { idempotencyKey?: string }): Record<string, string> {
  return key === undefined ? {} : { "idempotency-key": key };
}

function toRequest(
  operation: OperationId,
  { id = "", query = {}, ...rest }: OperationOptions,
): ClientRequest {
  const { method, path } = operationPath(operation);
  const filled = path.replace("{id}", encodeURIComponent(id));
  return { ...rest, method, path: filled + toQuery(query) };
}

/** A client of the service over a Unix socket. Nothing is opened before the first call. */
export function openSocketClient(socketFile: string): Client {
  return new Client(socketTransport(socketFile));
}
