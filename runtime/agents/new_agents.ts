// Agents whose files were written a moment ago, before the watcher reported them. Everything else asks the registry.
import type { Agent } from "./agent.ts";
import { describeBadName, isAgentFileName, normalizeId } from "./agent_id.ts";
import type { AgentRegistry } from "./registry.ts";
import { PATHS } from "../../base/plain_path.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

const { join } = PATHS;

/** What new agents are found with. */
export interface NewAgentsPorts {
  registry: Pick<AgentRegistry, "get">;
  agentsDir: string;
  /** Reads all agent files that changed into the registry, and tells whoever has to know. */
  reload: () => Promise<unknown>;
}

/**
 * Finds the agent of an id, if need be by one look at the folder. Only a file that has the id's name leads to a look, and
 * no version of it leads to two: whoever asks for ids that do not exist costs a question about a file name each.
 */
export class NewAgents {
  readonly #ports: NewAgentsPorts;
  /** Versions of files that gave no agent when they were looked at. */
  readonly #fruitless = new Set<string>();
  readonly #reloads = new SerialQueue();
  /** The look that has not begun: all who ask until then share it. */
  #next: Promise<void> | undefined;

  constructor(ports: NewAgentsPorts) {
    this.#ports = ports;
  }

  /** Undefined: there is no such agent, or its file does not parse. Fails only as `reload` does. */
  async find(id: string): Promise<Agent | undefined> {
    const { registry } = this.#ports;
    const known = registry.get(id);
    if (known !== undefined) return known;
    const version = await this.#newFile(id);
    if (version === undefined) return undefined;
    await this.#reloadOnce();
    const agent = registry.get(id);
    if (agent === undefined) this.#fruitless.add(version);
    return agent;
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
    // Why a file cannot be seen is told by the reload that finds it in the folder.
    return undefined;
  }
}
