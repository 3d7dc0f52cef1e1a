// Follows executions over HTTP. Each follower connects to another node at random times and resumes after its last frame.
// Together, its frames must be exactly the stored frames.
import { sleep } from "../soak/sleep.ts";
import type { StreamFrame } from "../../api/client/client.ts";
import type { Chance } from "../soak/chance.ts";
import type { ClusterWorld } from "./cluster_world.ts";

/** The range of the time in milliseconds after which a follower connects to another node. */
const STAY_MS = { shortest: 500, longest: 12_000 };

/** The followers of one proof. */
export class Followers {
  readonly #world: ClusterWorld;
  readonly #chance: Chance;
  readonly #following = new Set<Promise<void>>();
  readonly #seen = new Map<number, StreamFrame[][]>();
  readonly #leaving = new AbortController();
  /** The number of streams that all followers have opened. */
  visits = 0;
  frames = 0;

  constructor(world: ClusterWorld) {
    this.#world = world;
    this.#chance = world.chance("followers");
  }

  /** Starts a follower, which reads the execution's stream to its end. */
  follow(id: number): void {
    const frames: StreamFrame[] = [];
    this.#seen.set(id, [...this.#seen.get(id) ?? [], frames]);
    const following = this.#follow(id, frames).finally(() => this.#following.delete(following));
    this.#following.add(following);
  }

  /**
   * Waits until all followers of ended executions have reached the end. Returns false if this takes longer than
   * `patienceMs`.
   */
  async rest(patienceMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#leaving.abort(), patienceMs);
    await Promise.all(this.#following);
    clearTimeout(timer);
    return !this.#leaving.signal.aborted;
  }

  /** Reports each follower whose frames differ from the stored frames. */
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
        // The node was killed, frozen or disconnected, or the follower left it. The next node continues the stream.
      }
      await sleep(200, signal);
    }
  }
}
