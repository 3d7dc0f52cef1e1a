// Creates the objects of a runtime over a workspace, and connects them. Starts no run and no trigger.
import { type MachineTimeZone, readMachineTimeZone } from "../agents/machine_time_zone.ts";
import { CurrentAgents } from "../agents/current_agents.ts";
import { SqlAudit } from "../audit/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { BudgetService, createBudgetWarning } from "../executions/budget/budget_service.ts";
import type { Context } from "../config/context.ts";
import { BudgetGate } from "../executions/budget/budget_gate.ts";
import { ExecutionLog } from "../events/log.ts";
import { followersOf, verdictOf } from "../executions/runs/consequences.ts";
import { Retention } from "../executions/runs/retention.ts";
import { Runner } from "../executions/runs/runner.ts";
import { NO_MESSAGES } from "../notify/outbox.ts";
import { NO_TELEMETRY, type Telemetry } from "../executions/loop/telemetry.ts";
import { ConfigFollower } from "./config_follower.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { once } from "./once.ts";
import type { Authoring } from "../interface/workspace_files.ts";
import { openAgents } from "./open_agents.ts";
import { openNotifications, type ServiceHooks } from "./open_notifications.ts";
import { openStorage, type RuntimeMode } from "./open_storage.ts";
import { createRunSupplies } from "./run_supplies.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { SqlCheckpointStore } from "../storage/executions/checkpoints.ts";
import { createExecutionStores } from "../storage/executions/execution_stores.ts";
import { SqlFrameStore } from "../storage/frames.ts";
import { SqlKnownToolStore } from "../storage/known_tools.ts";
import { SqlSettingsStore } from "../triggers/settings_store.ts";
import { SqlTriggerStateStore } from "../triggers/firing/trigger_state_store.ts";
import { SqlSlotStore } from "../triggers/schedule/slots.ts";
import { Pause } from "../triggers/pause.ts";
import type { Triggers } from "../triggers/triggers.ts";

const loadAgentVariant = lazyModule(() => import("./agent_variant.ts"));
/** Loaded with the first run or the first agent with a watch. */
const loadOwnWrites = lazyModule(() => import("../triggers/watch/own_writes.ts"));
const loadNodes = lazyModule(() => import("../executions/nodes/node_reads.ts"));

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

/** The objects of a runtime. */
export type OpenedParts = Awaited<ReturnType<typeof openParts>>;

/** The objects of a runtime, with its automatic triggers. Undefined in a runtime that runs no agents. */
export type RuntimeParts = OpenedParts & { triggers: Triggers | undefined };

/**
 * Creates the objects of a runtime, and reads the agents. Adds to `resources` what must be closed. Throws as openRuntime()
 * does.
 */
// deno-lint-ignore explicit-module-boundary-types -- OpenedParts is the type, so that no list repeats these objects
export async function openParts(options: OpenRuntimeOptions, resources: AsyncDisposableStack) {
  const { settings, version, mode } = options;
  // The redacted log replaces this log below.
  let report = options.log;
  const { db, instanceId, clock, node } = await openStorage(settings, {
    ...options,
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
  let foundZone: MachineTimeZone | undefined;
  // Reads the time zone on the first call, because reading is slow.
  const machineTimeZone = () => foundZone ??= readMachineTimeZone(settings.shell["TZ"]);
  const timeZone = () => machineTimeZone().name;
  const context: Context = { settings, clock, log, redactor, timeZone };
  const notifications = openNotifications({ ...options, ...agents, ...context, ownPorts, db });
  // In the other modes a person watches the output, so no messages are sent.
  const outbox = mode === "service" ? notifications.outbox : NO_MESSAGES;
  const isShared = node !== undefined;
  const stores = createExecutionStores(db, instanceId, { messages: outbox, isShared });
  const frames = new SqlFrameStore(db);
  const executionLog = new ExecutionLog(frames);
  const audit = new SqlAudit(db, { clock, days: () => settings.config.auditRetentionDays });
  const remembered = new SqlSettingsStore(db);
  const openOwnWrites = once(async () => {
    const { OwnWrites } = await loadOwnWrites();
    return new OwnWrites(node && ((write) => node.notify("wrote", JSON.stringify(write))));
  });
  const findAgent = (id: string) => registry.get(id);
  // Used for runs that other runs and triggers start, because the watcher may report a change of a file later.
  const current = new CurrentAgents({
    registry,
    agentsDir: settings.directories.agentsDir,
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
  const supplies = createRunSupplies({
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
  });
  const runPorts = {
    ...context,
    ...supplies,
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
  return {
    ...agents,
    ...context,
    ...stores,
    ...supplies,
    ...{ mode, version, authoring: options.authoring },
    db,
    node,
    nodes,
    ownPorts,
    machineTimeZone,
    notifications,
    frames,
    executionLog,
    retention: new Retention({ store: new SqlCheckpointStore(db), log }),
    audit,
    remembered,
    pause: new Pause({ store: remembered, events }),
    slots: new SqlSlotStore(db, outbox),
    triggerStates: new SqlTriggerStateStore(db),
    storage: {
      kind: db.kind,
      place: db.place,
      get problem() {
        return node?.problem;
      },
    },
    openOwnWrites,
    currentAgent,
    runPorts,
    runner,
    budgetService: new BudgetService({
      store: stores.budgets,
      audit,
      gate,
      executions: stores.executions,
      listAgents: () => registry.list(),
      findAgent,
      isReadOnly: mode !== "service",
    }),
    follower,
    /**
     * Reads config.yaml and the environment files if they have changed, and then the agents, whose defaults are in
     * config.yaml. Returns notices about files that keep changing.
     */
    refreshConfig: async () => mode === "service" ? await follower.refreshWhole() : [],
    toolResources,
    resources,
  };
}
