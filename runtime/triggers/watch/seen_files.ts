// For agents that catch up: how each file looked when its agent was last told of it, so that what changed while the service
// was down fires once.
import type { WatchTrigger } from "../../agents/agent.ts";
import type { Stamp } from "../../folders/folder_snapshot.ts";
import type { SettledPath } from "./change_folding.ts";
import type { SeenFile, WatchStore } from "./watch_store.ts";

/** No file has an empty path: this row says what was watched, because other paths or filters begin anew. */
const FINGERPRINT_PATH = "";

/** In place of a stamp: the file, or all in the folder, was there, but could not be read. */
export const UNREAD: Stamp = "unread";

type Watched = Pick<WatchTrigger, "paths" | "filters" | "catchUp">;

/** The seen files of all agents. */
export class SeenFiles {
  readonly #store: WatchStore;

  constructor(store: WatchStore) {
    this.#store = store;
  }

  /** How files looked, or UNREAD; undefined for an agent that does not catch up, or not on these files. */
  async recall(agentId: string, trigger: Watched): Promise<Map<string, Stamp> | undefined> {
    if (trigger.catchUp !== "once") return undefined;
    const stored = new Map(await this.#store.readSeen(agentId));
    if (stored.get(FINGERPRINT_PATH) !== fingerprintOf(trigger)) return undefined;
    stored.delete(FINGERPRINT_PATH);
    return stored;
  }

  /** Begins anew with how files look now (UNREAD among the stamps); forgets all for an agent that does not catch up. */
  async begin(
    agentId: string,
    trigger: Watched,
    files: ReadonlyMap<string, Stamp>,
  ): Promise<void> {
    const stored = await this.#store.readSeen(agentId);
    if (stored === undefined && trigger.catchUp !== "once") return;
    const now = new Map(trigger.catchUp === "once" ? files : []);
    if (trigger.catchUp === "once") now.set(FINGERPRINT_PATH, fingerprintOf(trigger));
    const gone = [...stored?.keys() ?? []].filter((path) => !now.has(path));
    if (gone.length === 0 && now.size === 0) return;
    await this.#store.markSeen(agentId, [
      ...gone.map((path) => ({ path, stamp: null })),
      ...[...now].map(([path, stamp]) => ({ path, stamp })),
    ]);
  }

  /** What is to be remembered of paths that have settled. */
  marksOf(trigger: Watched, paths: readonly SettledPath[]): SeenFile[] {
    if (trigger.catchUp !== "once") return [];
    return paths.map(({ path, stamp }) => ({ path, stamp }));
  }
}

function fingerprintOf({ paths, filters }: Watched): string {
  return JSON.stringify([paths, filters]);
}
