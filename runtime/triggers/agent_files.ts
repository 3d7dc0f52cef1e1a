// Keeps the agents as their files are: one rescan after a burst of changes, or when somebody asks; tells what changed.
import { basename, dirname } from "node:path";
import { isAgentFileName } from "../agents/agent_id.ts";
import type { AgentRegistry, ReloadReport } from "../agents/registry.ts";
import type { Clock } from "../clock.ts";
import { exists } from "../config/exists.ts";
import { formatDiagnostic } from "../diagnostics.ts";
import type { EventBus } from "../events/bus.ts";
import type { ServiceLog } from "../service_log.ts";

/** An editor's save is several events: the rescan waits until none came for this long… */
const QUIET_MS = 200;
/** …but not longer than this, however busy the folder is. */
const LONGEST_WAIT_MS = 2_000;
/** How often a folder is looked at that cannot be watched: it does not exist yet, or the system has no watches left. */
const POLL_MS = 2_000;

/** What the files are kept with. */
export interface AgentFilesPorts {
  registry: AgentRegistry;
  agentsDir: string;
  events: EventBus;
  clock: Clock;
  log: ServiceLog;
  /** Called after each reload, before it returns. */
  onReloaded?: (report: ReloadReport) => Promise<void>;
}

/** The agents directory and its registry. */
export class AgentFiles implements AsyncDisposable {
  readonly #ports: AgentFilesPorts;
  readonly #over = new AbortController();
  #names: ReadonlyMap<string, string>;
  /** Errors already told, so that a file that stays broken is told once. */
  #told: ReadonlySet<string> = new Set();
  #watcher: Deno.FsWatcher | undefined;
  #watching: Promise<void> | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
    this.#names = namesOf(ports.registry);
  }

  /** Brings the agents up to date; publishes one event per real change. */
  async reload(): Promise<ReloadReport> {
    const { registry, events, log } = this.#ports;
    const report = await registry.load();
    const before = this.#names;
    this.#names = namesOf(registry);
    const publish = (change: "loaded" | "updated" | "removed", agentId: string) => {
      const displayName = this.#names.get(agentId) ?? before.get(agentId) ?? agentId;
      log.write("info", `Agent ${change}`, { agent: agentId });
      events.publish({ type: "agents_changed", change, agentId, displayName });
    };
    for (const id of report.removed) publish("removed", id);
    for (const id of report.added) publish("loaded", id);
    for (const id of report.updated) publish("updated", id);
    const errors = report.errors.map(formatDiagnostic);
    for (const error of errors) if (!this.#told.has(error)) log.write("warn", error);
    this.#told = new Set(errors);
    await this.#ports.onReloaded?.(report);
    return report;
  }

  /** Follows the directory from now on. */
  watch(): void {
    this.#watching ??= Promise.all([this.#collect(), this.#rescan()]).then(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#watcher?.close();
    this.#changed.resolve();
    await this.#watching;
  }

  /** Turns events of the file system into a wish to rescan. */
  async #collect(): Promise<void> {
    const { agentsDir, clock, log } = this.#ports;
    let isBlind = false;
    while (!this.#over.signal.aborted) {
      try {
        this.#watcher = Deno.watchFs(agentsDir, { recursive: false });
        isBlind = false;
        // Whatever changed before the watch began.
        this.#changed.resolve();
        for await (const event of this.#watcher) {
          if (this.#concerns(event)) this.#changed.resolve();
          // A folder that is gone stays silent for ever, also when it comes back.
          if (!await exists(agentsDir)) this.#watcher.close();
        }
      } catch (error) {
        this.#watcher?.close();
        if (!isBlind && !(error instanceof Deno.errors.NotFound)) {
          log.write("warn", "The agents folder cannot be watched; it is looked at instead", {
            error,
          });
        }
        isBlind = true;
        await clock.sleep(POLL_MS, this.#over.signal).catch(() => {/* The service stops. */});
        this.#changed.resolve();
      }
    }
  }

  #concerns({ kind, paths, flag }: Deno.FsEvent): boolean {
    if (kind === "access") return false;
    const { agentsDir } = this.#ports;
    return flag === "rescan" ||
      paths.some((path) =>
        path === agentsDir || dirname(path) !== agentsDir || isAgentFileName(basename(path))
      );
  }

  async #rescan(): Promise<void> {
    const { clock, log } = this.#ports;
    for (;;) {
      await this.#changed.promise;
      if (this.#over.signal.aborted) return;
      const deadline = clock.now() + LONGEST_WAIT_MS;
      for (let isQuiet = false; !isQuiet && clock.now() < deadline;) {
        this.#changed = Promise.withResolvers<void>();
        isQuiet = await this.#isQuietFor(QUIET_MS);
        if (this.#over.signal.aborted) return;
      }
      try {
        await this.reload();
      } catch (error) {
        log.write("error", "The agents could not be read again", { error });
      }
    }
  }

  async #isQuietFor(ms: number): Promise<boolean> {
    const nap = new AbortController();
    const signal = AbortSignal.any([nap.signal, this.#over.signal]);
    const quiet = this.#ports.clock.sleep(ms, signal).then(() => true, () => false);
    const noise = this.#changed.promise.then(() => false);
    const outcome = await Promise.race([quiet, noise]);
    nap.abort();
    await quiet;
    return outcome;
  }
}

function namesOf(registry: AgentRegistry): Map<string, string> {
  return new Map(registry.list().map(({ id, displayName }) => [id, displayName]));
}
