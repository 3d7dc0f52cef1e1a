// Simulates the clients of the cluster: programs that send a request until a node accepts or refuses it, people who cancel
// runs, and programs that write watched files. Each request has an idempotency key.
import { ApiError } from "../../api/client/client.ts";
import type { RunBody } from "../../api/schemas/run_schemas.ts";
import type { WatchedFiles } from "../soak/load/watched_files.ts";
import { CHATTERS } from "../soak/load/soak_agents.ts";
import { sleep } from "../soak/sleep.ts";
import type { Chance } from "../soak/chance.ts";
import { BY_HAND, STEADY } from "./cluster_agents.ts";
import type { ClusterWorld } from "./cluster_world.ts";
import type { Followers } from "./followers.ts";

const CALLERS = 6;
const PAUSE_MS = 2_500;
const SESSIONS = 8;
const AGAIN_MS = 150;
/** The number of recent executions from which a run to cancel is chosen. */
const RECENT = 20;

/** Sends the requests of one proof. */
export class Callers {
  readonly #world: ClusterWorld;
  readonly #files: WatchedFiles;
  readonly #followers: Followers;
  readonly #chance: Chance;
  readonly #leaving = new AbortController();
  readonly #recent: number[] = [];
  #keys = 0;
  /** The ids of the executions that the nodes returned, by idempotency key. */
  readonly accepted = new Map<string, Set<number>>();
  /** The ids of the executions that a node reported as being cancelled. */
  readonly cancelled = new Set<number>();

  constructor(world: ClusterWorld, files: WatchedFiles, followers: Followers) {
    this.#world = world;
    this.#files = files;
    this.#followers = followers;
    this.#chance = world.chance("callers");
  }

  /** Sends requests until `leave` is called. Resolves when every request has a response. */
  async call(callers = CALLERS): Promise<void> {
    await Promise.all(Array.from({ length: callers }, () => this.#callOn()));
  }

  /** Starts `count` long runs in parallel. Resolves when every request has a response. */
  async rush(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#run(STEADY, {}, 1)));
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #callOn(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await sleep(this.#chance.wait(PAUSE_MS), signal);
      if (signal.aborted) return;
      switch (this.#chance.weighted({ run: 10, twice: 2, chat: 4, cancel: 2, watch: 4 })) {
        case "run":
          await this.#run(this.#chance.weighted(BY_HAND), {}, 1);
          break;
        case "twice":
          await this.#run("worker_kept", {}, 2);
          break;
        case "chat":
          await this.#run(this.#chance.one(CHATTERS), {
            message: `And then? ${this.#chance.between(1, 99)}`,
            session_id: `session ${this.#chance.between(1, SESSIONS)}`,
          }, 1);
          break;
        case "cancel":
          await this.#cancel();
          break;
        case "watch":
          await this.#files.write();
      }
    }
  }

  /** Sends the same request with one idempotency key from several callers in parallel. */
  async #run(agent: string, body: RunBody, callers: number): Promise<void> {
    const key = `key-${++this.#keys}`;
    const ids = new Set<number>();
    this.accepted.set(key, ids);
    await Promise.all(Array.from({ length: callers }, () => this.#ask(agent, body, key, ids)));
    for (const id of ids) {
      this.#recent.push(id);
      if (this.#recent.length > RECENT) this.#recent.shift();
      if (this.#chance.is(0.5)) this.#followers.follow(id);
    }
  }

  /** Sends the request to one node after another until a node accepts or refuses it. */
  async #ask(
    agent: string,
    body: RunBody,
    idempotencyKey: string,
    ids: Set<number>,
  ): Promise<void> {
    for (;;) {
      const answer = await this.#world.attempt("run", {
        allowed: [],
        work: (client) =>
          client.run(agent, body, { idempotencyKey }).catch((error) => {
            // A conversation that waits for a person's answer refuses a new message, and the caller gives the request up.
            if (error instanceof ApiError && error.status === 409) return undefined;
            throw error;
          }).then((accepted) => ({ accepted })),
      });
      if (answer?.accepted !== undefined) ids.add(answer.accepted.execution_id);
      if (answer !== undefined) return;
      await sleep(AGAIN_MS);
    }
  }

  async #cancel(): Promise<void> {
    if (this.#recent.length === 0) return;
    const id = this.#chance.one(this.#recent);
    const answer = await this.#world.attempt("cancel", {
      allowed: [],
      work: (client) => client.cancel(id),
    });
    if (answer?.status === "cancelling") this.cancelled.add(id);
  }
}
