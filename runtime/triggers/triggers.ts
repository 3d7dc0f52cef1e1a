// All triggers of a service behind one object: schedules, watches, webhooks, follow-ups, and their pause.
import type { Agent } from "../agents/agent.ts";
import type { FollowUps } from "./after/follow_ups.ts";
import type { Clock } from "../../base/clock.ts";
import { firstOf } from "../../base/first_of.ts";
import type { Pause, SchedulerState } from "./pause.ts";
import type { ReconcileOptions } from "./firing/reconcile_options.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { TriggerLease } from "./trigger_lease.ts";
import type { StoppedTriggers } from "./firing/stopped_triggers.ts";
import type { PassedOver } from "./watch/same_content.ts";
import type { Watcher } from "./watch/watcher.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

/** The longest wait of a reload for the watches. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `Triggers`. */
export interface TriggersPorts {
  pause: Pause;
  stops: StoppedTriggers;
  scheduler: Scheduler;
  webhooks: Webhooks;
  followUps: FollowUps;
  /** Opened with the first agent that watches, or that has stored watches. */
  openWatcher: () => Promise<Watcher>;
  /** Opened with the first agent with a trigger; absent where services share a database. */
  openLease?: () => Promise<TriggerLease>;
  /** Returns why the trigger of an agent does not fire here, or undefined when it fires. */
  inactiveReason: (agentId: string) => string | undefined;
  /** Returns true when something is stored of agents that watch, or did. */
  hasStoredWatches: () => Promise<boolean>;
  clock: Clock;
  log: ServiceLog;
}

/** The result of re-arming a stopped trigger. */
export interface TriggerResumeResult {
  /** False when it was not stopped, or is still stopped. */
  isResumed: boolean;
  /** The reason why it is still stopped; null when it may fire. */
  reason: string | null;
  /** The number of dropped file changes. */
  droppedChanges: number;
}

/** The state of one agent's trigger. Times are milliseconds since the epoch. */
export interface TriggerNotes {
  /** The next due time, or null when nothing is due by time. */
  nextRun: number | null;
  /** The reason why this trigger is stopped; null when it is not. The pause of all triggers is none. */
  triggerPaused: string | null;
  /** The time up to which its schedule has run, if the clock was set back to before it. */
  ranUntil?: number;
  /** The reason why it does not fire here: another host or service fires it. */
  inactiveReason?: string;
  /** The last change of a watched file that did not fire because the content is the same. */
  passedOver?: PassedOver;
}

/** The triggers of a service. */
export class Triggers implements AsyncDisposable {
  readonly #ports: TriggersPorts;
  #watcher: Promise<Watcher> | undefined;
  /** The watcher, once it is open. */
  #openWatcher: Watcher | undefined;
  #lease: TriggerLease | undefined;
  #isStarted = false;
  #isOver = false;
  readonly #reconciling = new Set<Promise<unknown>>();

  constructor(ports: TriggersPorts) {
    this.#ports = ports;
  }

  /** True when changes of files are being noticed. */
  get watcherActive(): boolean {
    return this.#openWatcher?.active ?? false;
  }

  /** The reason why this service fires nothing: another one on this workspace does; undefined when it fires. */
  get inactiveReason(): string | undefined {
    return this.#lease?.inactiveReason;
  }

  get webhooks(): Webhooks {
    return this.#ports.webhooks;
  }

  /** Returns an agent's next due time in milliseconds since the epoch, paused or not; null when nothing is due by time. */
  nextRun(agentId: string): number | null {
    return this.nextRuns(agentId, 1)[0] ?? null;
  }

  /** Returns an agent's next due times, at most `limit`; see nextRun. */
  nextRuns(agentId: string, limit: number): number[] {
    const { scheduler, stops } = this.#ports;
    // A stopped schedule is tried again at its first slot at or after the time of the retry.
    return scheduler.nextRuns(agentId, { limit, from: stops.retryAt(agentId) ?? 0 });
  }

  notes(agentId: string): TriggerNotes {
    const { scheduler, stops } = this.#ports;
    const inactiveReason = this.#ports.inactiveReason(agentId);
    const ranUntil = scheduler.ranUntil(agentId);
    const passedOver = this.#openWatcher?.passedOver(agentId) ?? null;
    return {
      nextRun: inactiveReason === undefined ? this.nextRun(agentId) : null,
      triggerPaused: stops.reasonOf(agentId),
      ...(inactiveReason !== undefined && { inactiveReason }),
      ...(ranUntil !== null && { ranUntil }),
      ...(passedOver && { passedOver }),
    };
  }

  /** Follows the agents as they are now; only differences change. Does nothing once the triggers are closed. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    if (this.#isOver) return;
    const reconciling = this.#reconcile(agents, options);
    this.#reconciling.add(reconciling);
    const watcher = await reconciling.finally(() => this.#reconciling.delete(reconciling));
    if (watcher === undefined || this.#isOver) return;
    const following = watcher.reconcile(agents, options);
    // The watched folders may be large, on a slow disk. A reload of the agents does not wait for all of them.
    await firstOf(following, { within: { clock: this.#ports.clock, ms: LONGEST_WAIT_MS } });
  }

  /** Reconciles everything but the watches. Returns the watcher if there is anything to watch. */
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
    // The service may have started to stop meanwhile.
    if (!isWanted || this.#isOver) return undefined;
    return await (this.#watcher ??= this.#open().catch((error) => {
      // The next reload of the agents tries again.
      this.#watcher = undefined;
      throw error;
    }));
  }

  /** Starts firing. Slots and changes from before are judged at once. */
  start(): void {
    this.#isStarted = true;
    this.#ports.stops.start(() => this.#wake());
    this.#ports.scheduler.start();
    this.#ports.followUps.start();
    this.#openWatcher?.start();
  }

  /** Reads again which of the shared watches belong to this machine. */
  reloadShares(): void {
    this.#openWatcher?.follow();
    this.#openWatcher?.wake();
  }

  /** Reads everything again, because messages from other machines may be lost. */
  resync(): void {
    this.#ports.stops.reload().catch((error) => {
      this.#ports.log.write("warn", "Stopped triggers could not be read", { error });
    });
    this.#ports.followUps.wake();
    this.#openWatcher?.resync();
  }

  /** Re-arms every trigger that ran away. A trigger with failing runs stays stopped. */
  async reset(): Promise<void> {
    await this.#ports.stops.resume((_agentId, { by }) => by !== "failures");
    this.#ports.followUps.wake();
  }

  /** Re-arms one agent's stopped trigger. */
  async resumeAgent(agentId: string): Promise<TriggerResumeResult> {
    const { stops } = this.#ports;
    const before = stops.reasonOf(agentId);
    const droppedChanges = await stops.resume((id) => id === agentId);
    const reason = stops.reasonOf(agentId);
    return { isResumed: before !== null && reason === null, reason, droppedChanges };
  }

  /** Pauses or resumes all triggers. Resuming re-arms stopped ones, too. Returns the number of dropped file changes. */
  async change(state: SchedulerState): Promise<number> {
    await this.#ports.pause.change(state);
    return state === "running" ? await this.resume() : 0;
  }

  /** Re-arms all triggers after a pause; see change. */
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
    // A reload in progress still reads the database.
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
