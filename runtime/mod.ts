// Opens a runtime over a workspace: creates its objects and connects them.
import { type MachineTimeZone, readMachineTimeZone } from "./agents/machine_time_zone.ts";
import { CurrentAgents } from "./agents/current_agents.ts";
import { SqlAudit } from "./audit/audit.ts";
import type { Clock } from "../base/clock.ts";
import { errorAtStart } from "../base/diagnostics.ts";
import { BudgetService, createBudgetWarning } from "./executions/budget/budget_service.ts";
import type { Context } from "./config/context.ts";
import { BudgetGate } from "./executions/budget/budget_gate.ts";
import { ExecutionLog } from "./events/log.ts";
import { STOPS } from "./vocabulary/end_reason.ts";
import { followersOf, verdictOf } from "./executions/runs/consequences.ts";
import { Retention } from "./executions/runs/retention.ts";
import { Runner } from "./executions/runs/runner.ts";
import { NO_MESSAGES } from "./notify/outbox.ts";
import { NO_TELEMETRY, type Telemetry } from "./executions/loop/telemetry.ts";
import { ConfigFollower } from "./wiring/config_follower.ts";
import { LocalRuntime } from "./wiring/local_runtime.ts";
import { lazyModule } from "../base/lazy_module.ts";
import { once } from "./wiring/once.ts";
import type { Runtime } from "./interface/runtime.ts";
import type { Authoring } from "./interface/workspace_files.ts";
import { openAgents } from "./wiring/open_agents.ts";
import { openNotifications, type ServiceHooks } from "./wiring/open_notifications.ts";
import { openStorage, type RuntimeMode } from "./wiring/open_storage.ts";
import { Replays } from "./wiring/replays.ts";
import { createRunSupplies } from "./wiring/run_supplies.ts";
import { startService } from "./wiring/service_start.ts";
import type { ServiceLog } from "./service_log/service_log.ts";
import type { WorkspaceSettings } from "./config/settings.ts";
import { SqlCheckpointStore } from "./storage/executions/checkpoints.ts";
import { createExecutionStores } from "./storage/executions/execution_stores.ts";
import { SqlFrameStore } from "./storage/frames.ts";
import { SqlKnownToolStore } from "./storage/known_tools.ts";
import { SqlSettingsStore } from "./triggers/settings_store.ts";
import { SqlTriggerStateStore } from "./triggers/firing/trigger_state_store.ts";
import { SqlSlotStore } from "./triggers/schedule/slots.ts";
import { Pause } from "./triggers/pause.ts";

export { loadSettings, type Surroundings, type WorkspaceSettings } from "./config/settings.ts";

const loadAgentVariant = lazyModule(() => import("./wiring/agent_variant.ts"));
const loadNamedKeys = lazyModule(() => import("./people/named_keys.ts"));
/** Loaded with the first run or the first agent with a watch. */
const loadOwnWrites = lazyModule(() => import("./triggers/watch/own_writes.ts"));
const loadNodes = lazyModule(() => import("./executions/nodes/node_reads.ts"));
const loadPlanRun = lazyModule(() => import("./wiring/plan/plan_run.ts"));

/** Options of openRuntime(). */
export interface OpenRuntimeOptions extends ServiceHooks {
  settings: WorkspaceSettings;
  version: string;
  /** The sink of the service log. It receives redacted lines only. */
  log: ServiceLog;
  mode: RuntimeMode;
  /** True if the caller holds the locks of the state directories until the runtime is disposed. Default: false. */
  isLocked?: boolean;
  clock?: Clock;
  /** Returns the TCP ports of the service itself, which agents must not reach. */
  ownPorts?: () => readonly number[];
  /** Receives the telemetry of every run. If absent, there is none. */
  telemetry?: Telemetry;
  /** Opens the checks and facts of files that people write. If absent, files are only parsed. */
  authoring?: () => Promise<Authoring>;
}

