// Simulates the people of the soak: they approve, deny, choose, write, cancel, ignore a question, and sometimes answer a
// question twice at the same time.
import type { PendingBody, RespondBody } from "../../../api/schemas/request_schemas.ts";
import { readSnapshot } from "../invariants/invariants.ts";
import { sleep } from "../sleep.ts";
import type { SoakWorld } from "../soak_world.ts";
import type { Chance } from "../chance.ts";

const LONGEST_THOUGHT_MS = 2_500;
/**
 * The time after which an open request is handled again, for example because the service was killed before an answer
 * arrived.
 */
const AGAIN_MS = 6_000;
const HURRIED_MS = 1_000;
const LOOK_MS = 250;

type Response = RespondBody["response"];

/** The parts of the soak's world that People needs. */
type PeoplesWorld = Pick<SoakWorld, "attempt" | "chance" | "database" | "findings">;

/** Answers the questions of one soak. */
export class People {
  readonly #world: PeoplesWorld;
  readonly #chance: Chance;
  /** The time at which each request was last handled, by request id. */
  readonly #taken = new Map<string, number>();
  /** The ids of the requests that people ignore until their deadline. */
  readonly #left = new Set<string>();
  /** The answers that the service has confirmed, by request id. */
  readonly #answered = new Map<string, Response>();
  /** The planned and running answers and cancellations. */
  readonly #acting = new Set<Promise<void>>();
  readonly #leaving = new AbortController();
  /** True: people answer every request at once and ignore none, so that all executions can end. */
  isHurried = false;

  constructor(world: PeoplesWorld) {
    this.#world = world;
    this.#chance = world.chance("people");
  }

  /** Answers questions until `leave` is called. Resolves when no answer is in progress. */
  async attend(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await this.look();
      await sleep(LOOK_MS, signal);
    }
    await Promise.all(this.#acting);
  }

  /** Stops answering. Answers that are planned but not sent yet are dropped. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Reads the open requests and plans an action for each new one. */
  async look(): Promise<void> {
    const waiting = await this.#world.attempt("list waiting", {
      allowed: [],
      work: (client) => client.executions({ status: ["waiting"], limit: 200 }),
    });
    await Promise.all((waiting ?? []).map(({ id }) => this.#visit(id)));
  }

  /** Reports the answers that the service confirmed but stored differently. */
  findLostAnswers(): void {
    const stored = readSnapshot(
      this.#world.database,
      (db) => db.prepare("SELECT request_id, response FROM requests").all(),
    ) as {
      request_id: string;
      response: string | null;
    }[];
    for (const { request_id, response } of stored) {
      const given = this.#answered.get(request_id);
      if (given === undefined || response === JSON.stringify(given)) continue;
      this.#world.findings.add("an answer that was taken is kept", { request_id, response, given });
    }
  }

  async #visit(id: number): Promise<void> {
    const pending = await this.#world.attempt("look at a request", {
      // The request was answered, expired or purged since it was listed.
      allowed: [404],
      work: (client) => client.pending(id),
    });
    if (pending === undefined) return;
    const { request_id, expires_at } = pending;
    const now = performance.now();
    const againMs = this.isHurried ? HURRIED_MS : AGAIN_MS;
    if (now - (this.#taken.get(request_id) ?? -Infinity) < againMs) return;
    if (this.#left.has(request_id) && !this.isHurried) return;
    this.#taken.set(request_id, now);
    const action = this.#chance.weighted({
      answer: 10,
      twice: 3,
      cancel: 1,
      leave: 3,
      misfit: 0.5,
    });
    if (action === "leave" && expires_at !== null && !this.isHurried) {
      this.#left.add(request_id);
      return;
    }
    const thoughtMs = this.#chance.between(0, LONGEST_THOUGHT_MS);
    const acting = this.#act(pending, { action, thoughtMs })
      .finally(() => void this.#acting.delete(acting));
    this.#acting.add(acting);
  }

  async #act(
    pending: PendingBody,
    { action, thoughtMs }: { action: string; thoughtMs: number },
  ): Promise<void> {
    const { signal } = this.#leaving;
    if (!this.isHurried) await sleep(thoughtMs, signal);
    if (signal.aborted) return;
    const { execution_id: id } = pending;
    switch (action) {
      case "cancel":
        await this.#world.attempt("cancel a waiting execution", {
          allowed: [404],
          work: (client) => client.cancel(id),
        });
        return;
      case "misfit":
        await this.#world.attempt("answer what was not asked", {
          allowed: [404, 409, 422],
          work: (client) =>
            client.respond(id, { request_id: pending.request_id, response: { selected: [] } }),
        });
        return;
      case "twice":
        await Promise.all([this.#answer(pending), this.#answer(pending)]);
        return;
      default:
        await this.#answer(pending);
    }
  }

  async #answer(pending: PendingBody): Promise<void> {
    const { execution_id: id, request_id } = pending;
    const response = this.#responseTo(pending);
    const taken = await this.#world.attempt("answer", {
      allowed: [404, 409, 503],
      work: (client) => client.respond(id, { request_id, response }),
    });
    if (taken === undefined) return;
    if (this.#answered.has(request_id)) {
      this.#world.findings.add("a request is answered once", { request_id, id, response });
    }
    this.#answered.set(request_id, response);
  }

  #responseTo({ kind, options, multi }: PendingBody): Response {
    const chance = this.#chance;
    switch (kind) {
      case "confirm":
        return chance.is(0.75)
          ? { approved: true }
          : { approved: false, ...(chance.is(0.5) && { reason: "not today" }) };
      case "input":
        return { text: `somebody's words ${chance.between(1, 1_000)}` };
      case "choice":
        return { selected: multi ? [...options ?? []] : [chance.one(options ?? [])] };
    }
  }
}
