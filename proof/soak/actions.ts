// The actions that the soak's load does: runs, chats, streams, edits, pauses, purges.
import type { StreamFrame } from "../../api/client/client.ts";
import { AgentEdits } from "./load/agent_edits.ts";
import { BY_HAND, CHATTERS } from "./load/soak_agents.ts";
import type { Chance } from "./chance.ts";
import type { SoakWorld } from "./soak_world.ts";
import type { WatchedFiles } from "./load/watched_files.ts";
import { sleep } from "./sleep.ts";

const SESSIONS = 12;
const LONGEST_PAUSE_MS = 4_000;
const FOLLOW_MS = 20_000;
const SEEN_WITHIN_MS = 30_000;
/**
 * The statuses with which a run may be refused: 404 when the agent's file is missing, 409 while the conversation waits for
 * a person, 503 while the service stops.
 */
const RUN_REFUSED = [404, 409, 503];

/** The relative frequency of each action. */
export const ACTIONS = {
  run: 40,
  chat: 20,
  runTwice: 3,
  follow: 14,
  drop: 14,
  events: 4,
  cancel: 8,
  watch: 10,
  pause: 0.6,
  edit: 3,
  reload: 0.5,
  purge: 0.7,
  look: 12,
} as const;

export type Action = keyof typeof ACTIONS;

/** Does the actions on the service of one soak. */
export class Actions {
  readonly #world: SoakWorld;
  readonly #files: WatchedFiles;
  readonly #chance: Chance;
  readonly #edits: AgentEdits;
  readonly #recent: number[] = [];
  /** The agent of every run that the service accepted, by execution id. */
  readonly accepted = new Map<number, string>();
  #isPaused = false;
  #keys = 0;
  /** Aborted to stop all open streams. */
  #following = new AbortController();

  constructor(world: SoakWorld, files: WatchedFiles) {
    this.#world = world;
    this.#files = files;
    this.#chance = world.chance("actions");
    this.#edits = new AgentEdits(world);
  }

  /** Does one action. Resolves when the action is over. */
  async do(action: Action): Promise<void> {
    switch (action) {
      case "run":
        return await this.#run(this.#chance.weighted(BY_HAND));
      case "chat":
        return await this.#chat();
      case "runTwice":
        return await this.#runTwice();
      case "follow":
        return await this.#follow();
      case "drop":
        return await this.#drop();
      case "events":
        return await this.#watchEvents();
      case "cancel":
        return await this.#cancel();
      case "watch":
        return await this.#files.write();
      case "pause":
        return await this.pause();
      case "edit":
        return await this.#edit();
      case "reload":
        await this.#attempt("reload", [503], (client) => client.reload());
        return;
      case "purge":
        return await this.#purge();
      case "look":
        return await this.#look();
    }
    return action satisfies never;
  }

  /** Closes all open streams. */
  stopFollowing(): void {
    this.#following.abort();
    this.#following = new AbortController();
  }

