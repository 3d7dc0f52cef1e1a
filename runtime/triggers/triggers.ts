// Everything that fires by itself, as one: schedules, watches, webhooks, the ends of others, and the pause over them.
import type { Agent } from "../agents/agent.ts";
import type { FollowUps } from "./after/follow_ups.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";
import type { Pause, SchedulerState } from "./pause.ts";
import type { ReconcileOptions } from "./reconcile_options.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { Watcher } from "./watch/watcher.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

/** So long a reload waits until changes of all that is watched are noticed. */
const LONGEST_WAIT_MS = 2_000;

/** What triggers are made of. */
export interface TriggersPorts {
  pause: Pause;
  scheduler: Scheduler;
  webhooks: Webhooks;
  followUps: FollowUps;
  /** Opened with the first agent that watches something, or once watched and is gone. */
  openWatcher: () => Promise<Watcher>;
  /** Whether anything is stored of agents that watch, or did. */
  hasStoredWatches: () => Promise<boolean>;
  clock: Clock;
}

/** The triggers of a service. */
export class Triggers implements AsyncDisposable {
  readonly #ports: TriggersPorts;
  #watcher: Promise<Watcher> | undefined;
  /** The same, once it is there. */
  #openWatcher: Watcher | undefined;
  #isStarted = false;
  #isOver = false;

  constructor(ports: TriggersPorts) {
    this.#ports = ports;
  }

  /** Whether changes of files are being noticed. */
  get watcherActive(): boolean {
    return this.#openWatcher?.active ?? false;
  }

  get webhooks(): Webhooks {
    return this.#ports.webhooks;
  }

  /** When an agent is due next, paused or not; null when nothing is due by time. Milliseconds since the epoch. */
  nextRun(agentId: string): number | null {
    return this.#ports.scheduler.nextRun(agentId);
  }

  /** When an agent is due next, at most so many times; see nextRun. */
  nextRuns(agentId: string, limit: number): number[] {
    return this.#ports.scheduler.nextRuns(agentId, limit);
  }

  /** Why an agent's trigger was stopped because it ran away; null when it was not. */
  pausedReason(agentId: string): string | null {
    return this.#openWatcher?.trippedReason(agentId) ??
      this.webhooks.brake.reasonOf(agentId) ?? this.#ports.followUps.brake.reasonOf(agentId);
  }

  /** Follows the agents as they are now; only what differs changes. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    await this.#ports.scheduler.reconcile(agents, options);
    this.webhooks.brake.follow(agents);
    this.#ports.followUps.brake.follow(agents);
    this.#ports.followUps.wake();
    // A reload that was under way when the service stopped.
    if (this.#isOver) return;
    const isWatching = agents.some(({ enabled, trigger }) => enabled && trigger.type === "watch");
    const isWanted = isWatching || this.#watcher !== undefined ||
      await this.#ports.hasStoredWatches();
    if (!isWanted) return;
    const watcher = await (this.#watcher ??= this.#open().catch((error) => {
      // The next reload of the agents tries anew.
      this.#watcher = undefined;
      throw error;
    }));
    const following = watcher.reconcile(agents, options);
    // What is watched may be large, on a slow disk: whoever reloads the agents does not wait for all of it.
    await firstOf(following, { within: { clock: this.#ports.clock, ms: LONGEST_WAIT_MS } });
  }

  /** Begins to fire. What came due while nothing ran is judged at once. */
  start(): void {
    this.#isStarted = true;
    this.#ports.scheduler.start();
    this.#ports.followUps.start();
    this.#openWatcher?.start();
  }

  /** Others of the watches that machines share are this one's than before. */
  followShared(): void {
    this.#openWatcher?.follow();
  }

  /** What other machines told may be lost. */
  lookAgain(): void {
    this.#ports.followUps.wake();
    this.#openWatcher?.lookAgain();
  }

  /** Lets every trigger that was stopped because it ran away fire again. */
  reset(): void {
    this.#openWatcher?.reset();
    this.webhooks.brake.reset();
    this.#ports.followUps.brake.reset();
    this.#ports.followUps.wake();
  }

  /** Pauses or resumes all triggers; resuming lets those that ran away fire again, too. */
  async change(state: SchedulerState): Promise<void> {
    await this.#ports.pause.change(state);
    if (state === "running") this.resume();
  }

  /** They may fire again: what ran away, too. */
  resume(): void {
    this.reset();
    this.#ports.scheduler.wake();
    this.#openWatcher?.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#ports.scheduler[Symbol.asyncDispose]();
    await this.#ports.followUps[Symbol.asyncDispose]();
    await (await this.#watcher)?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<Watcher> {
    const watcher = await this.#ports.openWatcher();
    this.#openWatcher = watcher;
    if (this.#isStarted) watcher.start();
    return watcher;
  }
}
