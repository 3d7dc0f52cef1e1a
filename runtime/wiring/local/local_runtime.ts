// The Runtime in this process: agents from files, executions from the database. mod.ts creates it.
import type { Agent } from "../../agents/agent.ts";
import { CurrentAgents } from "../../agents/current_agents.ts";
import { AgentNotFound, requireKnownAgent } from "../../agents/known_agents.ts";
import { unsavedAgent } from "../../agents/parse_agent.ts";
import { ExecutionNotFound, ReadOnlyRuntime } from "../../executions/refusals.ts";
import { findRepeatedRun } from "../../executions/runs/acceptance.ts";
import { toRunSpec } from "../../executions/runs/run_request.ts";
import type { Runner } from "../../executions/runs/runner.ts";
import type { AgentListing, Runtime } from "../../interface/runtime.ts";
import { readRedactedTail } from "../../service_log/log_tail.ts";
import { followExecution } from "./followed_execution.ts";
import { describeScheduler, toListings } from "./scheduler_status.ts";
import { withKept } from "./kept_results.ts";
import { once } from "../once.ts";
import { Replays } from "../replays.ts";
import type { RuntimeParts } from "../open_parts.ts";
import { ShownHistory } from "./shown_history.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { makeRecap } from "../../interface/recap.ts";
import type { Triggers } from "../../triggers/triggers.ts";

const loadSignIns = lazyModule(() => import("../../tools/mcp/sign_in/browser_sign_ins.ts"));
const loadAutoApproval = lazyModule(() => import("../files/auto_approval.ts"));
const loadFiles = lazyModule(() => import("../files/workspace_files.ts"));
const loadNamedKeys = lazyModule(() => import("../../people/named_keys.ts"));
const loadPlanRun = lazyModule(() => import("../plan/plan_run.ts"));
/**
 * The runtime of this process. Throws ReadOnlyRuntime for operations that need a part which it was opened without, such as
 * a runner or triggers.
 */