/**
 * Opens a runtime and reads the agents. In the mode `service`, also resumes or ends the executions of a dead service, and
 * starts the triggers. Throws StateDirUnusable and DatabaseUnusable, and AlreadyRunning if another service owns the state
 * directory. After an error, nothing stays open.
 */
export async function openRuntime(options: OpenRuntimeOptions): Promise<Runtime> {
  const { settings, version, mode } = options;
  const { directories } = settings;
  await using resources = new AsyncDisposableStack();
  // The redacted log replaces this log below.
  let report = options.log;
  const { db, instanceId, clock, node } = await openStorage(settings, {
    mode,
    version,
    isLocked: options.isLocked,
    clock: options.clock,
    resources,
    labelsOf: (id) => agents.registry.get(id)?.nodes ?? [],
    onOutage: (problem) => report.write("warn", problem),
  });
  const nodes = db.kind === "sqlite"
    ? undefined
    : new (await loadNodes()).SqlNodeReads(db, instanceId);
  const agents = await openAgents({ settings, clock, log: options.log });
  const { registry, agentFiles, redactor, events, log } = agents;
  report = log;
  const ownPorts = options.ownPorts ?? (() => []);
  const machineTimeZone = lazyTimeZone(settings.shell["TZ"]);
  const timeZone = () => machineTimeZone().name;
  const context: Context = { settings, clock, log, redactor, timeZone };
  const notifications = openNotifications({ ...options, ...agents, ...context, ownPorts, db });
  // In the other modes a person watches the output, so no messages are sent.
  const outbox = mode === "service" ? notifications.outbox : NO_MESSAGES;
  const isShared = node !== undefined;
  const stores = createExecutionStores(db, instanceId, { messages: outbox, isShared });
  const frames = new SqlFrameStore(db);
  const executionLog = new ExecutionLog(frames);
  const retention = new Retention({ store: new SqlCheckpointStore(db), log });
  const audit = new SqlAudit(db, { clock, days: () => settings.config.auditRetentionDays });
  const remembered = new SqlSettingsStore(db);
  const pause = new Pause({ store: remembered, events });
  const slots = new SqlSlotStore(db, outbox);
  const openOwnWrites = once(async () => {
    const { OwnWrites } = await loadOwnWrites();
    return new OwnWrites(node && ((write) => node.notify("wrote", JSON.stringify(write))));
  });
  const findAgent = (id: string) => registry.get(id);
  // Used for runs that other runs and triggers start, because the watcher may report a change of a file later.
  const current = new CurrentAgents({
    registry,
    agentsDir: directories.agentsDir,
    reload: () => agentFiles.read(),
  });
  const currentAgent = (id: string) => current.find(id);
  const gate = new BudgetGate({
    ...context,
    store: stores.budgets,
    families: stores.families,
    findAgent,
    warn: createBudgetWarning({ events, log, findAgent }),
  });
  const toolResources = new AsyncDisposableStack();
  const runPorts = {
    ...context,
    ...createRunSupplies({
      ...context,
      registry,
      version,
      gate,
      openOwnWrites,
      ownPorts,
      db,
      knownTools: new SqlKnownToolStore(db),
      tokenSecrets: agents.tokenSecrets,
      isFirstWarning: (warning) =>
        remembered.changeSetting(`told:${warning}`, "yes", { fallback: "no" }),
      resources: toolResources,
    }),
    conversations: stores.conversations,
    findAgent,
    redactor: agents.runRedactor,
    renewSecrets: agents.renewSecrets,
    keyRedactor: agents.keyRedactor,
    isProviderKey: agents.isProviderKey,
  };
  const runner = new Runner({
    ...stores,
    ...runPorts,
    events,
    currentAgent,
    whyUnreadable: (id) => registry.unreadableProblem(id),
    whyStale: (id) => registry.staleReason(id),
    budgetsOf: (agent) => gate.budgetsOf(agent),
    consequencesOf(execution, outcome) {
      const verdict = verdictOf(registry.get(execution.agentId), execution, outcome);
      const followers = followersOf(registry.list(), execution, outcome);
      return { followers, ...(verdict && { verdict }) };
    },
    async variantOf(agent, request) {
      if ((request.fork ?? request.trial ?? request.editorFolder) === undefined) return agent;
      const { agentVariant } = await loadAgentVariant();
      return agentVariant(agent, request, settings);
    },
    ...(node !== undefined && settings.database !== undefined && {
      shared: node.executions,
      rereadAgents: () => agentFiles.reload(),
      places: settings.database.node.runs,
    }),
    executionLog,
    telemetry: options.telemetry ?? NO_TELEMETRY,
  });
  const follower = new ConfigFollower({ ...options, settings, agentFiles, clock, log });
  const refreshConfig = async () => mode === "service" ? await follower.refreshWhole() : [];
  const triggers = mode !== "service" ? undefined : await startService({
    ...context,
    db,
    ...stores,
    slots,
    audit,
    registry,
    currentAgent,
    agentFiles,
    follower,
    folders: agents.folders,
    runner,
    retention,
    pause,
    remembered,
    ...{ openOwnWrites, supplies: runPorts, ownPorts },
    machineTimeZone,
    notifications,
    events,
    toolResources,
    resources,
    ...(node !== undefined && nodes !== undefined && { shared: { node, nodes, executionLog } }),
  });
  // In mode `service`, startService disposes them after the runs.
  if (mode !== "service") resources.use(toolResources);
  if (mode === "upkeep") {
    resources.use(runner);
    // A parent whose waiting child ends would continue, so its run is stopped here.
    await runner.stop({ graceMs: 0, error: STOPS.awaited_purged });
  }
  return new LocalRuntime({
    ...context,
    ...stores,
    version,
    refreshConfig,
    registry,
    agentFiles,
    openTools: runPorts.openTools,
    storage: {
      kind: db.kind,
      place: db.place,
      get problem() {
        return node?.problem;
      },
    },
    triggerStates: new SqlTriggerStateStore(db),
    nodes,
    frames,
    executionLog,
    openCredentials: runPorts.openCredentials,
    keys: once(async () => new (await loadNamedKeys()).SqlNamedKeys(db, { clock, audit })),
    withLessons(agent, problems) {
      const found = [...problems, ...runPorts.describeModelLimits(agent)];
      const limits = found.map((message) => (
        { ...errorAtStart(agent.sourcePath, message), severity: "warning" as const }
      ));
      return limits.length === 0 ? agent : { ...agent, warnings: [...agent.warnings, ...limits] };
    },
    async planRun(agent, options) {
      const { planRun } = await loadPlanRun();
      return await planRun(agent, {
        ...options,
        ports: { ...runPorts, triggers, pause },
      });
    },
    replays: new Replays({
      audit,
      recordedRuns: stores.recordedRuns,
      runPorts,
      findAgent,
      async refresh() {
        await refreshConfig();
        await agentFiles.reload();
      },
      runner: mode === "service" ? runner : undefined,
    }),
    authoring: options.authoring,
    retention,
    runner: mode === "service" ? runner : undefined,
    abortWaiting: mode === "read-only" ? undefined : (id, error) => runner.abortWaiting(id, error),
    pause,
    triggers,
    slots,
    audit,
    messages: notifications,
    budgets: new BudgetService({
      store: stores.budgets,
      audit,
      gate,
      executions: stores.executions,
      listAgents: () => registry.list(),
      findAgent,
      isReadOnly: mode !== "service",
    }),
    events,
    resources: resources.move(),
  });
}

/** Returns a function that reads the time zone on its first call, because reading is slow. */
function lazyTimeZone(variable: string | undefined): () => MachineTimeZone {
  let found: MachineTimeZone | undefined;
  return () => found ??= readMachineTimeZone(variable);
}
