// Keeps the agents of one directory. A broken file affects only its own agent. agent_entry.ts handles one file.
import type { AgentDefaults } from "../config/config.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { SystemClock } from "../../base/clock.ts";
import { basename, join } from "../../base/plain_path.ts";
import type { Agent } from "./agent.ts";
import {
  type AgentEntry,
  type AgentEntryOptions,
  isSteadilyChanging,
  liveAgent,
  scanAgentFile,
  staleReason,
  toAgentEntry,
} from "./agent_entry.ts";
import { diagnoseMisnamed } from "./agent_file.ts";
import { describeBadName, idOfFileName, isMisnamedAgentFile, normalizeId } from "./agent_id.ts";
import { listAgentFiles } from "./agent_names.ts";
import { type ReloadReport, toReloadReport } from "./reload_report.ts";
import { stampFile } from "../config/files/file_stamp.ts";
import { hostNames } from "../config/database_settings.ts";
import { TRIGGER_LEASE } from "../vocabulary/trigger_kinds.ts";
import { describeCopy, diagnoseCopy, markedOriginal } from "./copied_file.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

/** A file that gives no agent, because it is misnamed or never parsed, or the unreadable directory itself. */
export type BrokenAgentFile = Pick<AgentEntry, "id" | "path" | "diagnostics">;

/** The maximum time in milliseconds that a load waits for all files that are being written. */
const MAX_WAIT_MS = 1_000;

/** The number of files that are read in parallel. Reading them one after another would take longer than parsing them. */
const READ_AT_ONCE = 16;

/** The agents of one directory by id. load() reads the files; the other methods use the loaded state. */
export class AgentRegistry {
  readonly #options: AgentEntryOptions;
  /** The defaults that the agents were parsed with. */
  #defaults: AgentDefaults;
  #entries: ReadonlyMap<string, AgentEntry> = new Map();
  /** The agents by id. Built once for each load, because every redaction of a run reads them. */
  #live: ReadonlyMap<string, Agent> = new Map();
  #agents: readonly Agent[] = [];
  /** The files that are no agents, because another file has the same id or the name ends with `.MD` or the like. */
  #rejected: readonly BrokenAgentFile[] = [];
  /** The warnings of agents whose files are copies, by path. */
  #copies: ReadonlyMap<string, Diagnostic[]> = new Map();
  /** The entries at the last call of reportChanges(). Undefined before the first load. */
  #reported: ReadonlyMap<string, AgentEntry> | undefined;
  /** The reason why the last read of the directory failed. Undefined if it succeeded. */
  #unreadable: Diagnostic | undefined;
  readonly #loads = new SerialQueue();

  constructor(options: AgentEntryOptions) {
    this.#options = options;
    this.#defaults = options.config.defaults;
  }

  /**
   * Reads the changed files and returns the differences. Concurrent calls run one after another. Never throws for a file's
   * content.
   */
  load(): Promise<ReloadReport> {
    return this.#loads.run(() => this.#load());
  }

  /** Returns the differences from the agents at the previous call, or at the first load. Reads no file. */
  reportChanges(): ReloadReport {
    const report = this.#compare(this.#reported ?? new Map());
    this.#reported = this.#entries;
    return report;
  }

  /**
   * Returns the agents, sorted by id. The list stays the same object until the next load, so that derived values can be
   * cached.
   */
  list(): readonly Agent[] {
    return this.#agents;
  }

  /** Returns the agent with this id in any Unicode spelling, or undefined. */
  get(id: string): Agent | undefined {
    return this.#live.get(normalizeId(id));
  }

  /** Returns the files that are misnamed or never parsed, sorted by id. An unreadable directory comes first. */
  broken(): BrokenAgentFile[] {
    const { agentsDir } = this.#options.directories;
    const directory = this.#unreadable && [{
      id: basename(agentsDir),
      path: agentsDir,
      diagnostics: [this.#unreadable],
    }];
    const never = [...this.#entries.values()].filter((entry) => entry.good === undefined);
    const files = [
      ...never.map(({ id, path, diagnostics }) => ({ id, path, diagnostics })),
      ...this.#rejected,
    ].sort((a, b) => compare(a.id, b.id) || compare(a.path, b.path));
    return [...directory ?? [], ...files];
  }

