// Finds agents by the present state of their files, even before the watcher reports a change.
import type { Agent } from "./agent.ts";
import { describeBadName, isAgentFileName, normalizeId } from "./agent_id.ts";
import type { AgentRegistry } from "./registry.ts";
import { PATHS } from "../../base/plain_path.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

const { join } = PATHS;

/** The registry and the function that reloads it. */
export interface CurrentAgentsOptions {
  registry: AgentRegistry;
  agentsDir: string;
  /** Reads every changed agent file into the registry. */
  reload: () => Promise<unknown>;
}

/**
 * Finds an agent by its id. For a known agent it stats the file, and reads the folder only when the file changed. For
 * an unknown id it reads the folder only when such a file exists, once for each version of the file.
 */
export class CurrentAgents {
  readonly #options: CurrentAgentsOptions;
  /** Versions of files that gave no agent when they were read. */
  readonly #unparsed = new Set<string>();
  readonly #reloads = new SerialQueue();
  /** The queued reload; every caller until its start shares it. */
  #next: Promise<void> | undefined;

  constructor(options: CurrentAgentsOptions) {
    this.#options = options;
  }

  /**
   * Returns the agent as its file is now, or its last good definition when the file does not parse or keeps changing
   * for five seconds. Returns undefined when the agent does not exist or never parsed. Rejects only as `reload` does.
   */
  async find(id: string): Promise<Agent | undefined> {
    const { registry } = this.#options;
    if (registry.get(id) === undefined) {
      const version = await this.#newFile(id);
      if (version === undefined) return undefined;
      await this.#reloadOnce();
      if (registry.get(id) === undefined) this.#unparsed.add(version);
      return registry.get(id);
    }
    if (await registry.isCurrent(id)) return registry.get(id);
    do await this.#reloadOnce(); while (registry.isChanging(id));
    return registry.get(id);
  }

  /** Returns the version of the agent file with this id if no reload has read it yet; otherwise undefined. */
  async #newFile(id: string): Promise<string | undefined> {
    // Only a valid id may become part of a path.
    if (describeBadName(id) !== undefined) return undefined;
    for (const spelling of new Set([id, normalizeId(id), id.normalize("NFD")])) {
      const name = `${spelling}.md`;
      if (!isAgentFileName(name)) continue;
      const version = await versionOf(join(this.#options.agentsDir, name));
      if (version !== undefined && !this.#unparsed.has(version)) return version;
    }
    return undefined;
  }

  /** Runs a reload that starts after this call. Reloads run one at a time. */
  #reloadOnce(): Promise<void> {
    return this.#next ??= this.#reloads.run(async () => {
      this.#next = undefined;
      await this.#options.reload();
    });
  }
}

/** Returns a text that changes with every write of the file; undefined when the file is not visible. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { isFile, dev, ino, size, mtime, ctime } = await Deno.stat(path);
    return isFile ? [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":") : undefined;
  } catch {
    // The reload reports the file that cannot be read.
    return undefined;
  }
}
