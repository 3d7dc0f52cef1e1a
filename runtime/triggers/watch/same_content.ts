// Detects changes that left a file's content unchanged (touched, restored or synchronized files), for the watch of one
// agent.
import { inParallel } from "../../../base/in_parallel.ts";
import type { DigestedFile } from "../../folders/content_digests.ts";
import type { Stamp } from "../../folders/folder_snapshot.ts";
import type { SettledPath } from "./change_folding.ts";
import type { WatchingAgent, WatchPorts } from "./run_queue.ts";
import type { SeenFile } from "./watch_store.ts";

/** The number of files to read in parallel. */
const READ_AT_ONCE = 8;

/** The last file change that started no run because the content is the same. */
export interface PassedOver {
  path: string;
  /** The time of the change, in milliseconds since the epoch. */
  at: number;
  /** The number of changes without new content since the service started. */
  count: number;
}

/**
 * Compares the contents of one agent's watched files. With `same_content: true` in the agent's trigger it reads no files.
 */
export class SameContent {
  readonly #ports: WatchPorts;
  passedOver: PassedOver | null = null;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** Calculates the digests of existing files in the background. If the agent has `catch_up: once`, also stores them. */
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

  /** Returns the changes that altered the content of their file. Calculates and keeps the digests of new files. */
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
    const same = await inParallel(settled, { size: READ_AT_ONCE, work: isSame });
    return settled.filter(({ path }, index) => {
      if (!same[index]) return true;
      this.passedOver = { path, at: clock.now(), count: (this.passedOver?.count ?? 0) + 1 };
      log.write("info", "A change is passed over: the content is the same", { agent, path });
      return false;
    });
  }

  /** Returns the present stamp and digest of each file if the agent has `catch_up: once`, otherwise an empty list. */
  async toSeenFiles(
    { trigger }: WatchingAgent,
    settled: readonly SettledPath[],
  ): Promise<SeenFile[]> {
    if (trigger.catchUp !== "once") return [];
    return await inParallel(settled, {
      size: READ_AT_ONCE,
      work: async ({ path, stamp }) => {
        const isTaken = stamp !== null && !trigger.sameContent;
        const digest = isTaken ? await this.#ports.digests.digestOf(path, stamp) : undefined;
        return { path, stamp, ...(digest !== undefined && { digest }) };
      },
    });
  }
}