  /** Returns the agents' files as they were last read, sorted by id. */
  files(): Pick<AgentEntry, "id" | "path" | "hash">[] {
    return [...this.#entries.values()];
  }

  /** Returns warnings for ignored files and folders (see isMisnamedAgentFile). */
  misnamed(): Diagnostic[] {
    return this.#rejected.flatMap(({ diagnostics }) =>
      diagnostics.filter(({ severity }) => severity === "warning")
    );
  }

  /**
   * Returns the conflicts that prevent the file at this path from being an agent: another file has the same id, or the file
   * is a copy. Problems of the file's text are not included.
   */
  conflictsOf(path: string): readonly Diagnostic[] {
    return this.#rejected.find((file) => file.path === path)?.diagnostics ?? [];
  }

  /** Returns the warnings for a file at this path that is a copy of another agent's file. */
  copyWarnings(path: string): readonly Diagnostic[] {
    return this.#copies.get(path) ?? [];
  }

  /**
   * Returns the reason why an agent with this id may exist but cannot be read now: its file never parsed, or the directory
   * is unreadable. The next load may be able to read it. Undefined for any other id.
   */
  unreadableProblem(id: string): Diagnostic | undefined {
    if (this.#unreadable !== undefined) return this.#unreadable;
    const entry = this.#entries.get(normalizeId(id));
    return entry?.good === undefined ? entry?.diagnostics[0] : undefined;
  }

  /**
   * Returns the reason why an agent's last valid definition is used instead of its file's content. Undefined if the content
   * is used.
   */
  staleReason(id: string): Diagnostic | undefined {
    const entry = this.#entries.get(normalizeId(id));
    return entry && staleReason(entry);
  }

  /** Returns true if the file of a known agent is unchanged since the last read. Stats one file. */
  async isCurrent(id: string): Promise<boolean> {
    const entry = this.#entries.get(normalizeId(id));
    if (entry?.stamp === undefined) return false;
    try {
      return stampFile(await Deno.stat(entry.path)) === entry.stamp;
    } catch {
      // The next load reports why the file cannot be read.
      return false;
    }
  }

  /**
   * Returns true while another process seems to write the agent's file. Returns false after five seconds of continuous
   * changes.
   */
  isChanging(id: string): boolean {
    const entry = this.#entries.get(normalizeId(id));
    const { fileClock = new SystemClock() } = this.#options;
    return entry?.unsettledSince !== undefined && !isSteadilyChanging(entry, fileClock.now());
  }

  /** True if a file seems to be being written, so that another load is needed soon. */
  get isUnsettled(): boolean {
    return [...this.#entries.values()].some(({ unsettledSince }) => unsettledSince !== undefined);
  }

  async #load(): Promise<ReloadReport> {
    const { defaults } = this.#options.config;
    if (defaults !== this.#defaults) this.#entries = new Map([...this.#entries].map(markUnread));
    this.#defaults = defaults;
    const before = this.#entries;
    const names = await this.#fileNames();
    this.#unreadable = Array.isArray(names) ? undefined : names.diagnostic;
    if (Array.isArray(names)) {
      const { agentsDir } = this.#options.directories;
      await this.#read(names.filter((name) => !isMisnamedAgentFile(name)));
      const misnamed = names.filter(isMisnamedAgentFile).map((name) => join(agentsDir, name));
      this.#rejected = [...this.#rejected, ...misnamed.map(toMisnamed)];
    }
    this.#reported ??= this.#entries;
    return this.#compare(before);
  }

  #compare(before: ReadonlyMap<string, AgentEntry>): ReloadReport {
    const now = this.#entries;
    return toReloadReport({ before, now }, [
      ...this.#unreadable === undefined ? [] : [this.#unreadable],
      ...[...now.values(), ...this.#rejected].flatMap(({ diagnostics }) => diagnostics),
    ]);
  }

  async #read(names: readonly string[]): Promise<void> {
    const { directories: { agentsDir }, fileClock = new SystemClock() } = this.#options;
    const deadline = fileClock.now() + MAX_WAIT_MS;
    const entryOf = (id: string) => this.#entries.get(id);
    const entries = new Map<string, AgentEntry>();
    const ids = new Set(names.map(idOfFileName));
    const copied = new Map(names.flatMap((name) => {
      const id = idOfFileName(name);
      const original = markedOriginal(id, (one) => ids.has(one));
      if (original === undefined || describeBadName(id) === undefined) return [];
      const path = join(agentsDir, name);
      return [[name, { id, path, diagnostics: [describeCopy(path, original, { isName: true })] }]];
    }));
    const rejected: BrokenAgentFile[] = [...copied.values()];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const files = names.slice(first, first + READ_AT_ONCE).filter((name) => !copied.has(name))
        .map((name) => scanAgentFile(name, { agentsDir, entryOf, fileClock, deadline }));
      for (const file of await Promise.all(files)) {
        const { id, path } = file;
        const holder = entries.get(id);
        if (holder !== undefined) {
          const message = `Another file has the same id: ${holder.path}`;
          rejected.push({ id, path, diagnostics: [errorAtStart(path, message)] });
          continue;
        }
        const entry = await toAgentEntry(file, { ...this.#options, now: fileClock.now() });
        if (entry !== undefined) entries.set(id, entry);
      }
    }
    this.#entries = new Map([...entries].sort(([a], [b]) => compare(a, b)));
    this.#rejected = rejected;
    const copies = new Map<string, Diagnostic[]>();
    const around = {
      readOf: (id: string) => this.#entries.get(id)?.good,
      hosts: () => this.#knownHosts(),
    };
    this.#live = new Map([...this.#entries].flatMap(([id, entry]): [string, Agent][] => {
      const agent = liveAgent(entry);
      if (agent === undefined) return [];
      const copy = entry.good && diagnoseCopy(entry.good, around);
      if (copy === undefined) return [[id, agent]];
      copies.set(entry.path, [copy]);
      return [[id, { ...agent, enabled: false, warnings: [...agent.warnings, copy] }]];
    }));
    this.#copies = copies;
    this.#agents = [...this.#live.values()];
  }

  /** Returns the names of this host, of the hosts in agent files, and of the host that runs the triggers. */
  #knownHosts(): string[] {
    const named = [...this.#entries.values()].flatMap(({ good }) => good?.agent.onlyOn ?? []);
    const { agentsDir } = this.#options.directories;
    try {
      const lease = Deno.readTextFileSync(join(agentsDir, TRIGGER_LEASE));
      named.push(/"host": "([^"]+)"/.exec(lease)?.[1] ?? "");
    } catch {
      // The host that runs the triggers is unknown if its lease cannot be read.
    }
    return [...named, ...hostNames({ database: undefined })]
      .flatMap((name) => name === "" ? [] : [name, name.split(".")[0] ?? ""]);
  }

  async #fileNames(): Promise<string[] | { diagnostic: Diagnostic }> {
    const { agentsDir } = this.#options.directories;
    try {
      return await listAgentFiles(agentsDir);
    } catch (error) {
      return {
        diagnostic: errorAtStart(
          agentsDir,
          `The agents directory cannot be read: ${unreadableReason(error)}`,
        ),
      };
    }
  }
}

/** Returns the entry without its stamp, so that the next load reads and parses the file again. */
function markUnread([id, entry]: [string, AgentEntry]): [string, AgentEntry] {
  const good = entry.good && { ...entry.good, hash: "" };
  return [id, { ...entry, good, stamp: undefined }];
}

function toMisnamed(path: string): BrokenAgentFile {
  return { id: idOfFileName(basename(path)), path, diagnostics: [diagnoseMisnamed(path)] };
}

/** Compares two texts by code units, which gives the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
