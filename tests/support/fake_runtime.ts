// An in-memory Runtime for tests of the API, the page and the command line. Its agents and executions are plain values.
import type { ApprovalRequest, AutoApproval } from "../../runtime/interface/auto_approval.ts";
import { makeRecap } from "../../runtime/interface/recap.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../runtime/config/config.ts";
import { parseConfig } from "../../runtime/config/parse_config.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { EventBus } from "../../runtime/events/bus.ts";
import type { Frame, FrameEvent } from "../../runtime/events/frame.ts";
import { currentRest } from "../../runtime/executions/execution.ts";
import { type ExecutionStatus, isFinal } from "../../runtime/executions/states.ts";
import type { CheckpointStats } from "../../runtime/executions/record/checkpoint_store.ts";
import {
  type GivenResponse,
  type HumanRequest,
  isSameSignIn,
} from "../../runtime/executions/human_request.ts";
import type {
  AgentListing,
  BrokenAgentFile,
  BudgetFigures,
  CallPreview,
  Delivery,
  ExecutionDetail,
  ExecutionFilter,
  FollowedExecution,
  FollowItem,
  FollowOptions,
  ForkRequest,
  HookOutcome,
  LinkedQuestion,
  ListedExecution,
  OpenCounts,
  Outcomes,
  PendingRequest,
  RaiseRequest,
  Recap,
  ReloadReport,
  Replay,
  RunPlan,
  RunRequest,
  Runtime,
  SchedulerJob,
  SchedulerStatus,
  ServiceNode,
  Span,
  TriggerResumeResult,
  UsageReport,
  UsageRequest,
} from "../../runtime/interface/runtime.ts";
import type { AuditRecord } from "../../runtime/audit/audit_table.ts";
import type { NamedKeys } from "../../runtime/people/named_keys.ts";
import type { ChatNotes } from "../../runtime/notify/chat_notes.ts";
import type { TestedChannel, TestLinkState } from "../../runtime/notify/message_tests.ts";
import type { Slot } from "../../runtime/triggers/schedule/slot_store.ts";
import { fakeDirectories } from "./fake_agent.ts";
import { LogLines } from "./log_lines.ts";

let emptyConfig: Config | undefined;

/** Returns the configuration of an empty config.yaml, which is parsed once, because most tests need it. */
function parsedEmptyConfig(): Config {
  if (emptyConfig !== undefined) return emptyConfig;
  const parsed = parseConfig("", { path: "/nowhere/config.yaml", home: "/nowhere" });
  if ("diagnostics" in parsed) throw new TypeError("An empty configuration does not parse");
  return emptyConfig = parsed.config;
}

