// The agents of one directory, as its files stand. A broken file costs only itself; no file is ever written.
import { unreadableReason } from "../files/unreadable.ts";
import { type Diagnostic, errorAtStart } from "../diagnostics.ts";
import type { Agent } from "./agent.ts";
import { type AgentFileContent, readAgentFile } from "./agent_file.ts";
import { idOfFileName, normalizeId } from "./agent_id.ts";
import { listAgentFiles } from "./agent_names.ts";
import { parseAgent, type ParseAgentOptions, type ParsedAgent } from "./parse_agent.ts";
import { diagnoseResources, type ResourceProblem } from "./validate_resources.ts";
import { PATHS } from "../plain_path.ts";
import { sha256Of } from "../sha256.ts";

const { basename, join } = PATHS;

/** A file in the agents directory that never parsed, or the directory itself: no agent, but something to show. */
export interface BrokenAgentFile {
  id: string;
  path: string;
  diagnostics: Diagnostic[];
}

/** What a reload changed, by agent id. */
export interface ReloadReport {
  loaded: number;
  added: string[];
  updated: string[];
  removed: string[];
  /** Errors of every file that does not parse now, whether an older definition of it stays live or not. */
  errors: Diagnostic[];
}

/** Files that are read at once: waiting for them one by one takes longer than to parse them. */
const READ_AT_ONCE = 16;

/** One file, as it was when it was last read. */
interface Entry {
  id: string;
  path: string;
  /** Undefined: read again at the next load. */
  stamp: string | undefined;
  /** The last definition that parsed, and the hash of its bytes. */
  good: { agent: Agent; hash: string } | undefined;
  /** Not empty: the file does not parse now. */
  diagnostics: Diagnostic[];
}

/** One file, and what is known of it. */
type AgentFile = Pick<Entry, "id" | "path"> & { previous: Entry | undefined };

/** "unchanged": it still has the stamp of before. Undefined: no file stands there. */
type FoundContent = HashedContent | "unchanged" | undefined;

type HashedContent =
  | Extract<AgentFileContent, { bytes: unknown }> & { hash: string }
  | Extract<AgentFileContent, { diagnostic: unknown }>;

/** What agents are read with. */
export interface AgentRegistryOptions extends ParseAgentOptions {
  /** Finds what stands in the way of an agent here and now; it joins the agent's warnings. */
  inspect?: (agent: Agent) => Promise<ResourceProblem[]>;
}