export class LocalRuntime implements Runtime {
  readonly version: Runtime["version"];
  readonly directories: Runtime["directories"];
  readonly clock: Runtime["clock"];
  readonly log: Runtime["log"];
  readonly startedAt: Runtime["startedAt"];
  readonly events: Runtime["events"];
  readonly messages: Runtime["messages"];
  readonly storage: Runtime["storage"];
  readonly webhooks: Runtime["webhooks"];
  readonly budgets: Runtime["budgets"];
  readonly replays: Runtime["replays"];
  readonly audit: Runtime["audit"];
  readonly keys: Runtime["keys"] = once(async () =>
    new (await loadNamedKeys()).SqlNamedKeys(this.#parts.db, this.#parts)
  );
  readonly signIns: Runtime["signIns"] = once(async () => {
    const { BrowserSignIns } = await loadSignIns();
    return new BrowserSignIns({ ...this.#parts, history: this.#history, runtime: this });
  });
  readonly files: Runtime["files"] = once(async () =>
    new (await loadFiles()).LocalWorkspaceFiles(this.#parts)
  );
  readonly #parts: RuntimeParts;
  readonly #currentAgents: CurrentAgents;
  readonly #history: ShownHistory;
  #listings: readonly AgentListing[] = [];

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    const { registry, agentFiles, settings: { directories } } = parts;
    const reload = () => agentFiles.reload();
    this.#currentAgents = new CurrentAgents({ registry, agentsDir: directories.agentsDir, reload });
    this.#history = new ShownHistory(parts);
    this.version = parts.version;
    this.directories = directories;
    this.clock = parts.clock;
    this.log = parts.log;
    this.events = parts.events;
    this.messages = parts.notifications;
    this.storage = parts.storage;
    this.webhooks = parts.triggers?.webhooks;
    this.budgets = parts.budgetService;
    this.replays = new Replays(parts);
    this.audit = parts.audit;
    this.startedAt = parts.clock.now();
  }

  get config(): Runtime["config"] {
    return this.#parts.settings.config;
  }

  listAgents: Runtime["listAgents"] = async ({ fresh = false } = {}) => {
    if (fresh) await Promise.all([this.#parts.refreshConfig(), this.#parts.agentFiles.reload()]);
    const { registry } = this.#parts;
    return this.#listings = withKept(await this.#toListings(registry.list()), this.#listings);
  };

  getAgent: Runtime["getAgent"] = async (id, { fresh = true } = {}) =>
    (await this.#toListings([await this.#currentAgent(id, { fresh })]))[0]!;

  planRun: Runtime["planRun"] = async (id, options) => {
    await this.#parts.refreshConfig();
    const { planRun } = await loadPlanRun();
    const ports = { ...this.#parts, ...this.#parts.runPorts };
    return await planRun(await this.#currentAgent(id), { ...options, ports });
  };

  brokenAgentFiles: Runtime["brokenAgentFiles"] = () =>
    this.#parts.redactor.redactValue(this.#parts.registry.broken());

  reloadAgents: Runtime["reloadAgents"] = async () => {
    await this.#parts.refreshConfig();
    await this.#parts.agentFiles.reload();
    const report = this.#parts.registry.reportChanges();
    // A requested reload also re-arms the triggers that were stopped.
    await this.#parts.triggers?.reset();
    return report;
  };

  run: Runtime["run"] = async (agentId, request) => {
    const notices = await this.#parts.refreshConfig();
    const agent = await this.#currentAgents.find(agentId) ??
      (request.agentText === undefined ? undefined : unsavedAgent(agentId, this.#parts.settings));
    const audit = this.#parts.audit.entry("start", request.by);
    const spec = { ...await toRunSpec(request), notices, audit };
    const execution = agent === undefined
      ? await findRepeatedRun(agentId, spec, this.#parts)
      : await this.#runner().start(agent, spec);
    if (execution === undefined) throw new AgentNotFound(agentId);
    return this.#history.show(execution);
  };

  cancel: Runtime["cancel"] = async (id, by) => {
    const { audit } = this.#parts;
    const status = await this.#runner().cancel(id, audit.entry("cancel", by));
    // The run ends later, so the request of the cancel is recorded.
    if (status === "cancelling") await audit.record("cancel", by, { executionId: id });
    return status;
  };

  wake: Runtime["wake"] = async (id, by) =>
    await this.#runner().wake(id, this.#parts.audit.entry("wake", by));

  pendingRequest: Runtime["pendingRequest"] = async (id) => {
    await this.#requireExecution(id);
    return await this.#history.pendingRequest(id);
  };

  previewArguments: Runtime["previewArguments"] = async (id, edit) => {
    await this.#parts.refreshConfig();
    return await this.#history.preview(await this.#runner().editedRequest(id, edit));
  };

  respond: Runtime["respond"] = async (id, response) => {
    await this.#parts.refreshConfig();
    const audit = this.#parts.audit.entry("answer", response.by);
    return await this.#runner().respond(id, { ...response, audit });
  };

  autoApprove: Runtime["autoApprove"] = async (agentId, request) => {
    this.#runner();
    const [{ autoApprove }, { FILE_EDITS }] = await Promise.all([loadAutoApproval(), loadFiles()]);
    return await FILE_EDITS.run(async () => {
      const approval = await autoApprove(await this.#currentAgent(agentId), request, this.#parts);
      if (approval.written) await this.#parts.agentFiles.reload();
      return approval;
    });
  };

  listExecutions: Runtime["listExecutions"] = async (filter) => await this.#history.list(filter);

  listRuns: Runtime["listRuns"] = async (agentId, page) =>
    await this.#history.list({ agentId: await requireKnownAgent(agentId, this.#parts), ...page });

  getExecution: Runtime["getExecution"] = async (id) => await this.#history.get(id);

  readFrames: Runtime["readFrames"] = async (id, page) => {
    await this.#requireExecution(id);
    const limits = { limit: -1, ...page, maxBytes: Infinity };
    return (await this.#parts.frames.readFrames(id, limits)).frames;
  };

  follow: Runtime["follow"] = async (id, options) => {
    const log = await this.#parts.executionLog.open(id, { deltas: false, ...options });
    if (log === undefined) throw new ExecutionNotFound();
    return { ...log, items: followExecution(log, { ...options, ports: this.#parts }) };
  };

  checkpointStats: Runtime["checkpointStats"] = () => this.#parts.retention.stats();

  purgeCheckpoints: Runtime["purgeCheckpoints"] = async ({ agentId, force, by }) => {
    const { mode, runner } = this.#parts;
    if (mode === "read-only") throw new ReadOnlyRuntime();
    const known = agentId === undefined ? undefined : await requireKnownAgent(agentId, this.#parts);
    return await this.#parts.retention.purge({
      ...(known !== undefined && { agentId: known }),
      force,
      audit: this.#parts.audit.entry("purge", by, { agentId: known ?? null, detail: { force } }),
      abortWaiting: async (id, error) => void await runner.abortWaiting(id, error),
    });
  };

  countExecutions: Runtime["countExecutions"] = (ids) => this.#parts.executions.countOpen(ids);

  listNodes: Runtime["listNodes"] = async () => await this.#parts.nodes?.listNodes() ?? [];

  usage: Runtime["usage"] = async (request) => await this.#history.usage(request);

  countOutcomes: Runtime["countOutcomes"] = (since) => this.#parts.executions.countOutcomes(since);

  recap: Runtime["recap"] = async (span) =>
    await makeRecap(span, {
      ...this.#parts,
      registry: { broken: this.brokenAgentFiles },
      listings: await this.listAgents(),
      waiting: await this.#history.openRequests(),
    });

  redact: Runtime["redact"] = (text) => this.#parts.redactor.redact(text);
  readLog: Runtime["readLog"] = async ({ lines }) =>
    await readRedactedTail(this.directories.logFile, { ...this.#parts, lines });

  scheduler: Runtime["scheduler"] = async ({ upcoming } = { upcoming: 0 }) =>
    await describeScheduler(await this.listAgents(), { ...this.#parts, upcoming });

  listSlots: Runtime["listSlots"] = async (agentId, page) =>
    await this.#parts.slots.listSlots(await requireKnownAgent(agentId, this.#parts), page);

  pauseScheduler: Runtime["pauseScheduler"] = async (by) =>
    void await this.#triggers().change("paused", this.#parts.audit.entry("pause", by));
  resumeScheduler: Runtime["resumeScheduler"] = async (by) =>
    await this.#triggers().change("running", this.#parts.audit.entry("resume", by));
  resumeAgent: Runtime["resumeAgent"] = async (id, by) => {
    const agentId = (await this.#currentAgent(id)).id;
    const audit = this.#parts.audit.entry("resume_agent", by, { agentId });
    return await this.#triggers().resumeAgent(agentId, audit);
  };

  stop: Runtime["stop"] = async (options) => {
    if (this.#parts.mode === "service") await this.#parts.runner.stop(options);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
    await this.#parts.resources.disposeAsync();
  }

  #toListings(agents: readonly Agent[]): Promise<AgentListing[]> {
    return toListings(agents, { ...this.#parts, history: this.#history });
  }

  #triggers(): Triggers {
    const { triggers } = this.#parts;
    if (triggers === undefined) throw new ReadOnlyRuntime();
    return triggers;
  }

  #runner(): Runner {
    const { mode, runner } = this.#parts;
    if (mode !== "service") throw new ReadOnlyRuntime();
    return runner;
  }

  /** Throws AgentNotFound. */
  async #currentAgent(id: string, { fresh } = { fresh: true }): Promise<Agent> {
    const agent = fresh ? await this.#currentAgents.find(id) : this.#parts.registry.get(id);
    if (agent === undefined) throw new AgentNotFound(id);
    return agent;
  }

  async #requireExecution(id: number): Promise<void> {
    if (await this.#parts.frames.readLogState(id) === undefined) throw new ExecutionNotFound();
  }
}