  /** Resumes all triggers of the service. */
  async unpause(): Promise<void> {
    await this.#world.attempt("resume", {
      allowed: [503],
      work: (client) => client.resumeScheduler(),
    });
  }

  /** Waits until every watched file has been seen, then pauses all triggers for up to four seconds. */
  async pause(): Promise<void> {
    if (this.#isPaused) return;
    this.#isPaused = true;
    try {
      if (!await this.#files.pause(SEEN_WITHIN_MS)) return;
      await this.#attempt("pause", [503], (client) => client.pauseScheduler());
      await sleep(this.#chance.between(200, LONGEST_PAUSE_MS));
      // Retry until the service confirms, because it may be stopped, and its triggers must not stay paused.
      while (
        await this.#attempt("resume", [503], (client) => client.resumeScheduler()) === undefined
      ) {
        if (!this.#world.service.isUp) await sleep(200);
        else await sleep(20);
      }
    } finally {
      this.#files.resume();
      this.#isPaused = false;
    }
  }

  async #run(agent: string): Promise<void> {
    const chance = this.#chance;
    const accepted = await this.#attempt("run", RUN_REFUSED, (client) =>
      client.run(agent, {
        ...(chance.is(0.3) && { args: [`topic ${chance.between(1, 9)}`] }),
        ...(chance.is(0.3) && { context: "It is urgent." }),
      }));
    if (accepted !== undefined) this.#accept(accepted.execution_id, agent);
  }

  async #chat(): Promise<void> {
    const agent = this.#chance.one(CHATTERS);
    const session_id = `session ${this.#chance.between(1, SESSIONS)}`;
    const accepted = await this.#attempt(
      "chat",
      RUN_REFUSED,
      (client) =>
        client.run(agent, { message: `And then? ${this.#chance.between(1, 99)}`, session_id }),
    );
    if (accepted !== undefined) this.#accept(accepted.execution_id, agent);
  }

  /** Sends one request twice in parallel with the same idempotency key. Reports a finding if two executions result. */
  async #runTwice(): Promise<void> {
    const idempotencyKey = `key-${++this.#keys}`;
    const both = await Promise.all(
      [1, 2].map(() =>
        this.#attempt(
          "run by key",
          RUN_REFUSED,
          (client) => client.run("worker", { message: idempotencyKey }, { idempotencyKey }),
        )
      ),
    );
    const ids = new Set(both.flatMap((one) => one === undefined ? [] : [one.execution_id]));
    for (const id of ids) this.#accept(id, "worker");
    if (ids.size > 1) {
      this.#world.findings.add("one key makes one execution", { idempotencyKey, ids: [...ids] });
    }
  }

  /** Reads a stream to its end. Reports a finding unless ids rise and the last frame is a final one. */
  async #follow(): Promise<void> {
    const id = this.#someExecution();
    if (id === undefined) return;
    await this.#attempt("follow", [404, 503], async (client) => {
      let before = 0;
      let last: StreamFrame | undefined;
      const signal = this.#within(FOLLOW_MS);
      try {
        for await (const frame of client.follow(id, { deltas: this.#chance.is(0.5), signal })) {
          last = frame;
          if (frame.id === null) continue;
          if (frame.id <= before) {
            this.#world.findings.add("ids of a stream rise", { id, before, frame: frame.id });
          }
          before = frame.id;
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      if (last === undefined || !["complete", "waiting", "shutdown"].includes(last.event)) {
        this.#world.findings.add("a stream ends with a frame that says so", {
          id,
          last: last?.event,
        });
      }
    });
  }

  /** Follows an execution, reads up to 12 frames, and disconnects. */
  async #drop(): Promise<void> {
    const id = this.#someExecution();
    if (id === undefined) return;
    await this.#attempt("drop", [404, 503], async (client) => {
      const gone = new AbortController();
      const timer = setTimeout(() => gone.abort(), this.#chance.between(5, 1_500));
      let left = this.#chance.between(1, 12);
      try {
        for await (const _ of client.follow(id, { deltas: true, signal: gone.signal })) {
          if (--left === 0) break;
        }
      } catch (error) {
        if (!gone.signal.aborted) throw error;
      } finally {
        clearTimeout(timer);
        gone.abort();
      }
    });
  }

  async #watchEvents(): Promise<void> {
    await this.#attempt("events", [503], async (client) => {
      const signal = this.#within(this.#chance.between(50, 15_000));
      try {
        for await (const _ of client.events({ signal })) { /* Events are ignored. */ }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  async #cancel(): Promise<void> {
    const id = this.#someExecution();
    if (id === undefined) return;
    await this.#attempt("cancel", [404, 503], (client) => client.cancel(id));
  }

  async #purge(): Promise<void> {
    const force = this.#chance.is(0.2);
    const agent = this.#chance.is(0.7) ? this.#chance.one(Object.keys(BY_HAND)) : undefined;
    await this.#attempt(
      "purge",
      [404, 503],
      (client) => client.purgeCheckpoints({ ...(agent !== undefined && { agent }), force }),
    );
  }

  /** Sends a random request that changes nothing. */
  async #look(): Promise<void> {
    const chance = this.#chance;
    const id = this.#someExecution();
    await this.#attempt("look", [404, 503], async (client): Promise<unknown> => {
      switch (chance.between(1, 9)) {
        case 1:
          return await client.agents();
        case 2:
          return await client.agent(chance.weighted(BY_HAND));
        case 3:
          return await client.slots("tick_1", { limit: 20 });
        case 4:
          return await client.stats({ days: 7 });
        case 5:
          return await client.log({ lines: 50 });
        case 6:
          return await client.checkpoints();
        case 7:
          return await client.scheduler({ upcoming: 3 });
        case 8:
          return id === undefined ? undefined : await client.messages(id);
        default:
          return id === undefined ? undefined : await client.execution(id);
      }
    });
  }

  /** Changes one of the `scratch` agent files, or runs its agent. */
  async #edit(): Promise<void> {
    const id = this.#edits.pick();
    return this.#chance.is(0.4) ? await this.#run(id) : await this.#edits.change(id);
  }

  #accept(id: number, agent: string): void {
    this.accepted.set(id, agent);
    this.#recent.push(id);
    if (this.#recent.length > 60) this.#recent.shift();
  }

  #someExecution(): number | undefined {
    return this.#recent.length === 0 ? undefined : this.#chance.one(this.#recent);
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#following.signal, AbortSignal.timeout(ms)]);
  }

  #attempt<T>(
    what: string,
    allowed: readonly number[],
    work: Parameters<typeof SoakWorld.prototype.attempt<T>>[1]["work"],
  ): Promise<T | undefined> {
    return this.#world.attempt(what, { allowed, work });
  }
}
