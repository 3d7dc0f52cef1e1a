// Finds agents by the current content of their files, even before the watcher reports a change.
import type { Agent } from "./agent.ts";
import { describeBadName, isAgentFileName, normalizeId } from "./agent_id.ts";
import { versionOf } from "../config/files/file_stamp.ts";
import type { AgentRegistry } from "./registry.ts";
import { join } from "../../base/plain_path.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

/** The registry, and the function that reloads it. */
export interface CurrentAgentsOptions {
  registry: AgentRegistry;
  agentsDir: string;
  /** Reads every changed agent file into the registry. */
  reload: () => Promise<unknown>;
}

/**
 * Finds an agent by its id. Stats the file of a known agent, and reads the folder only if the file has changed. For an
 * unknown id, reads the folder only if a file with this id exists, once for each version of the file. Waits for a file that
 * is being written.
 */
export class CurrentAgents {
  readonly #options: CurrentAgentsOptions;
  /** The versions of files that were read and gave no agent. */
  readonly #unparsed = new Set<string>();
  readonly #reloads = new SerialQueue();
  /** The reload that is queued. All callers before its start share it. */
  #next: Promise<void> | undefined;

  constructor(options: CurrentAgentsOptions) {
    this.#options = options;
  }

  /**
   * Returns the agent as its file is now. Returns the last valid definition if the file does not parse or keeps changing
   * for five seconds. Undefined if the agent does not exist or never parsed. Rejects only if `reload` does.
   */
  async find(id: string): Promise<Agent | undefined> {
    const { registry } = this.#options;
    if (registry.get(id) === undefined) {
      const version = await this.#newFile(id);
      if (version === undefined) return undefined;
      do await this.#reloadOnce(); while (registry.isChanging(id));
      if (registry.get(id) === undefined) this.#unparsed.add(version);
      return registry.get(id);
    }
    if (await registry.isCurrent(id)) return registry.get(id);
    do await this.#reloadOnce(); while (registry.isChanging(id));
    return registry.get(id);
  }

  /** Returns the version of the agent file with this id, if no reload has read that version. Undefined otherwise. */
  async #newFile(id: string): Promise<string | undefined> {
    // An invalid id must not become part of a path.
    if (describeBadName(id) !== undefined) return undefined;
    for (const spelling of new Set([id, normalizeId(id), id.normalize("NFD")])) {
      const name = `${spelling}.md`;
      if (!isAgentFileName(name)) continue;
      const version = await versionOf(join(this.#options.agentsDir, name));
      if (version !== undefined && !this.#unparsed.has(version)) return version;
    }
    return undefined;
  }

  /**
   * Runs a reload that starts after this call, because an earlier one may have read the file before its change. Reloads run
   * one at a time.
   */
  #reloadOnce(): Promise<void> {
    return this.#next ??= this.#reloads.run(async () => {
      this.#next = undefined;
      await this.#options.reload();
    });
  }
}
