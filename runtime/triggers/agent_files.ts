// Keeps the agent registry in step with the agents directory: one rescan after a burst of changes, or on request.
// Publishes the changes and logs the problems of the files.
import { basename, dirname } from "node:path";
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

/** The rescan waits until no event came for this long, because an editor's save is several events. */
const QUIET_MS = 200;
/** The longest wait for a quiet moment. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `AgentFiles`. */
export interface AgentFilesPorts {
  registry: AgentRegistry;
  agentsDir: string;
  /** Shared by all watchers of folders in this process. */
  folders: FolderWatches;
  events: EventBus;
  clock: Clock;
  log: ServiceLog;
}

/** The agents directory and its registry. */
export class AgentFiles implements AsyncDisposable {
  readonly #ports: AgentFilesPorts;
  readonly #over = new AbortController();
  #names: ReadonlyMap<string, string>;
  /** The problems that are logged already. A problem is logged once for as long as it lasts. */
  #logged: ReadonlySet<string> = new Set();
  readonly #afterReload: (() => void | Promise<void>)[] = [];
  #watching: Promise<void> | undefined;
  /** The work after a reload that `read()` has started and does not wait for. */
  #following = Promise.resolve();
  #changed = Promise.withResolvers<void>();

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
    this.#names = namesOf(ports.registry);
  }

  /** Reloads the agents and publishes one event for each change. */
  async reload(): Promise<ReloadReport> {
    const report = await this.#ports.registry.load();
    await this.#publish(report);
    return report;
  }

  /**
   * Reloads the agents, and returns before the work after the reload is done. A trigger that starts a run must not wait
   * for that work, because the work waits for triggers.
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
    // The last event of such a file may be handled already.
    if (registry.isUnsettled) this.#changed.resolve();
  }

  /** Adds work that `reload()` does after each reload, in the order of these calls. Its failure fails the reload. */
  afterReload(work: () => void | Promise<void>): void {
    this.#afterReload.push(work);
  }

  /** Starts watching the directory. */
  watch(): void {
    this.#watching ??= Promise.all([this.#follow(), this.#rescan()]).then(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#changed.resolve();
    await this.#watching;
    await this.#following;
  }

  /** Logs the problems that were absent at the last load. */
  #logProblems(diagnostics: readonly Diagnostic[]): void {
    const problems = new Set(diagnostics.map(formatDiagnostic));
    for (const problem of problems.difference(this.#logged)) {
      this.#ports.log.write("warn", problem);
    }
    this.#logged = problems;
  }

  /** Requests a rescan after each change of the folder, until the service stops. */
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
    // A file may have changed before the watch started.
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

/** Returns true for the folder itself and for its agent files, misnamed ones included. */
function concerns(path: string, folder: string): boolean {
  if (path === folder) return true;
  const name = basename(path);
  return dirname(path) === folder && (isAgentFileName(name) || isMisnamedAgentFile(name));
}

/** Returns the warnings of live agents, but for operations that Deno's flags refuse: `inspect` of the registry logs these. */
function warningsOf(registry: AgentRegistry): Diagnostic[] {
  return registry.list().flatMap(({ warnings }) => warnings)
    .filter(({ hint }) => hint !== FLAGS_REMEDY);
}

function namesOf(registry: AgentRegistry): Map<string, string> {
  return new Map(registry.list().map(({ id, displayName }) => [id, displayName]));
}
