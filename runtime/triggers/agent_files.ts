// Reloads the agent registry once after a burst of changes in the agents directory, or on request. Publishes an event for
// each changed agent and logs problems in agent files.
import { basename, dirname } from "../../base/plain_path.ts";
import { isAgentFileName, isMisnamedAgentFile } from "../agents/agent_id.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { ReloadReport } from "../agents/reload_report.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { FLAGS_REMEDY } from "../../base/denied_permission.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import type { EventBus } from "../events/bus.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { FolderWatches } from "../folders/folder_watches.ts";

/** A reload starts after this time without file events, because an editor saves a file in several operations. */
const QUIET_MS = 200;
/** The maximum delay of a reload while file events continue. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `AgentFiles`. */
export interface AgentFilesPorts {
  registry: AgentRegistry;
  agentsDir: string;
  /** The file system watches. All parts of this process share them. */
  folders: FolderWatches;
  events: EventBus;
  clock: Clock;
  log: ServiceLog;
}

/** Keeps the agent registry up to date with the agents directory. */
export class AgentFiles implements AsyncDisposable {
  readonly #ports: AgentFilesPorts;
  readonly #over = new AbortController();
  #names: ReadonlyMap<string, string>;
  /** The formatted problems of the last load. Only problems that are not in this set are logged. */
  #logged: ReadonlySet<string> = new Set();
  readonly #afterReload: (() => void | Promise<void>)[] = [];
  #watching: Promise<void> | undefined;
  /** The follow-up work of all calls of `read()`. Callers of `read()` do not wait for it; the dispose does. */
  #following = Promise.resolve();
  #changed = Promise.withResolvers<void>();

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
    this.#names = namesOf(ports.registry);
  }

  /** Reloads the agents, publishes one event for each changed agent, and waits for the work added by `afterReload()`. */
  async reload(): Promise<ReloadReport> {
    const report = await this.#ports.registry.load();
    await this.#publish(report);
    return report;
  }

  /**
   * Reloads the agents without waiting for the work added by `afterReload()`. A trigger calls this before it starts a run.
   * Waiting would be a deadlock, because that work waits for the triggers.
   */
  async read(): Promise<void> {
    const report = await this.#ports.registry.load();
    this.#following = Promise.all([this.#following, this.#publish(report)]).then(
      () => {},
      (error) => {
        this.#ports.log.write("error", "Changed agents could not be followed", { error });
      },
    );
  }

  async #publish(report: ReloadReport): Promise<void> {
    const { registry, events, log } = this.#ports;
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
    this.#logProblems([...report.errors, ...registry.misnamed(), ...warningsOf(registry)]);
    for (const work of this.#afterReload) await work();
    // A file that was being written during the reload was not loaded. Its last event may be handled already, so another
    // reload is requested.
    if (registry.isUnsettled) this.#changed.resolve();
  }

  /**
   * Adds a function that runs after each reload, in the order of the calls of `afterReload()`. If it throws, `reload()`
   * throws.
   */
  afterReload(work: () => void | Promise<void>): void {
    this.#afterReload.push(work);
  }

  /** Starts watching the agents directory. Further calls do nothing. */
  watch(): void {
    this.#watching ??= Promise.all([this.#follow(), this.#rescan()]).then(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#changed.resolve();
    await this.#watching;
    await this.#following;
  }

  /** Logs the problems that the previous load did not have. */
  #logProblems(diagnostics: readonly Diagnostic[]): void {
    const problems = new Set(diagnostics.map(formatDiagnostic));
    for (const problem of problems.difference(this.#logged)) {
      this.#ports.log.write("warn", problem);
    }
    this.#logged = problems;
  }

  /** Requests a reload after each change in the agents directory, until the dispose. */
  async #follow(): Promise<void> {
    const { agentsDir, folders } = this.#ports;
    const folder = knownRealPath(agentsDir);
    const end = await folders.watch({ folder, recursive: false }, {
      changed: (paths) => {
        if (paths.some((path) => concerns(path, folder))) this.#changed.resolve();
      },
      uncertain: () => {
        this.#changed.resolve();
        return Promise.resolve();
      },
    });
    this.#over.signal.addEventListener("abort", end, { once: true });
    if (this.#over.signal.aborted) end();
    // A file may have changed between the last load and the start of the watch.
    this.#changed.resolve();
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
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, this.#over.signal]);
    const quiet = sleepUnlessAborted(this.#ports.clock, ms, signal);
    const noise = this.#changed.promise.then(() => false);
    const outcome = await Promise.race([quiet, noise]);
    waiting.abort();
    await quiet;
    return outcome;
  }
}

/** Returns true if `path` is the folder, or an agent file directly in it, with a valid or an invalid name. */
function concerns(path: string, folder: string): boolean {
  if (path === folder) return true;
  const name = basename(path);
  return dirname(path) === folder && (isAgentFileName(name) || isMisnamedAgentFile(name));
}

/**
 * Returns the warnings of all agents, except those about missing Deno permissions, which are logged when an agent is
 * loaded.
 */
function warningsOf(registry: AgentRegistry): Diagnostic[] {
  return registry.list().flatMap(({ warnings }) => warnings)
    .filter(({ hint }) => hint !== FLAGS_REMEDY);
}

function namesOf(registry: AgentRegistry): Map<string, string> {
  return new Map(registry.list().map(({ id, displayName }) => [id, displayName]));
}
