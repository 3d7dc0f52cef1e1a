// The agents of one directory, as its files stand. A broken file costs only itself; what becomes of each file stands in
// agent_entry.ts.
import type { AgentDefaults } from "../config/config.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { SystemClock } from "../../base/clock.ts";
import { PATHS } from "../../base/plain_path.ts";
import type { Agent } from "./agent.ts";
import {
  type AgentEntry,
  type AgentEntryOptions,
  findAgentFile,
  isSteadilyChanging,
  liveAgent,
  toAgentEntry,
  whyStale,
} from "./agent_entry.ts";
import { diagnoseMisnamed } from "./agent_file.ts";
import { describeBadName, idOfFileName, isMisnamedAgentFile, normalizeId } from "./agent_id.ts";
import { listAgentFiles } from "./agent_names.ts";
import { type ReloadReport, toReloadReport } from "./reload_report.ts";
import { stampFile } from "../config/files/file_stamp.ts";
import { hostNames } from "../config/database_settings.ts";
import { TRIGGER_LEASE } from "../trigger_kinds.ts";
import { describeCopy, diagnoseCopy, markedOriginal } from "./validation/copied_file.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

const { basename, join } = PATHS;

/** A file in the agents directory that is misnamed or never parsed, or the directory itself: no agent, but something to show. */
export interface BrokenAgentFile {
  id: string;
  path: string;
  diagnostics: Diagnostic[];
}

/** How long a load waits, all in all, for files that are being written. */
const PATIENCE_MS = 1_000;

/** Files that are read at once: waiting for them one by one takes longer than to parse them. */
const READ_AT_ONCE = 16;

/** Agents by id. `load` brings them up to date; everything else answers from memory. */
export class AgentRegistry {
  readonly #options: AgentEntryOptions;
  /** What the agents were parsed with. */
  #defaults: AgentDefaults;
  #entries: ReadonlyMap<string, AgentEntry> = new Map();
  /** What the entries give, made once for each load: every redaction of a run asks. */
  #live: ReadonlyMap<string, Agent> = new Map();
  #agents: readonly Agent[] = [];
  /** Files that never become agents: their names are second spellings of another one's, or end with `.MD`. */
  #rejected: readonly BrokenAgentFile[] = [];
  /** The warnings of agents that are copies, by their paths. */
  #copies: ReadonlyMap<string, Diagnostic[]> = new Map();
  /** The entries that the last answer to reportChanges() was about; undefined before the first load. */
  #reported: ReadonlyMap<string, AgentEntry> | undefined;
  /** Why the directory itself could not be read the last time. */
  #unreadable: Diagnostic | undefined;
  readonly #loads = new SerialQueue();

  constructor(options: AgentEntryOptions) {
    this.#options = options;
    this.#defaults = options.config.defaults;
  }

  /** Reads what changed and tells the differences. Loads wait for each other. Never throws for what files hold. */
  load(): Promise<ReloadReport> {
    return this.#loads.run(() => this.#load());
  }

  /** Compares the agents of now with those of the call before it, or of the first load. Reads nothing. */
  reportChanges(): ReloadReport {
    const report = this.#compare(this.#reported ?? new Map());
    this.#reported = this.#entries;
    return report;
  }

  /** By id, ascending. The same list until the next load: what is derived from it may be kept as long. */
  list(): readonly Agent[] {
    return this.#agents;
  }

  /** The agent of an id, in any Unicode spelling of it. */
  get(id: string): Agent | undefined {
    return this.#live.get(normalizeId(id));
  }

  /** Files that never parsed or are misnamed, by id; and the directory itself, first, when it cannot be read. */
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

  /** Warnings for the files and folders that are ignored: see isMisnamedAgentFile. */
  misnamed(): Diagnostic[] {
    return this.#rejected.flatMap(({ diagnostics }) =>
      diagnostics.filter(({ severity }) => severity === "warning")
    );
  }

  /** The reasons why the file at this path is no agent, independent of its text: another file has its id, or it is a copy. */
  clashesOf(path: string): readonly Diagnostic[] {
    return this.#rejected.find((file) => file.path === path)?.diagnostics ?? [];
  }

  /** The warnings for the file at this path that come from the files beside it: it is a copy of one. */
  copyWarnings(path: string): readonly Diagnostic[] {
    return this.#copies.get(path) ?? [];
  }

  /**
   * Whether there may be an agent of this id that cannot be read now: its file is there but never parsed, or nobody can
   * tell because the directory cannot be read. It may be back in a moment.
   */
  isUnreadable(id: string): boolean {
    return this.whyUnreadable(id) !== undefined;
  }

  /** What is wrong where isUnreadable holds. */
  whyUnreadable(id: string): Diagnostic | undefined {
    if (this.#unreadable !== undefined) return this.#unreadable;
    const entry = this.#entries.get(normalizeId(id));
    return entry?.good === undefined ? entry?.diagnostics[0] : undefined;
  }

  /** Why the last good definition of an agent is used in place of what is in its file; undefined: it is what the file says. */
  whyStale(id: string): Diagnostic | undefined {
    const entry = this.#entries.get(normalizeId(id));
    return entry && whyStale(entry);
  }

  /** Whether the file of a known agent is still the one that was read: one stat. */
  async isCurrent(id: string): Promise<boolean> {
    const entry = this.#entries.get(normalizeId(id));
    if (entry?.stamp === undefined) return false;
    try {
      return stampFile(await Deno.stat(entry.path)) === entry.stamp;
    } catch {
      // A load says why it cannot be read.
      return false;
    }
  }

  /** Whether the agent's file seems to be written at this moment; false once it has kept changing for five seconds. */
  isChanging(id: string): boolean {
    const entry = this.#entries.get(normalizeId(id));
    const { fileClock = new SystemClock() } = this.#options;
    return entry?.unsettledSince !== undefined && !isSteadilyChanging(entry, fileClock.now());
  }

  /** Whether a file is being written, as it seems: it is to be read again in a moment. */
  get isUnsettled(): boolean {
    return [...this.#entries.values()].some(({ unsettledSince }) => unsettledSince !== undefined);
  }

  async #load(): Promise<ReloadReport> {
    const { defaults } = this.#options.config;
    if (defaults !== this.#defaults) this.#entries = new Map([...this.#entries].map(toUnread));
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
    const deadline = fileClock.now() + PATIENCE_MS;
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
        .map((name) => findAgentFile(name, { agentsDir, entryOf, fileClock, deadline }));
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

  /** This host, those that agents name, and the one whose service runs the triggers. */
  #knownHosts(): string[] {
    const named = [...this.#entries.values()].flatMap(({ good }) => good?.agent.onlyOn ?? []);
    const { agentsDir } = this.#options.directories;
    try {
      const lease = Deno.readTextFileSync(join(agentsDir, TRIGGER_LEASE));
      named.push(/"host": "([^"]+)"/.exec(lease)?.[1] ?? "");
    } catch {
      // There is none, or it says nothing: then that host is not known.
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

/** The entry as one to be read and parsed again, though the file has not changed. */
function toUnread([id, entry]: [string, AgentEntry]): [string, AgentEntry] {
  const good = entry.good && { ...entry.good, hash: "" };
  return [id, { ...entry, good, stamp: undefined }];
}

function toMisnamed(path: string): BrokenAgentFile {
  return { id: idOfFileName(basename(path)), path, diagnostics: [diagnoseMisnamed(path)] };
}

/** By code units: the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
