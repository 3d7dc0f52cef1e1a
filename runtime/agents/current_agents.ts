// Finds agents as their files are at this moment, also before the watcher has reported a change.
import type { Agent } from "./agent.ts";
import { describeBadName, isAgentFileName, normalizeId } from "./agent_id.ts";
import type { AgentRegistry } from "./registry.ts";
import { PATHS } from "../../base/plain_path.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

const { join } = PATHS;

/** The registry, and how it is brought up to date. */
export interface CurrentAgentsPorts {
  registry: Pick<AgentRegistry, "get" | "isCurrent" | "isChanging">;
  agentsDir: string;
  /** Reads all agent files that changed into the registry. */
  reload: () => Promise<unknown>;
}

/**
 * Finds an agent by its id. A known agent costs one stat of its file; the folder is read only when that file has changed.
 * For an unknown id the folder is read only when there is a file of that name, and once for each version of it.
 */
export class CurrentAgents {
  readonly #ports: CurrentAgentsPorts;
  /** Versions of files that gave no agent when they were read. */
  readonly #fruitless = new Set<string>();
  readonly #reloads = new SerialQueue();
  /** The reload that has not begun: all who ask until then share it. */
  #next: Promise<void> | undefined;

  constructor(ports: CurrentAgentsPorts) {
    this.#ports = ports;
  }

  /**
   * Returns the agent as its file is now, or its last good definition where the file does not parse or keeps changing for
   * five seconds. Undefined: there is no such agent, or its file never parsed. Fails only as `reload` does.
   */
  async find(id: string): Promise<Agent | undefined> {
    const { registry } = this.#ports;
    if (registry.get(id) === undefined) {
      const version = await this.#newFile(id);
      if (version === undefined) return undefined;
      await this.#reloadOnce();
      if (registry.get(id) === undefined) this.#fruitless.add(version);
      return registry.get(id);
    }
    if (await registry.isCurrent(id)) return registry.get(id);
    do await this.#reloadOnce(); while (registry.isChanging(id));
    return registry.get(id);
  }

  /** The version of a file of that name, if no reload has gone past it yet. */
  async #newFile(id: string): Promise<string | undefined> {
    // Only what can be an id becomes part of a path.
    if (describeBadName(id) !== undefined) return undefined;
    for (const spelling of new Set([id, normalizeId(id), id.normalize("NFD")])) {
      const name = `${spelling}.md`;
      if (!isAgentFileName(name)) continue;
      const version = await versionOf(join(this.#ports.agentsDir, name));
      if (version !== undefined && !this.#fruitless.has(version)) return version;
    }
    return undefined;
  }

  /** A reload that begins after this call; one at a time. */
  #reloadOnce(): Promise<void> {
    return this.#next ??= this.#reloads.run(async () => {
      this.#next = undefined;
      await this.#ports.reload();
    });
  }
}

/** A text that is another one once the file is written again; undefined when no file can be seen there. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { isFile, dev, ino, size, mtime, ctime } = await Deno.stat(path);
    return isFile ? [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":") : undefined;
  } catch {
    // The reload that finds the file in the folder reports why it cannot be read.
    return undefined;
  }
}
