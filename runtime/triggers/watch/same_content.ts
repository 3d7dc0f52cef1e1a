// Detects files that were written again with the same content (touched, restored, synchronized), for one agent's watch.
import type { Clock } from "../../../base/clock.ts";
import { inGroups } from "../../../base/in_groups.ts";
import type { ContentDigests, DigestedFile } from "../../folders/content_digests.ts";
import type { Stamp } from "../../folders/folder_snapshot.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { SettledPath } from "./change_folding.ts";
import type { WatchingAgent } from "./run_queue.ts";
import type { SeenFile, SqlWatchStore } from "./watch_store.ts";

/** The number of files read at once. */
const READ_AT_ONCE = 8;

/** The collaborators of `SameContent`. */
export interface SameContentPorts {
  /** Shared by all watches. */
  digests: ContentDigests;
  store: SqlWatchStore;
  clock: Clock;
  log: ServiceLog;
}

/** The last change that did not fire because the content is the same. */
export interface PassedOver {
  path: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The number of such changes since the service started. */
  count: number;
}

/** The contents of one agent's files. Reads nothing with `same_content: true`. */
export class SameContent {
  readonly #ports: SameContentPorts;
  passedOver: PassedOver | null = null;

  constructor(ports: SameContentPorts) {
    this.#ports = ports;
  }

  /** Reads the digests of existing files in the background, and stores them for an agent that catches up. */
  survey(
    { id, trigger }: WatchingAgent,
    files: () => Iterable<[path: string, stamp: Stamp]>,
  ): void {
    const { digests, store, log } = this.#ports;
    if (trigger.sameContent) return;
    const keep = (taken: readonly DigestedFile[]) => store.keepDigests(id, taken);
    void digests.survey(files, trigger.catchUp === "once" ? keep : undefined).catch((error) => {
      const message = "Digests of watched files could not be stored";
      log.write("warn", message, { agent: id, error });
    });
  }

  /** Drops the changes that left the content unchanged. Reads the digests of the other files. */
  async drop(
    { id: agent, trigger }: WatchingAgent,
    settled: readonly SettledPath[],
  ): Promise<readonly SettledPath[]> {
    const { digests, clock, log } = this.#ports;
    if (trigger.sameContent) return settled;
    const isSame = async ({ path, event, before, stamp }: SettledPath) => {
      if (stamp === null) digests.forget(path);
      else if (event !== "modified" || before === null) await digests.digestOf(path, stamp);
      else return await digests.isSame(path, { before, now: stamp });
      return false;
    };
    const same = await inGroups(settled, { size: READ_AT_ONCE, work: isSame });
    return settled.filter(({ path }, index) => {
      if (!same[index]) return true;
      this.passedOver = { path, at: clock.now(), count: (this.passedOver?.count ?? 0) + 1 };
      log.write("info", "A change is passed over: the content is the same", { agent, path });
      return false;
    });
  }

  /** Returns the files' present stamps with the known digests, for an agent that catches up. */
  async toSeenFiles(
    { trigger }: WatchingAgent,
    settled: readonly SettledPath[],
  ): Promise<SeenFile[]> {
    if (trigger.catchUp !== "once") return [];
    return await inGroups(settled, {
      size: READ_AT_ONCE,
      work: async ({ path, stamp }) => {
        const isTaken = stamp !== null && !trigger.sameContent;
        const digest = isTaken ? await this.#ports.digests.digestOf(path, stamp) : undefined;
        return { path, stamp, ...(digest !== undefined && { digest }) };
      },
    });
  }
}
