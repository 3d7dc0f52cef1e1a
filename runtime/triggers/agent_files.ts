// Keeps the agents as their files are: one rescan after a burst of changes, or when somebody asks. Reports what changed and
// logs what is wrong with the files.
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

/** An editor's save is several events: the rescan waits until none came for this long… */
const QUIET_MS = 200;
/** …but not longer than this, however busy the folder is. */
const LONGEST_WAIT_MS = 2_000;

/** What the files are kept with. */
export interface AgentFilesPorts {
  registry: AgentRegistry;
  agentsDir: string;
  /** Shared by all who watch folders in this process. */
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
  /** Problems already logged, so that one that stays is logged once. */
  #logged: ReadonlySet<string> = new Set();
  readonly #afterReload: (() => void | Promise<void>)[] = [];
  #watching: Promise<void> | undefined;
  /** The work that follows what `read()` has read. */
  #following = Promise.resolve();
  #changed = Promise.withResolvers<void>();

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
    this.#names = namesOf(ports.registry);
  }

  /** Brings the agents up to date; publishes one event per real change. */
  async reload(): Promise<ReloadReport> {
    const report = await this.#ports.registry.load();
    await this.#publish(report);
    return report;
  }

  /**
   * Brings the agents up to date and returns before the work that follows a reload is done: a trigger that starts a run
   * would wait for itself, because that work waits for triggers.
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
    // Its last change may have been told of already.
    if (registry.isUnsettled) this.#changed.resolve();
  }

  /** From now on does this after each reload, before that returns; it fails with it. In the order of these calls. */
  afterReload(work: () => void | Promise<void>): void {
    this.#afterReload.push(work);
  }

  /** Follows the directory from now on. */
  watch(): void {
    this.#watching ??= Promise.all([this.#follow(), this.#rescan()]).then(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#changed.resolve();
    await this.#watching;
    await this.#following;
  }

  /** Logs each problem that was not there at the last load. */
  #logProblems(diagnostics: readonly Diagnostic[]): void {
    const problems = new Set(diagnostics.map(formatDiagnostic));
    for (const problem of problems.difference(this.#logged)) {
      this.#ports.log.write("warn", problem);
    }
    this.#logged = problems;
  }

  /** Turns changes of the folder into a wish to rescan, until the service stops. */
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
    // Whatever changed before the watch began.
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

/** The folder itself, or one of its agent files, however its name ends. */
function concerns(path: string, folder: string): boolean {
  if (path === folder) return true;
  const name = basename(path);
  return dirname(path) === folder && (isAgentFileName(name) || isMisnamedAgentFile(name));
}

/** The warnings of live agents, without what Deno's flags refuse: the registry's `inspect` logs that itself. */
function warningsOf(registry: AgentRegistry): Diagnostic[] {
  return registry.list().flatMap(({ warnings }) => warnings)
    .filter(({ hint }) => hint !== FLAGS_REMEDY);
}

function namesOf(registry: AgentRegistry): Map<string, string> {
  return new Map(registry.list().map(({ id, displayName }) => [id, displayName]));
}
