// Reloads the agent registry once after a burst of changes in the agents directory, or on request. Publishes an event for
// each changed agent and logs problems in agent files.
import type { Context } from "../config/context.ts";
import { basename, dirname } from "../../base/plain_path.ts";
import { isAgentFileName, isMisnamedAgentFile } from "../agents/agent_id.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { ReloadReport } from "../agents/reload_report.ts";
import { FLAGS_REMEDY } from "../../base/denied_permission.ts";
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import type { EventBus } from "../events/bus.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { WorkLoop } from "../../base/work_loop.ts";
import type { FolderWatches } from "../folders/folder_watches.ts";

/** A reload starts after this time without file events, because an editor saves a file in several operations. */
const QUIET_MS = 200;
/** The maximum delay of a reload while file events continue. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `AgentFiles`. */
export interface AgentFilesPorts extends Pick<Context, "clock" | "log"> {
  registry: AgentRegistry;
  agentsDir: string;
  /** The file system watches. All parts of this process share them. */
  folders: FolderWatches;
  events: EventBus;
}

/** Keeps the agent registry up to date with the agents directory. */
export class AgentFiles implements AsyncDisposable {
  readonly #ports: AgentFilesPorts;
  readonly #loop: WorkLoop;
  #names: ReadonlyMap<string, string>;
  /** The formatted problems of the last load. Only problems that are not in this set are logged. */
  #logged: ReadonlySet<string> = new Set();
  readonly #afterReload: (() => void | Promise<void>)[] = [];
  /** Resolves when the agents directory is watched; undefined before watch(). */
  #following: Promise<void> | undefined;
  /** The follow-up work of all calls of `read()`. Callers of `read()` do not wait for it; the dispose does. */
  #publishing = Promise.resolve();
  /** The times of the first and the last file event since the last reload; undefined if there was none. */
  #changed: { first: number; last: number } | undefined;

  constructor(ports: AgentFilesPorts) {
    this.#ports = ports;
    this.#names = namesOf(ports.registry);
    this.#loop = new WorkLoop({
      clock: ports.clock,
      work: () => this.#reloadWhenQuiet(),
      failed: (error) => {
        ports.log.write("error", "The agents could not be read again", { error });
      },
      retry: { firstMs: LONGEST_WAIT_MS, longestMs: LONGEST_WAIT_MS },
    });
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
    this.#publishing = Promise.all([this.#publishing, this.#publish(report)]).then(
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
    if (registry.isUnsettled) this.#reloadSoon();
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
    this.#following ??= this.#follow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#loop.close();
    await this.#following;
    await this.#loop[Symbol.asyncDispose]();
    await this.#publishing;
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
        if (paths.some((path) => concerns(path, folder))) this.#reloadSoon();
      },
      uncertain: () => {
        this.#reloadSoon();
        return Promise.resolve();
      },
    });
    this.#loop.signal.addEventListener("abort", end, { once: true });
    if (this.#loop.signal.aborted) end();
    // A file may have changed between the last load and the start of the watch.
    this.#reloadSoon();
  }

  #reloadSoon(): void {
    const now = this.#ports.clock.now();
    this.#changed = { first: this.#changed?.first ?? now, last: now };
    if (this.#following !== undefined) this.#loop.start();
  }

  /** Reloads the agents if there were no file events for a while. Returns the milliseconds to wait, or undefined. */
  async #reloadWhenQuiet(): Promise<number | undefined> {
    if (this.#changed === undefined) return undefined;
    const { first, last } = this.#changed;
    const due = Math.min(last + QUIET_MS, first + LONGEST_WAIT_MS);
    const ms = due - this.#ports.clock.now();
    // If a time is in the future, the clock was set back. The agents are then reloaded without further wait.
    if (ms > 0 && ms <= QUIET_MS) return ms;
    this.#changed = undefined;
    await this.reload();
    return undefined;
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
