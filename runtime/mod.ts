// The way into the runtime: opens one over a workspace and wires its parts, bottom-up.
import type { Agent } from "./agents/agent.ts";
import {
  type MachineTimeZone,
  readMachineTimeZone,
  TIME_ZONE_HINT,
} from "./agents/machine_time_zone.ts";
import { AgentRegistry } from "./agents/registry.ts";
import type { ResourceProblem } from "./agents/validate_resources.ts";
import { type Clock, SystemClock } from "./clock.ts";
import type { Directories } from "./config/directories.ts";
import { isConfined } from "./denied_permission.ts";
import { EventBus } from "./events/bus.ts";
import { ExecutionLog } from "./events/log.ts";
import { Redactor } from "./secrets/redactor.ts";
import { Retention } from "./executions/retention.ts";
import { Runner } from "./executions/runner.ts";
import { NO_TELEMETRY, type Telemetry } from "./executions/telemetry.ts";
import { InstanceLock } from "./storage/instance_lock.ts";
import { LocalRuntime } from "./local_runtime.ts";
import { lazyModule } from "./lazy_module.ts";
import { once } from "./once.ts";
import { ProviderKeys } from "./models/provider_keys.ts";
import { RedactedLog } from "./service_log/redacted_log.ts";
import type { Runtime } from "./runtime.ts";
import { createRunSupplies } from "./run_supplies.ts";
import { createServiceTriggers } from "./service_triggers.ts";
import { formatDiagnostic } from "./diagnostics.ts";
import type { ServiceLog } from "./service_log/service_log.ts";
import type { WorkspaceSettings } from "./config/settings.ts";
import { findMissingWorkspace, missingWorkspaceHint } from "./config/workspace_folder.ts";
import { makeStateDir, StateDirUnusable } from "./storage/state_dir.ts";
import { SqliteCheckpointStore } from "./storage/checkpoints.ts";
import { Database } from "./storage/database.ts";
import { createExecutionStores } from "./storage/execution_stores.ts";
import { SqliteFrameStore } from "./storage/frames.ts";
import { closeInstance, openInstance } from "./storage/instances.ts";
import { SqliteSettingsStore } from "./storage/settings.ts";
import { SqliteSlotStore } from "./storage/slots.ts";
import { withCollectorSecrets } from "./telemetry/collector_secrets.ts";
import { AgentFiles } from "./triggers/agent_files.ts";
import { FolderWatches } from "./triggers/folder_watches.ts";
import { Pause } from "./triggers/pause.ts";
import type { Triggers } from "./triggers/triggers.ts";

export { loadSettings, type Surroundings, type WorkspaceSettings } from "./config/settings.ts";

/** Loaded with the first run, or the first agent that watches something. */
const loadOwnWrites = lazyModule(() => import("./triggers/own_writes.ts"));
const loadPermissionGaps = lazyModule(() => import("./permissions/permission_gaps.ts"));

/** How a runtime is opened. */
export interface OpenRuntimeOptions {
  settings: WorkspaceSettings;
  version: string;
  /** Where the service log goes; what is written to it has passed the redaction. */
  log: ServiceLog;
  /**
   * `service` owns the state directory: one process at a time, runs agents. `upkeep` owns it likewise, runs and starts
   * nothing, and removes what it is asked to. `read-only` looks at what is there, beside a service or without one, and
   * changes nothing.
   */
  mode: "service" | "upkeep" | "read-only";
  clock?: Clock;
  /** TCP ports of the service itself, which agents must not reach. */
  ownPorts?: () => readonly number[];
  /** Who is told of every run; absent: nobody. */
  telemetry?: Telemetry;
}

/**
 * Opens a runtime: reads the agents, opens the database, ends what a crash left running. Throws
 * StateDirUnusable, AlreadyRunning and DatabaseUnusable; nothing stays open then.
 */
