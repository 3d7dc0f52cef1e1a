// Followers of executions over HTTP that resume after their last frame, each time at some node. Together they must
// read exactly the stored frames.
import { sleep } from "../soak/sleep.ts";
import type { StreamFrame } from "../../api/client/client.ts";
import type { Chance } from "../soak/soak_random.ts";
import type { ClusterWorld } from "./cluster_world.ts";

/** The time that a follower stays at one node. */
const STAY_MS = { shortest: 500, longest: 12_000 };

/** The followers of one proof. */
export class Followers {
  readonly #world: ClusterWorld;
  readonly #chance: Chance;
  readonly #following = new Set<Promise<void>>();
  readonly #seen = new Map<number, StreamFrame[][]>();
  readonly #leaving = new AbortController();
  /** The number of connections to nodes. */
  visits = 0;
  frames = 0;

  constructor(world: ClusterWorld) {
    this.#world = world;
    this.#chance = world.chance("followers");
  }

  /** Starts a follower that reads this execution to its end. */
  follow(id: number): void {
    const frames: StreamFrame[] = [];
    this.#seen.set(id, [...this.#seen.get(id) ?? [], frames]);
    const following = this.#follow(id, frames).finally(() => this.#following.delete(following));
    this.#following.add(following);
  }

  /** Resolves when all followers reached the end of their ended executions; false when that takes too long. */
  async rest(patienceMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#leaving.abort(), patienceMs);
    await Promise.all(this.#following);
    clearTimeout(timer);
    return !this.#leaving.signal.aborted;
  }

  /** Compares each follower's frames with the stored ones. */
  async check(): Promise<void> {
    for (const [id, readings] of this.#seen) {
      const stored = await this.#world.query<{ id: number; event: string; payload: string }>(
        "SELECT id, event, payload FROM frames WHERE execution_id = ? ORDER BY id",
        id,
      );
      const expected = stored.map(({ id, event, payload }) => `${id} ${event} ${payload}`);
      for (const frames of readings) {
        this.frames += frames.length;
        const read = frames.map(({ id, event, data }) => `${id} ${event} ${data}`);
        const at = expected.findIndex((frame, n) => frame !== read[n]);
        if (at < 0 && read.length === expected.length) continue;
        this.#world.findings.add("a follower reads each frame once, in order, at whichever node", {
          id,
          frames: read.length,
          stored: expected.length,
          expected: expected[at],
          read: read[at] ?? read.at(-1),
        });
      }
    }
  }

  async #follow(id: number, frames: StreamFrame[]): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const node = this.#world.someNode();
      const leaving = AbortSignal.any([
        signal,
        AbortSignal.timeout(this.#chance.between(STAY_MS.shortest, STAY_MS.longest)),
      ]);
      try {
        const after = frames.at(-1)?.id ?? 0;
        this.visits++;
        for await (const frame of node?.client.follow(id, { after, signal: leaving }) ?? []) {
          if (frame.id !== null) frames.push(frame);
          if (frame.event === "complete") return;
        }
      } catch {
        // The node was killed, frozen or cut off, or the follower left: the next node must continue.
      }
      await sleep(200, signal);
    }
  }
}
