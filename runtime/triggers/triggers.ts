// Everything that fires by itself, as one: schedules, watches, webhooks, the ends of others, and the pause over them.
import type { Agent } from "../agents/agent.ts";
import type { FollowUps } from "./after/follow_ups.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";
import type { Pause, SchedulerState } from "./pause.ts";
import type { ReconcileOptions } from "./reconcile_options.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { TriggerLease } from "./trigger_lease.ts";
import type { StoppedTriggers } from "./stopped_triggers.ts";
import type { PassedOver } from "./watch/same_content.ts";
import type { Watcher } from "./watch/watcher.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

/** So long a reload waits until changes of all that is watched are noticed. */
const LONGEST_WAIT_MS = 2_000;

/** What triggers are made of. */
export interface TriggersPorts {
  pause: Pause;
  stops: StoppedTriggers;
  scheduler: Scheduler;
  webhooks: Webhooks;
  followUps: FollowUps;
  /** Opened with the first agent that watches something, or once watched and is gone. */
  openWatcher: () => Promise<Watcher>;
  /** Opened with the first agent that fires by itself; absent where services share a database. */
  openLease?: () => Promise<TriggerLease>;
  /** The reason why the trigger of an agent does not fire here; undefined: it fires. */
  heldBecause: (agentId: string) => string | undefined;
  /** Whether anything is stored of agents that watch, or did. */
  hasStoredWatches: () => Promise<boolean>;
  clock: Clock;
  log: ServiceLog;
}

/** What became of a wish to let a stopped trigger fire again. */
export interface TriggerResumed {
  /** False: it was not stopped, or it stays so. */
  isResumed: boolean;
  /** Why it stays stopped; null: it may fire. */
  reason: string | null;
  /** How many file changes that came meanwhile are dropped. */
  droppedChanges: number;
}

/** What the triggers know of an agent. Times are milliseconds since the epoch. */
export interface TriggerNotes {
  /** When its trigger fires next; null when nothing is due by time. */
  nextRun: number | null;
  /** Why its trigger was stopped although the scheduler runs; null when it was not. */
  triggerPaused: string | null;
  /** The time up to which it has run by its schedule, where the clock was set back to before it. */
  ranUntil?: number;
  /** The reason why it does not fire here: another host or service fires it. */
  heldBecause?: string;
  /** The last change of its watched files that did not fire, because the content is the same. */
  passedOver?: PassedOver;
}

/** The triggers of a service. */
export class Triggers implements AsyncDisposable {
  readonly #ports: TriggersPorts;
  #watcher: Promise<Watcher> | undefined;
  /** The same, once it is there. */
  #openWatcher: Watcher | undefined;
  #lease: TriggerLease | undefined;
  #isStarted = false;
  #isOver = false;
  readonly #reconciling = new Set<Promise<unknown>>();

  constructor(ports: TriggersPorts) {
    this.#ports = ports;
  }

  /** Whether changes of files are being noticed. */
  get watcherActive(): boolean {
    return this.#openWatcher?.active ?? false;
  }

  /** The reason why this service fires nothing: another one on this workspace fires; undefined: it fires. */
  get heldBecause(): string | undefined {
    return this.#lease?.heldBecause;
  }

  get webhooks(): Webhooks {
    return this.#ports.webhooks;
  }

  /** When an agent is due next, paused or not; null when nothing is due by time. Milliseconds since the epoch. */
  nextRun(agentId: string): number | null {
    return this.nextRuns(agentId, 1)[0] ?? null;
  }

  /** When an agent is due next, at most so many times; see nextRun. */
  nextRuns(agentId: string, limit: number): number[] {
    const { scheduler, stops } = this.#ports;
    // A stopped schedule is tried again at its first time from then on.
    return scheduler.nextRuns(agentId, { limit, from: stops.retryAt(agentId) ?? 0 });
  }

  notes(agentId: string): TriggerNotes {
    const { scheduler, stops } = this.#ports;
    const heldBecause = this.#ports.heldBecause(agentId);
    const ranUntil = scheduler.ranUntil(agentId);
    const passedOver = this.#openWatcher?.passedOver(agentId) ?? null;
    return {
      nextRun: heldBecause === undefined ? this.nextRun(agentId) : null,
      triggerPaused: stops.reasonOf(agentId),
      ...(heldBecause !== undefined && { heldBecause }),
      ...(ranUntil !== null && { ranUntil }),
      ...(passedOver && { passedOver }),
    };
  }