/** Agents by id. `load` brings them up to date; everything else answers from memory. */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  #entries: ReadonlyMap<string, Entry> = new Map();
  /** Second spellings of an id that another file has: they never become agents. */
  #rejected: readonly BrokenAgentFile[] = [];
  /** Why the directory itself could not be read the last time. */
  #unreadable: Diagnostic | undefined;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(options: AgentRegistryOptions) {
    this.#options = options;
  }

  /** Reads what changed and tells the differences. Loads wait for each other. Never throws for what files hold. */
  load(): Promise<ReloadReport> {
    const loading = this.#loading.then(() => this.#load());
    // A failure belongs to the caller of that load; the next one starts anew.
    this.#loading = loading.catch(() => undefined);
    return loading;
  }

  /** By id, ascending. */
  list(): Agent[] {
    return [...this.#entries.values()].flatMap((entry) => {
      const agent = liveAgent(entry);
      return agent === undefined ? [] : [agent];
    });
  }

  /** The agent of an id, in any Unicode spelling of it. */
  get(id: string): Agent | undefined {
    const entry = this.#entries.get(normalizeId(id));
    return entry === undefined ? undefined : liveAgent(entry);
  }

  /** Files that never parsed, by id; and the directory itself, first, when it cannot be read. */
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

  /**
   * Whether there may be an agent of this id that cannot be read now: its file is there but never parsed, or nobody can
   * tell because the directory cannot be read. It may be back in a moment.
   */
  isUnreadable(id: string): boolean {
    if (this.#unreadable !== undefined) return true;
    const entry = this.#entries.get(normalizeId(id));
    return entry !== undefined && entry.good === undefined;
  }

  async #load(): Promise<ReloadReport> {
    const names = await this.#fileNames();
    this.#unreadable = Array.isArray(names) ? undefined : names.diagnostic;
    if (!Array.isArray(names)) return this.#report(this.#entries, [names.diagnostic]);
    const entries = new Map<string, Entry>();
    const rejected: BrokenAgentFile[] = [];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const files = names.slice(first, first + READ_AT_ONCE).map((name) => this.#readFile(name));
      for (const { id, path, previous, content } of await Promise.all(files)) {
        const holder = entries.get(id);
        if (holder !== undefined) {
          const message = `Another file has the same id: ${holder.path}`;
          rejected.push({ id, path, diagnostics: [errorAtStart(path, message)] });
          continue;
        }
        const entry = await this.#toEntry({ id, path, previous }, content);
        if (entry !== undefined) entries.set(id, entry);
      }
    }
    const before = this.#entries;
    this.#entries = new Map([...entries].sort(([a], [b]) => compare(a, b)));
    this.#rejected = rejected;
    return this.#report(before, []);
  }

  #report(before: ReadonlyMap<string, Entry>, directoryErrors: Diagnostic[]): ReloadReport {
    const now = this.#entries;
    const live = (entries: ReadonlyMap<string, Entry>, id: string) => entries.get(id)?.good?.hash;
    const ids = [...now.keys()];
    return {
      loaded: ids.filter((id) => live(now, id) !== undefined).length,
      added: ids.filter((id) => live(now, id) !== undefined && live(before, id) === undefined),
      updated: ids.filter((id) =>
        live(now, id) !== undefined && live(before, id) !== undefined &&
        live(now, id) !== live(before, id)
      ),
      removed: [...before.keys()].filter((id) =>
        live(before, id) !== undefined && live(now, id) === undefined
      ),
      errors: [
        ...directoryErrors,
        ...[...now.values(), ...this.#rejected].flatMap((entry) => entry.diagnostics)
          .filter((one) => one.severity === "error"),
      ],
    };
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

  async #readFile(name: string): Promise<AgentFile & { content: FoundContent }> {
    const id = idOfFileName(name);
    const path = join(this.#options.directories.agentsDir, name);
    const before = this.#entries.get(id);
    const previous = before?.path === path ? before : undefined;
    const content = await readAgentFile(path, previous?.stamp);
    // Here, and not where it is compared: for all that are read at once, it takes as long as for one.
    const isRead = typeof content === "object" && "bytes" in content;
    const hashed = isRead ? { ...content, hash: await sha256Of(content.bytes) } : content;
    return { id, path, previous, content: hashed };
  }

  /** The entry of a file now; undefined when it is no file, or no longer there. */
  async #toEntry(
    { id, path, previous }: AgentFile,
    content: FoundContent,
  ): Promise<Entry | undefined> {
    const broken = (diagnostics: Diagnostic[], stamp?: string): Entry => (
      { id, path, stamp, good: previous?.good, diagnostics }
    );
    if (content === undefined) return undefined;
    if (content === "unchanged") return previous;
    if ("diagnostic" in content) return broken([content.diagnostic]);
    const { bytes, hash, stamp } = content;
    if (previous?.good?.hash === hash) return { ...previous, stamp, diagnostics: [] };
    const parsed = parseAgent({ path, bytes }, this.#options);
    if ("diagnostics" in parsed) return broken(parsed.diagnostics, stamp);
    return {
      id,
      path,
      stamp,
      good: { agent: await this.#inspected(parsed), hash },
      diagnostics: [],
    };
  }

  async #inspected({ agent, document }: ParsedAgent): Promise<Agent> {
    const problems = await this.#options.inspect?.(agent) ?? [];
    if (problems.length === 0) return agent;
    const found = diagnoseResources(problems, { path: agent.sourcePath, document });
    return { ...agent, warnings: [...agent.warnings, ...found] };
  }
}

/** The last good definition, with what is wrong with the file now among its warnings. */
function liveAgent({ good, diagnostics }: Entry): Agent | undefined {
  if (good === undefined || diagnostics.length === 0) return good?.agent;
  return { ...good.agent, warnings: [...good.agent.warnings, ...diagnostics] };
}

/** By code units: the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
