// Follows config.yaml in a running service. Each change is read once, logged, and passed to the agents, whose defaults are
// in config.yaml.
import { basename, dirname } from "../../base/plain_path.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { type ConfigCheck, QUIET_MS } from "../config/config_file.ts";
import type { Context } from "../config/context.ts";
import { exists } from "../config/files/exists.ts";
import type { WorkspaceSettings } from "../config/settings.ts";
import { formatDiagnostic } from "../../base/diagnostics.ts";
import { knownRealPath } from "../../base/files/known_real_path.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import type { AgentFiles } from "../triggers/agent_files.ts";
import type { FolderWatches } from "../folders/folder_watches.ts";

/** The objects that a ConfigFollower needs. */
export interface ConfigFollowerPorts extends Pick<Context, "clock" | "log"> {
  settings: Pick<WorkspaceSettings, "config" | "configFile" | "environment">;
  agentFiles: Pick<AgentFiles, "reload">;
  /**
   * The clock that files' times are compared with. By default the machine's clock, even if the service uses another one.
   */
  fileClock?: Clock;
  /** Called after each change. */
  onConfigChange?: (() => void) | undefined;
}

/** The maximum time in milliseconds that a run waits for a file that is being written. */
const LONGEST_WAIT_MS = 5_000;

/** Watches config.yaml and reads it after changes. */
export class ConfigFollower implements AsyncDisposable {
  readonly #ports: ConfigFollowerPorts;
  readonly #refreshes = new SerialQueue();
  readonly #over = new AbortController();
  #watching: Promise<void> | undefined;
  #later: Promise<void> | undefined;

  constructor(ports: ConfigFollowerPorts) {
    this.#ports = ports;
  }

  /** Reads config.yaml if it has changed. A file that is being written is read shortly after. */
  refresh(): Promise<ConfigCheck> {
    return this.#refreshes.run(() => this.#refresh());
  }

  /**
   * Reads config.yaml if it has changed. Waits up to five seconds until config.yaml and the environment files are
   * completely written. Returns a sentence for each file that is still changing.
   */
  async refreshWhole(): Promise<string[]> {
    const { settings: { config: { path }, environment }, fileClock = new SystemClock() } =
      this.#ports;
    const deadline = fileClock.now() + LONGEST_WAIT_MS;
    for (;;) {
      const isConfigChanging = await this.refresh() === "unsettled";
      const changing = [
        ...isConfigChanging ? [path] : [],
        ...environment.changing(fileClock.now()),
      ];
      if (changing.length === 0 || this.#over.signal.aborted) return [];
      if (fileClock.now() >= deadline) {
        return changing.map((file) =>
          `${file} keeps changing: this run uses what was last read of it`
        );
      }
      await fileClock.sleep(QUIET_MS);
    }
  }

  /** Starts to watch the folder of config.yaml, and the folder of the target if config.yaml is a symbolic link. */
  watch(folders: FolderWatches): void {
    this.#watching ??= this.#watch(folders);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watching;
    await this.#later;
    await this.#refreshes.settled();
  }

  async #watch(folders: FolderWatches): Promise<void> {
    const { path } = this.#ports.settings.config;
    const real = knownRealPath(path);
    const names = new Set([basename(path), basename(real)]);
    for (const folder of new Set([knownRealPath(dirname(path)), dirname(real)])) {
      // A missing folder is not watched, because it would be polled all the time. Each run reads a changed config.yaml in
      // any case.
      if (!await exists(folder)) continue;
      await folders.watch({ folder, recursive: false }, {
        changed: (paths) => {
          if (paths.some((one) => names.has(basename(one)))) this.#refreshLater();
        },
        uncertain: () => {
          this.#refreshLater();
          return Promise.resolve();
        },
      });
    }
    // Reads a change from before the start of the watch.
    await this.#refreshOrLog();
  }

  /** Calls refresh() once after a burst of changes. Never rejects. */
  #refreshLater(): void {
    this.#later ??= this.#waitAndRefresh();
  }

  async #waitAndRefresh(): Promise<void> {
    const { clock } = this.#ports;
    if (!await sleepUnlessAborted(clock, QUIET_MS, this.#over.signal)) return;
    this.#later = undefined;
    await this.#refreshOrLog();
  }

  /** Calls refresh() and logs an error instead of throwing it. */
  async #refreshOrLog(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.#ports.log.write("error", "config.yaml could not be read again", { error });
    }
  }

  async #refresh(): Promise<ConfigCheck> {
    if (this.#over.signal.aborted) return "same";
    const { settings, agentFiles, log } = this.#ports;
    const before = settings.config;
    const outcome = await settings.configFile.refresh();
    if (outcome === "unsettled") this.#refreshLater();
    if (outcome !== "changed") return outcome;
    log.write("info", "config.yaml was read again");
    const known = new Set(before.warnings.map(formatDiagnostic));
    for (const problem of settings.config.warnings.map(formatDiagnostic)) {
      if (!known.has(problem)) log.write("warn", problem);
    }
    if (before.defaults !== settings.config.defaults) await agentFiles.reload();
    this.#ports.onConfigChange?.();
    return outcome;
  }
}