export async function openRuntime(options: OpenRuntimeOptions): Promise<Runtime> {
  const { settings, version, mode } = options;
  const { config, directories, environment } = settings;
  const clock = options.clock ?? new SystemClock();
  const registry = new AgentRegistry({
    ...{ directories, config, home: settings.home },
    inspect: (agent) => findGaps(agent, { settings, log }),
  });
  const keys = new ProviderKeys(() => registry.list());
  const secrets = withCollectorSecrets(
    () => environment.secrets(keys.namedByAgents()),
    (name) => environment.get(name),
  );
  const redactor = new Redactor(secrets);
  const log: ServiceLog = new RedactedLog(options.log, redactor);
  await using resources = new AsyncDisposableStack();

  const isService = mode === "service";
  const isOwner = mode !== "read-only";
  if (isOwner) {
    await makeStateDir(directories.stateDir);
    resources.use(InstanceLock.take(directories));
  }
  const db = resources.use(openDatabase(directories, mode));
  const instanceId = crypto.randomUUID();
  if (isOwner) {
    openInstance(db, { id: instanceId, pid: Deno.pid, startedAt: clock.now() });
    resources.defer(() => closeInstance(db, instanceId, clock.now()));
  }

  for (const problem of [...config.warnings, ...environment.problems()]) {
    log.write("warn", formatDiagnostic(problem));
  }
  const stores = createExecutionStores(db, instanceId);
  const frames = new SqliteFrameStore(db);
  const executionLog = new ExecutionLog(frames);
  const events = new EventBus(log);
  let triggers: Triggers | undefined;
  let goOnWithRuns = () => {};
  const reconcile = async () => {
    const isUnreadable = (id: string) => registry.isUnreadable(id);
    await triggers?.reconcile(registry.list(), { isUnreadable });
  };
  const folders = new FolderWatches({ clock, log });
  const agentFiles = new AgentFiles({
    registry,
    agentsDir: directories.agentsDir,
    events,
    clock,
    log,
    folders,
    onReloaded: async () => {
      goOnWithRuns();
      await reconcile();
    },
  });
  await agentFiles.reload();
  const findAgent = (id: string) => registry.get(id);
  const checkpoints = new SqliteCheckpointStore(db, directories.databaseFile);
  const retention = new Retention({ store: checkpoints, log });
  // Asked for when it is needed: to find it takes longer than to open the database.
  let foundZone: MachineTimeZone | undefined;
  const machineTimeZone = () => foundZone ??= readMachineTimeZone(settings.shell["TZ"]);
  const timeZone = () => machineTimeZone().name;
  const openOwnWrites = once(async () => {
    const { OwnWrites } = await loadOwnWrites();
    return new OwnWrites();
  });
  const toolResources = new AsyncDisposableStack();
  const runner = new Runner({
    ...stores,
    ...createRunSupplies({
      ...{ settings, registry, clock, log, version, openOwnWrites },
      ownPorts: options.ownPorts ?? (() => []),
      resources: toolResources,
    }),
    events,
    findAgent,
    whyUnreadable: (id) => registry.whyUnreadable(id),
    maxAgentDepth: config.maxAgentDepth,
    log: executionLog,
    redactor,
    keyRedactor: new Redactor(() => secrets().filter(({ name }) => keys.has(name))),
    clock,
    telemetry: options.telemetry ?? NO_TELEMETRY,
    environment,
    serviceLog: log,
    timeZone,
    isProviderKey: (name) => keys.has(name),
  });
  goOnWithRuns = () => runner.agentsRead();
  const pause = new Pause({ store: new SqliteSettingsStore(db), events });
  const slots = new SqliteSlotStore(db);
  if (isService) {
    await warnOfMissingWorkspace(settings, log);
    if (settings.shell["TZ"] !== undefined) warnOfTimeZone(machineTimeZone(), log);
    resources.use(folders);
    resources.use(agentFiles);
    agentFiles.watch();
    resources.use(toolResources);
    resources.use(runner);
    await runner.recover();
    await retention.sweep({
      now: clock.now(),
      checkpointDays: config.checkpointRetentionDays,
      logDays: config.logRetentionDays,
    });
    triggers = resources.use(
      createServiceTriggers({
        ...{ settings, db, slots, runner, pause, folders, openOwnWrites },
        ...{ findAgent, timeZone, events, clock, log },
      }),
    );
    await reconcile();
    triggers.start();
  }
  if (mode === "upkeep") {
    resources.use(runner);
    // A parent whose waiting child is ended would go on: here it ends, too.
    await runner.stop({ graceMs: 0, error: "Aborted: what it waited for was purged" });
  }
  return new LocalRuntime({
    version,
    config,
    directories,
    clock,
    log,
    registry,
    agentFiles,
    executions: stores.executions,
    requests: stores.requests,
    families: stores.families,
    frames,
    executionLog,
    timeZone,
    redactor,
    retention,
    runner: isService ? runner : undefined,
    abortWaiting: isOwner ? (id, error) => runner.abortWaiting(id, error) : undefined,
    pause,
    triggers,
    slots,
    events,
    resources: resources.move(),
  });
}

/** Such a service goes on: a disk may come later, and the agents with it. */
async function warnOfMissingWorkspace(
  { config, directories: { workspace }, home }: WorkspaceSettings,
  log: ServiceLog,
): Promise<void> {
  if (await findMissingWorkspace(workspace, { home }) === undefined) return;
  const message = "The workspace does not exist: there are no agents until it does";
  log.write("warn", message, { workspace, hint: missingWorkspaceHint(config) });
}

function warnOfTimeZone({ name, unknown }: MachineTimeZone, log: ServiceLog): void {
  if (unknown === undefined) return;
  const hint = `${TIME_ZONE_HINT}, then start the service again`;
  log.write("warn", `TZ is no time zone that is known: local times are ${name}`, {
    tz: unknown,
    hint,
  });
}

/** What an agent needs and Deno's flags refuse, told once; looked for only where they close anything. */
async function findGaps(
  agent: Agent,
  { settings, log }: { settings: WorkspaceSettings; log: ServiceLog },
): Promise<ResourceProblem[]> {
  if (!isConfined()) return [];
  const { permissionGaps } = await loadPermissionGaps();
  const gaps = await permissionGaps(agent, settings);
  for (const { message, hint } of gaps) log.write("warn", message, { agent: agent.id, hint });
  return gaps;
}

function openDatabase(
  { databaseFile, stateDir }: Pick<Directories, "databaseFile" | "stateDir">,
  mode: OpenRuntimeOptions["mode"],
): Database {
  if (mode !== "read-only") return Database.open(databaseFile);
  try {
    Deno.lstatSync(databaseFile);
  } catch (error) {
    // Nothing ran here yet: an empty history, and no file made to show it.
    if (error instanceof Deno.errors.NotFound) return Database.open(":memory:");
    throw new StateDirUnusable(stateDir, error);
  }
  return Database.open(databaseFile, { readOnly: true });
}