  /** Follows the agents as they are now; only what differs changes. Does nothing once the triggers are closed. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    if (this.#isOver) return;
    const reconciling = this.#reconcile(agents, options);
    this.#reconciling.add(reconciling);
    const watcher = await reconciling.finally(() => this.#reconciling.delete(reconciling));
    if (watcher === undefined || this.#isOver) return;
    const following = watcher.reconcile(agents, options);
    // The watched folders may be large, on a slow disk: a reload of the agents does not wait for all of them.
    await firstOf(following, { within: { clock: this.#ports.clock, ms: LONGEST_WAIT_MS } });
  }

  /** Everything but the watches. Returns the watcher if there is anything to watch. */
  async #reconcile(
    agents: readonly Agent[],
    options: ReconcileOptions,
  ): Promise<Watcher | undefined> {
    await this.#followLease(agents, options);
    await this.#ports.stops.follow(agents, options);
    await this.#ports.scheduler.reconcile(agents, options);
    this.#ports.followUps.wake();
    const isWatching = agents.some(({ enabled, trigger }) => enabled && trigger.type === "watch");
    const isWanted = isWatching || this.#watcher !== undefined ||
      await this.#ports.hasStoredWatches();
    // The service may have begun to stop meanwhile.
    if (!isWanted || this.#isOver) return undefined;
    return await (this.#watcher ??= this.#open().catch((error) => {
      // The next reload of the agents tries anew.
      this.#watcher = undefined;
      throw error;
    }));
  }

  /** Begins to fire. What came due while nothing ran is judged at once. */
  start(): void {
    this.#isStarted = true;
    this.#ports.stops.start(() => this.#wake());
    this.#ports.scheduler.start();
    this.#ports.followUps.start();
    this.#openWatcher?.start();
  }

  /** Others of the watches that machines share are this one's than before. */
  followShared(): void {
    this.#openWatcher?.follow();
    this.#openWatcher?.wake();
  }

  /** What other machines told may be lost. */
  lookAgain(): void {
    this.#ports.stops.reload().catch((error) => {
      this.#ports.log.write("warn", "Stopped triggers could not be read", { error });
    });
    this.#ports.followUps.wake();
    this.#openWatcher?.lookAgain();
  }

  /** Lets every trigger that ran away fire again; one whose runs keep failing stays stopped. */
  async reset(): Promise<void> {
    await this.#ports.stops.resume((_agentId, { by }) => by !== "failures");
    this.#ports.followUps.wake();
  }

  /** Lets one agent's stopped trigger fire again. */
  async resumeAgent(agentId: string): Promise<TriggerResumed> {
    const { stops } = this.#ports;
    const before = stops.reasonOf(agentId);
    const droppedChanges = await stops.resume((id) => id === agentId);
    const reason = stops.reasonOf(agentId);
    return { isResumed: before !== null && reason === null, reason, droppedChanges };
  }

  /**
   * Pauses or resumes all triggers; resuming lets stopped ones fire again, too. Returns how many file changes that came
   * meanwhile are dropped.
   */
  async change(state: SchedulerState): Promise<number> {
    await this.#ports.pause.change(state);
    return state === "running" ? await this.resume() : 0;
  }

  /** They may fire again: stopped ones, too. See change. */
  async resume(): Promise<number> {
    const dropped = await this.#ports.stops.resume(() => true);
    this.#wake();
    return dropped;
  }

  #wake(): void {
    this.#ports.followUps.wake();
    this.#ports.scheduler.wake();
    this.#openWatcher?.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    // A reload that is under way still reads the database.
    await Promise.allSettled(this.#reconciling);
    await this.#ports.scheduler[Symbol.asyncDispose]();
    await this.#ports.followUps[Symbol.asyncDispose]();
    await (await this.#watcher)?.[Symbol.asyncDispose]();
    await this.#ports.stops[Symbol.asyncDispose]();
    await this.#lease?.[Symbol.asyncDispose]();
  }

  async #followLease(
    agents: readonly Agent[],
    { isElsewhere = () => false }: ReconcileOptions,
  ): Promise<void> {
    const needsLease = ({ id, enabled, trigger, after, onlyOn }: Agent) =>
      enabled && (trigger.type !== "manual" || after.length > 0) && onlyOn?.length !== 1 &&
      !isElsewhere(id);
    const isNeeded = !this.#isOver && agents.some(needsLease);
    if (isNeeded) this.#lease ??= await this.#ports.openLease?.();
    await this.#lease?.want(isNeeded);
  }

  async #open(): Promise<Watcher> {
    const watcher = await this.#ports.openWatcher();
    this.#openWatcher = watcher;
    if (this.#isStarted) watcher.start();
    return watcher;
  }
}