/** An error that the runtime throws to reject a request. */
export class FakeRefusal extends RuntimeError {
  constructor(readonly code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** A Runtime in memory. Tests read and write its state directly. */
export class FakeRuntime implements Runtime {
  readonly version = "1.2.3";
  readonly log = new LogLines();
  readonly clock: Clock;
  readonly directories: Directories;
  readonly startedAt: number;
  readonly agents = new Map<string, AgentListing>();
  readonly executions = new Map<number, ExecutionDetail>();
  readonly frames: Frame[] = [];
  readonly runs: { agentId: string; request: RunRequest }[] = [];
  readonly filters: ExecutionFilter[] = [];
  /** The open questions, by execution id. */
  readonly requests = new Map<number, HumanRequest>();
  /** The previews of the calls that the open questions are about, by execution id. */
  readonly previews = new Map<number, CallPreview>();
  readonly autoApprovals: { agentId: string; tool: string; write: boolean }[] = [];
  readonly responses: ({ id: number } & GivenResponse)[] = [];
  /** Called after an answer is accepted. By default the execution continues. */
  onRespond: (id: number) => void = (id) => this.setStatus(id, "running");
  checkpoints: CheckpointStats = {
    path: "/state/inkling.db",
    sizeBytes: 0,
    threads: 0,
    agents: [],
  };
  namedKeys: NamedKeys = {
    find: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    add: () => Promise.resolve("inkling_x"),
    revoke: () => Promise.resolve(),
    renew: () => Promise.resolve("inkling_y"),
  };
  keys = () => Promise.resolve(this.namedKeys);
  readonly purges: { agentId?: string; force: boolean }[] = [];
  broken: BrokenAgentFile[] = [];
  /** The plan of each agent's next run, by agent id. */
  readonly plans = new Map<string, RunPlan>();
  readonly jobs: SchedulerJob[] = [];
  /** The result of every call of `usage`. */
  report: UsageReport = { timeZone: "UTC", days: [], entries: [] };
  readonly usageRequests: UsageRequest[] = [];
  readonly logFileLines: string[] = [];
  storage: Runtime["storage"] = { kind: "sqlite", place: "/state/inkling.db" };
  /** The services that share the database. */
  readonly nodes: ServiceNode[] = [];
  /** The result of `budgets`. */
  budgetFigures: BudgetFigures[] = [];
  readonly raises: RaiseRequest[] = [];
  /** The slots of all schedules, newest first. */
  readonly slots: Slot[] = [];
  schedulerStatus: SchedulerStatus["status"] = "running";
  watcherActive = false;
  /** The questions that links lead to, by link token. */
  readonly links = new Map<string, LinkedQuestion>();
  /** True if a notification waits to be sent. */
  messagesWait = false;
  /** The channels, and the links of test messages by token. */
  testedChannels: TestedChannel[] = [];
  readonly testLinks = new Map<string, TestLinkState>();
  files: Runtime["files"] = () => {
    throw new FakeRefusal("not_found", "There are no files in memory");
  };

  /** The records of the audit, newest first. */
  readonly auditRecords: AuditRecord[] = [];
  readonly audit: Runtime["audit"] = {
    listRecords: ({ limit }) => Promise.resolve(this.auditRecords.slice(0, limit)),
    record: () => Promise.resolve(),
    changeFile: (_by, _file, write) => write(),
    readTextBefore: () => Promise.resolve(undefined),
  };
  /** The servers with a sign-in. The other operations on sign-ins are tested with a real runtime. */
  signIns: Runtime["signIns"] = () => {
    const refuse = () => Promise.reject(new FakeRefusal("conflict", "No sign-in"));
    return Promise.resolve({
      list: () => Promise.resolve([{ server: "remote", state: "needed" }]),
      begin: refuse,
      finish: refuse,
      clientDocument: () => undefined,
    });
  };
  /** The person who sends every code that `pair` shows. */
  codeSender: { id: string; name: string } | null = null;
  readonly chatNotes: ChatNotes = {
    readNote: <Value>() => Promise.resolve({ sender: this.codeSender } as Value),
    listNotes: () => Promise.resolve([]),
    write: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    purge: () => Promise.resolve(),
    claim: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  };
  readonly messages = {
    findLink: (token: string) => Promise.resolve(this.links.get(token)),
    hasOpen: () => Promise.resolve(this.messagesWait),
    openChatNotes: () => Promise.resolve(this.chatNotes),
    tests: {
      list: () => Promise.resolve(this.testedChannels),
      findLink: (token: string) => Promise.resolve(this.testLinks.get(token)),
      confirm: (token: string) => {
        if (this.testLinks.has(token)) this.testLinks.set(token, "confirmed");
        return Promise.resolve();
      },
    },
  };
  publicUrl: string | null = null;
  /** The warnings about config.yaml. */
  configWarnings: Config["warnings"] = [];
  /** The notices of a new run about files that it could not use. */
  notices: string[] = [];
  /** The setting `service.edit` of config.yaml: the key of the whole service may change files. */
  canKeyEdit = false;
  /** The chats of config.yaml. */
  chats: Config["chats"] = [];
  /** The `http` settings of config.yaml. */
  http: Pick<Config["http"], "hosts" | "origins"> = { hosts: [], origins: [] };
  reload: ReloadReport = { loaded: 0, added: [], updated: [], removed: [], errors: [] };
  /** The error of the next call of `run`; undefined: the call succeeds. */
  runFailure: unknown = undefined;
  /** Called by `stop`, before it returns. */
  onStop: () => Promise<void> = () => Promise.resolve();
  /** The grace period of each call of `stop`, in milliseconds. */
  readonly stops: number[] = [];
  /** The number of open followers. `handedOut` counts the frames that they received. */
  followers = 0;
  handedOut = 0;
  readonly events = new EventBus(this.log);
  /** The result of every replay. */
  replay: Replay = { differences: [], steps: 3, recordedSteps: 3, notes: [] };
  readonly forks: { id: number; request: ForkRequest }[] = [];
  readonly replays: Runtime["replays"] = {
    replay: async (id) => {
      await this.getExecution(id);
      return this.replay;
    },
    fork: async (id, request) => {
      const { agentId, displayName } = await this.getExecution(id);
      this.forks.push({ id, request });
      const forkedFrom = { executionId: id, step: request.step ?? 2 };
      return this.addExecution({ agentId, displayName, forkedFrom });
    },
  };
  #bell = Promise.withResolvers<void>();
  #deltas: { executionId: number; content: string; seen: WeakSet<object> }[] = [];

  constructor(options: { clock: Clock; directory?: string }) {
    this.clock = options.clock;
    this.startedAt = this.clock.now();
    this.directories = fakeDirectories(options.directory ?? "/nowhere");
  }

  get config(): Config {
    const config = parsedEmptyConfig();
    return {
      ...config,
      chats: this.chats,
      http: { ...config.http, ...this.http },
      service: { ...config.service, edit: this.canKeyEdit },
      publicUrl: this.publicUrl,
      warnings: this.configWarnings,
    };
  }

  addAgent(agent: Agent, listing: Partial<Omit<AgentListing, "agent">> = {}): void {
    this.agents.set(agent.id, {
      agent,
      lastExecution: null,
      nextRun: null,
      triggerPaused: null,
      ...listing,
    });
  }

  addExecution(changes: Partial<ExecutionDetail> = {}): ExecutionDetail {
    const execution: ExecutionDetail = {
      id: this.executions.size + 1,
      agentId: "writer",
      displayName: "The Writer",
      status: "running",
      trigger: "manual",
      parentExecutionId: null,
      sessionId: null,
      startedAt: this.clock.now(),
      finishedAt: null,
      durationMs: null,
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: null,
      costUsd: null,
      toolCalls: 0,
      model: "demo/script",
      args: [],
      error: null,
      outputData: null,
      message: null,
      context: null,
      isRequestRedacted: false,
      forkedFrom: null,
      isUsageEstimated: false,
      children: { count: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: null },
      ...changes,
    };
    this.executions.set(execution.id, execution);
    const { id: executionId, agentId, displayName, trigger } = execution;
    this.events.publish({ type: "execution_started", executionId, agentId, displayName, trigger });
    return execution;
  }

  /** Appends a frame with the execution's identity fields and the given fields. */
  append(executionId: number, event: FrameEvent, fields: Record<string, unknown> = {}): Frame {
    const { agentId, displayName } = this.#execution(executionId);
    const payload = JSON.stringify({
      event_type: event,
      execution_id: executionId,
      agent_id: agentId,
      display_name: displayName,
      agent_name: agentId,
      timestamp: new Date(this.clock.now()).toISOString(),
      message: "",
      ...fields,
    });
    const frame = { id: this.frames.length + 1, executionId, event, payload };
    this.frames.push(frame);
    this.#ring();
    return frame;
  }

  delta(executionId: number, content: string): void {
    this.#deltas.push({ executionId, content, seen: new WeakSet() });
    this.#ring();
  }

  /** Changes an execution's status. A final status also appends a `complete` frame. */
  setStatus(executionId: number, status: ExecutionStatus): void {
    const execution = this.#execution(executionId);
    this.executions.set(executionId, { ...execution, status });
    if (isFinal(status)) this.append(executionId, "complete", { status });
    this.#ring();
    if (isFinal(status)) {
      const { agentId, displayName, durationMs } = execution;
      const type = "execution_completed";
      const ageMs = this.clock.now() - execution.startedAt;
      this.events.publish({ type, executionId, agentId, displayName, status, durationMs, ageMs });
    }
  }

  /** The result of the next webhook deliveries. */
  hookOutcome: HookOutcome = { outcome: "unsigned" };
  readonly deliveries: (Delivery & { agentId: string })[] = [];

  readonly webhooks = {
    hasGetHandshake: () => false,
    has: (agentId: string) => {
      const agent = this.agents.get(agentId)?.agent;
      return agent?.enabled === true && agent.trigger.type === "webhook";
    },
    receive: (agentId: string, delivery: Delivery) => {
      this.deliveries.push({ agentId, ...delivery });
      return Promise.resolve(this.hookOutcome);
    },
  };

  listAgents(): Promise<AgentListing[]> {
    return Promise.resolve([...this.agents.values()]);
  }

  getAgent(id: string): Promise<AgentListing> {
    const listing = this.agents.get(id);
    if (listing === undefined) {
      return Promise.reject(new FakeRefusal("not_found", `Agent '${id}' not found`));
    }
    return Promise.resolve(listing);
  }

  brokenAgentFiles(): BrokenAgentFile[] {
    return this.broken;
  }

  reloadAgents(): Promise<ReloadReport> {
    return Promise.resolve(this.reload);
  }

  async run(agentId: string, request: RunRequest): Promise<ExecutionDetail> {
    if (this.runFailure !== undefined) throw this.runFailure;
    await this.getAgent(agentId);
    this.runs.push({ agentId, request });
    const { sessionId, message = null } = request;
    const chat = sessionId && { sessionId, trigger: "chat" as const };
    return {
      ...this.addExecution({ agentId, message, ...chat }),
      ...(this.notices.length > 0 && { notices: this.notices }),
    };
  }

  async wake(id: number): Promise<void> {
    await this.getExecution(id);
  }

  async cancel(id: number): Promise<"cancelling" | ExecutionStatus> {
    const { status } = await this.getExecution(id);
    if (status === "running") return "cancelling";
    if (status === "waiting") this.setStatus(id, "aborted");
    return this.#execution(id).status;
  }

  async recap(span: Span): Promise<Recap> {
    const inSpan = [...this.executions.values()]
      .filter(({ startedAt }) => startedAt >= span.since && startedAt < span.until);
    const failed = inSpan.filter(({ status }) => status === "error");
    const costUsd = inSpan.reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
    return await makeRecap(span, {
      listings: await this.listAgents(),
      registry: { broken: () => this.brokenAgentFiles() },
      executions: {
        readSpan: () =>
          Promise.resolve({
            counts: Object.fromEntries(
              Object.entries(Object.groupBy(inSpan, ({ status }) => status))
                .map(([status, all]) => [status, all.length]),
            ),
            costUsd,
            failures: Object.entries(Object.groupBy(failed, ({ agentId }) => agentId))
              .map(([agentId, all = []]) => ({
                agentId,
                count: all.length,
                lastId: all.at(-1)?.id ?? 0,
                lastError: all.at(-1)?.error ?? "",
              })),
          }),
        readSpanCost: () => Promise.resolve(costUsd),
        readDowntimes: () => Promise.resolve([]),
      },
      slots: { listSlots: (agentId, page) => this.listSlots(agentId, page).catch(() => []) },
      waiting: [...this.requests.values()]
        .map((request) => ({ ...request, agentId: this.#execution(request.executionId).agentId })),
      pause: { state: async () => (await this.scheduler()).status },
    });
  }

  readonly budgets: Runtime["budgets"] = {
    list: (agentId) =>
      Promise.resolve(
        this.budgetFigures.filter((one) => agentId === undefined || one.agentId === agentId),
      ),
    raise: (request) => {
      this.raises.push(request);
      const [state] = this.budgetFigures;
      return state === undefined
        ? Promise.reject(new FakeRefusal("conflict", "There is no such budget"))
        : Promise.resolve(state);
    },
  };

  countOutcomes(since: number): Promise<Map<string, Outcomes>> {
    const begun = [...this.executions.values()].filter(({ startedAt }) => startedAt >= since);
    return Promise.resolve(
      new Map(
        [...Map.groupBy(begun, ({ agentId }) => agentId)].map(([agentId, all]) => [agentId, {
          ended: all.filter(({ status }) => isFinal(status)).length,
          succeeded: all.filter(({ status }) => status === "success").length,
        }]),
      ),
    );
  }

  listExecutions(filter: ExecutionFilter): Promise<(ExecutionDetail & ListedExecution)[]> {
    this.filters.push(filter);
    const { statuses, agentId, parentId, trigger, offset, limit } = filter;
    const { since = -Infinity, until = Infinity, text = "" } = filter;
    const found = [...this.executions.values()].reverse()
      .filter((one) => statuses === undefined || statuses.includes(one.status))
      .filter((one) => agentId === undefined || [agentId].flat().includes(one.agentId))
      .filter((one) => parentId === undefined || one.parentExecutionId === parentId)
      .filter((one) => trigger === undefined || one.trigger === trigger)
      .filter((one) => one.startedAt >= since && one.startedAt < until)
      .filter((one) => filter.searchesResults || `${one.outputData} ${one.error}`.includes(text));
    const hasResult = ({ id }: ExecutionDetail) =>
      this.frames.some(({ executionId, event, payload }) =>
        executionId === id && event === "tool_result" && payload.includes(text)
      );
    return Promise.resolve(
      found.slice(offset, offset + limit).filter((one) => !filter.searchesResults || hasResult(one))
        .map((
          one,
        ) => ({
          ...one,
          ...(filter.preview === true && { preview: { asked: null, answered: one.outputData } }),
        })),
    );
  }

  async listRuns(
    agentId: string,
    page: { limit: number; offset: number },
  ): Promise<ExecutionDetail[]> {
    const found = await this.listExecutions({ agentId, ...page });
    if (found.length === 0) await this.getAgent(agentId);
    return found;
  }

  // deno-lint-ignore require-await -- a missing execution must reject, not throw
  async getExecution(id: number): Promise<ExecutionDetail> {
    return this.#execution(id);
  }

  async planRun(id: string, { withMessages }: { withMessages: boolean }): Promise<RunPlan> {
    await this.getAgent(id);
    const plan = this.plans.get(id);
    if (plan === undefined) throw new TypeError(`No plan of ${id}`);
    return { ...plan, messages: withMessages ? plan.messages : null };
  }

  async readFrames(id: number, page: { after: number; limit?: number }): Promise<Frame[]> {
    await this.getExecution(id);
    return this.frames.filter((frame) => frame.executionId === id && frame.id > page.after)
      .slice(0, page.limit);
  }

  async follow(id: number, options: FollowOptions): Promise<FollowedExecution> {
    const { agentId, displayName } = await this.getExecution(id);
    const isOver = this.frames.some((frame) =>
      frame.executionId === id && frame.id === options.after && frame.event === "complete"
    );
    const identity = { executionId: id, agentId, displayName };
    return { identity, isOver, items: this.#follow(id, options) };
  }

  countExecutions(): Promise<OpenCounts> {
    const all = [...this.executions.values()];
    const resting = all.filter((one) => currentRest(one) !== undefined).length;
    const count = (status: ExecutionStatus) => all.filter((one) => one.status === status).length;
    const [running, waiting] = [count("running") - resting, count("waiting")];
    return Promise.resolve({ running, waiting, resting });
  }

  listNodes(): Promise<ServiceNode[]> {
    return Promise.resolve(this.nodes);
  }

  usage(request: UsageRequest): Promise<UsageReport> {
    this.usageRequests.push(request);
    return Promise.resolve(this.report);
  }

  redact(text: string): string {
    return text;
  }

  readLog({ lines }: { lines: number }): Promise<string[]> {
    return Promise.resolve(this.logFileLines.slice(-lines));
  }

  pendingRequest(id: number): Promise<PendingRequest> {
    this.#execution(id);
    const request = this.requests.get(id);
    // Parent executions wait for the same question.
    const asking = [...this.requests].filter(([, one]) => one.requestId === request?.requestId);
    const { agentId } = this.#execution(Math.max(id, ...asking.map(([other]) => other)));
    return request === undefined
      ? Promise.reject(new FakeRefusal("not_found", "No pending request"))
      : Promise.resolve({
        ...request,
        askedBy: agentId,
        waitingRuns: [...this.requests.values()].filter((one) =>
          one === request || isSameSignIn(one, request)
        ).length,
        preview: this.previews.get(id) ?? null,
      });
  }

  /** The error of a preview of edited calls; undefined: the preview succeeds. */
  editFailure: unknown = undefined;
  readonly edits: JsonObject[] = [];

  previewArguments(
    id: number,
    { args }: { requestId: string; args: JsonObject },
  ): Promise<CallPreview | null> {
    this.#execution(id);
    this.edits.push(args);
    if (this.editFailure !== undefined) return Promise.reject(this.editFailure);
    return Promise.resolve(this.previews.get(id) ?? null);
  }

  autoApprove(agentId: string, request: ApprovalRequest): Promise<AutoApproval> {
    this.autoApprovals.push({ agentId, ...request });
    const listing = this.agents.get(agentId);
    if (listing === undefined) {
      return Promise.reject(new FakeRefusal("not_found", `Agent '${agentId}' not found`));
    }
    return Promise.resolve({
      path: listing.agent.sourcePath,
      diff: `@@ -1,2 +1,3 @@\n ---\n+auto_approve: [${request.tool}]\n ---\n`,
      written: request.write,
      already: false,
    });
  }

  respond(id: number, response: GivenResponse): Promise<undefined> {
    if (this.requests.get(id)?.requestId !== response.requestId) {
      return Promise.reject(
        new FakeRefusal("conflict", "This execution does not wait for an answer"),
      );
    }
    this.requests.delete(id);
    this.responses.push({ id, ...response });
    this.onRespond(id);
    return Promise.resolve(undefined);
  }

  checkpointStats(): Promise<CheckpointStats> {
    return Promise.resolve(this.checkpoints);
  }

  purgeCheckpoints(options: { agentId?: string; force: boolean }): Promise<number> {
    this.purges.push(options);
    return Promise.resolve(this.checkpoints.threads);
  }

  scheduler(): Promise<SchedulerStatus> {
    const { schedulerStatus: status, watcherActive, jobs } = this;
    return Promise.resolve({ status, watcherActive, jobs });
  }

  listSlots(agentId: string, page: { limit: number; offset: number }): Promise<Slot[]> {
    const slots = this.slots.filter((slot) => slot.agentId === agentId);
    return Promise.resolve(slots.slice(page.offset, page.offset + page.limit));
  }

  pauseScheduler(): Promise<void> {
    this.schedulerStatus = "paused";
    return Promise.resolve();
  }

  resumeScheduler(): Promise<number> {
    this.schedulerStatus = "running";
    return Promise.resolve(0);
  }

  async resumeAgent(id: string): Promise<TriggerResumeResult> {
    const listing = await this.getAgent(id);
    const isResumed = listing.triggerPaused !== null;
    listing.triggerPaused = null;
    return { isResumed, reason: null, droppedChanges: isResumed ? 3 : 0 };
  }

  async stop(options: { graceMs: number }): Promise<void> {
    this.stops.push(options.graceMs);
    await this.onStop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  async *#follow(id: number, options: FollowOptions): AsyncGenerator<FollowItem, void, void> {
    const { signal, deltas = false } = options;
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener("abort", onAbort);
    this.followers++;
    try {
      let cursor = options.after;
      while (!signal.aborted) {
        const bell = this.#bell.promise;
        for (const frame of await this.readFrames(id, { after: cursor })) {
          cursor = frame.id;
          this.handedOut++;
          yield { type: "frame", frame };
          if (frame.event === "complete" || signal.aborted) return;
        }
        for (const delta of this.#deltas) {
          if (!deltas || delta.executionId !== id || delta.seen.has(signal)) {
            continue;
          }
          delta.seen.add(signal);
          yield { type: "delta", content: delta.content, restart: false };
        }
        const { status } = this.#execution(id);
        if (status === "waiting") {
          const request = this.requests.get(id);
          const fields = request &&
            { execution_id: id, message: request.message, kind: request.kind };
          const payload = { event_type: "waiting", ...fields };
          yield { type: "waiting", payload: JSON.stringify(payload) };
        }
        if (status !== "running") return;
        await Promise.race([bell, aborted.promise]);
      }
    } finally {
      this.followers--;
      signal.removeEventListener("abort", onAbort);
    }
  }

  #execution(id: number): ExecutionDetail {
    const execution = this.executions.get(id);
    if (execution === undefined) {
      throw new FakeRefusal("not_found", "Execution not found");
    }
    return execution;
  }

  #ring(): void {
    this.#bell.resolve();
    this.#bell = Promise.withResolvers();
  }
}
