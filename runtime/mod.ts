// The way into the runtime: opens one over a workspace and wires its parts, bottom-up.
import type { Agent } from "./agents/agent.ts";
import { type MachineTimeZone, readMachineTimeZone } from "./agents/machine_time_zone.ts";
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
import { startService } from "./service_start.ts";
import { formatDiagnostic } from "./diagnostics.ts";
import type { ServiceLog } from "./service_log/service_log.ts";
import type { WorkspaceSettings } from "./config/settings.ts";
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
  /** What every run is reported to; absent: nothing. */
  telemetry?: Telemetry;
}

/**
 * Opens a runtime and reads the agents. A `service` also ends the executions that a dead service left running, or resumes
 * those that are to be resumed, then starts the triggers; the other modes leave such executions as they are. Throws
 * StateDirUnusable and DatabaseUnusable, and AlreadyRunning where the state directory is to be owned; nothing stays open
 * then.
 */
export async function openRuntime(options: OpenRuntimeOptions): Promise<Runtime> {
  const { settings, version, mode } = options;
  const { config, directories } = settings;
  const clock = options.clock ?? new SystemClock();
  await using resources = new AsyncDisposableStack();
  const { db, instanceId } = await openStorage(directories, { mode, clock, resources });
  const agents = await openAgents({ settings, clock, log: options.log });
  const { registry, agentFiles, redactor, events, log } = agents;
  const stores = createExecutionStores(db, instanceId);
  const frames = new SqliteFrameStore(db);
  const executionLog = new ExecutionLog(frames);
  const checkpoints = new SqliteCheckpointStore(db, directories.databaseFile);
  const retention = new Retention({ store: checkpoints, log });
  const pause = new Pause({ store: new SqliteSettingsStore(db), events });
  const slots = new SqliteSlotStore(db);
  const machineTimeZone = lazyTimeZone(settings.shell["TZ"]);
  const timeZone = () => machineTimeZone().name;
  const openOwnWrites = once(async () => {
    const { OwnWrites } = await loadOwnWrites();
    return new OwnWrites();
  });
  const toolResources = new AsyncDisposableStack();
  const runner = new Runner({
    ...stores,
    ...createRunSupplies({
      settings,
      registry,
      clock,
      log,
      version,
      openOwnWrites,
      ownPorts: options.ownPorts ?? (() => []),
      resources: toolResources,
    }),
    events,
    findAgent: (id) => registry.get(id),
    whyUnreadable: (id) => registry.whyUnreadable(id),
    maxAgentDepth: config.maxAgentDepth,
    log: executionLog,
    redactor,
    keyRedactor: agents.keyRedactor,
    clock,
    telemetry: options.telemetry ?? NO_TELEMETRY,
    environment: settings.environment,
    serviceLog: log,
    timeZone,
    isProviderKey: agents.isProviderKey,
  });
  const triggers = mode !== "service" ? undefined : await startService({
    settings,
    db,
    slots,
    registry,
    agentFiles,
    folders: agents.folders,
    runner,
    retention,
    pause,
    openOwnWrites,
    machineTimeZone,
    events,
    clock,
    log,
    toolResources,
    resources,
  });
  if (mode === "upkeep") {
    resources.use(runner);
    // A parent whose waiting child is ended would continue: here it ends, too.
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
    runner: mode === "service" ? runner : undefined,
    abortWaiting: mode === "read-only" ? undefined : (id, error) => runner.abortWaiting(id, error),
    pause,
    triggers,
    slots,
    events,
    resources: resources.move(),
  });
}

/** Opens the database; a mode that owns the state directory makes it, locks it and registers this process first. */
async function openStorage(
  directories: Directories,
  { mode, clock, resources }:
    & Pick<OpenRuntimeOptions, "mode">
    & { clock: Clock; resources: AsyncDisposableStack },
): Promise<{ db: Database; instanceId: string }> {
  const instanceId = crypto.randomUUID();
  if (mode === "read-only") {
    return { db: resources.use(openReadOnlyDatabase(directories)), instanceId };
  }
  await makeStateDir(directories.stateDir);
  resources.use(InstanceLock.take(directories));
  const db = resources.use(Database.open(directories.databaseFile));
  openInstance(db, { id: instanceId, pid: Deno.pid, startedAt: clock.now() });
  resources.defer(() => closeInstance(db, instanceId, clock.now()));
  return { db, instanceId };
}

function openReadOnlyDatabase(
  { databaseFile, stateDir }: Pick<Directories, "databaseFile" | "stateDir">,
): Database {
  try {
    Deno.lstatSync(databaseFile);
  } catch (error) {
    // Nothing ran here yet: an empty history, and no file made to show it.
    if (error instanceof Deno.errors.NotFound) return Database.open(":memory:");
    throw new StateDirUnusable(stateDir, error);
  }
  return Database.open(databaseFile, { readOnly: true });
}

/** Reads the agents. With them comes all that depends on which variables they name for their keys: secrets, redaction, log. */
async function openAgents(
  { settings, clock, log: unredacted }: Pick<OpenRuntimeOptions, "settings" | "log"> & {
    clock: Clock;
  },
) {
  const { config, directories, environment, home } = settings;
  const registry = new AgentRegistry({
    directories,
    config,
    home,
    // Asked by reload() below; the log needs the registry first.
    inspect: (agent) => findGaps(agent, { settings, log }),
  });
  const keys = new ProviderKeys(() => registry.list());
  const secrets = withCollectorSecrets(
    () => environment.secrets(keys.namedByAgents()),
    (name) => environment.get(name),
  );
  const redactor = new Redactor(secrets);
  const log: ServiceLog = new RedactedLog(unredacted, redactor);
  for (const problem of [...config.warnings, ...environment.problems()]) {
    log.write("warn", formatDiagnostic(problem));
  }
  const events = new EventBus(log);
  const folders = new FolderWatches({ clock, log });
  const { agentsDir } = directories;
  const agentFiles = new AgentFiles({ registry, agentsDir, events, clock, log, folders });
  await agentFiles.reload();
  return {
    registry,
    agentFiles,
    folders,
    redactor,
    keyRedactor: new Redactor(() => secrets().filter(({ name }) => keys.has(name))),
    isProviderKey: (name: string) => keys.has(name),
    events,
    log,
  };
}

/** Found when it is first needed: that takes longer than to open the database. */
function lazyTimeZone(variable: string | undefined): () => MachineTimeZone {
  let found: MachineTimeZone | undefined;
  return () => found ??= readMachineTimeZone(variable);
}

/** What an agent needs and Deno's flags refuse, logged once; looked for only where flags refuse anything. */
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
