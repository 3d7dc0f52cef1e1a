// Controls all triggers of a service: schedules, watches, webhooks, mails, follow-ups (`after`), and the pause.
import type { Agent } from "../agents/agent.ts";
import type { AuditEntry } from "../audit/audit_table.ts";
import { firstOf } from "../../base/first_of.ts";
import type { Pause, SchedulerState } from "./pause.ts";
import type { ReconcileOptions } from "./firing/fire.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { TriggerLease } from "./trigger_lease.ts";
import type { TriggerContext } from "./firing/trigger_context.ts";
import type { LazySource, TriggerNotes, TriggerSource } from "./trigger_source.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

/** The maximum time for which a reload of the agents waits for slow sources. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `Triggers`. */
export interface TriggersPorts
  extends Pick<TriggerContext, "clock" | "log" | "stops" | "inactiveReason"> {
  pause: Pause;
  scheduler: Scheduler;
  webhooks: Webhooks;
  /** The sources of all kinds, also the scheduler, in the order in which they are updated and disposed. */
  sources: readonly (TriggerSource | LazySource)[];
  /** Opens the lease file. Called when an agent has an automatic trigger; absent if the services share a database. */
  openLease?: () => Promise<TriggerLease>;
}

/** The result of re-arming a stopped trigger. */
export interface TriggerResumeResult {
  /** True if the trigger was stopped and is re-armed. */
  isResumed: boolean;
  /** The reason why the trigger is still stopped; null if it may fire. */
  reason: string | null;
  /** The number of queued file changes that were dropped. */
  droppedChanges: number;
}

/** Starts, updates, pauses and re-arms the triggers of a service. */
export class Triggers implements AsyncDisposable {
  readonly #ports: TriggersPorts;
  /** The open sources, by their entries in `ports.sources`. */
  readonly #open = new Map<TriggerSource | LazySource, TriggerSource>();
  #lease: TriggerLease | undefined;
  #isStarted = false;
  #isOver = false;
  readonly #reconciling = new Set<Promise<unknown>>();

  constructor(ports: TriggersPorts) {
    this.#ports = ports;
    for (const source of ports.sources) if (!("open" in source)) this.#open.set(source, source);
  }

  /** True if at least one watched path is being watched. */
  get watcherActive(): boolean {
    return this.#open.values().some(({ active = false }) => active);
  }

  /**
   * The reason why this service fires no triggers: another service on the workspace holds the lease. Undefined if this
   * service fires them.
   */
  get inactiveReason(): string | undefined {
    return this.#lease?.inactiveReason;
  }

  get webhooks(): Webhooks {
    return this.#ports.webhooks;
  }

  /** Returns up to `limit` next due times of an agent's schedule, in milliseconds since the epoch. Ignores pauses. */
  nextRuns(agentId: string, limit: number): number[] {
    const { scheduler, stops } = this.#ports;
    // A stopped schedule next runs at its first due time at or after the planned retry.
    return scheduler.nextRuns(agentId, { limit, from: stops.find(agentId)?.retryAt ?? 0 });
  }

  notes(agentId: string): TriggerNotes {
    const { scheduler, stops } = this.#ports;
    const noted: Partial<TriggerNotes> = Object.assign(
      {},
      ...this.#open.values().map((source) => source.notes?.(agentId)),
    );
    const inactiveReason = this.#ports.inactiveReason(agentId) ?? noted.inactiveReason;
    const ranUntil = scheduler.ranUntil(agentId);
    return {
      ...noted,
      nextRun: inactiveReason === undefined ? this.nextRuns(agentId, 1)[0] ?? null : null,
      triggerPaused: stops.reasonOf(agentId),
      ...(inactiveReason !== undefined && { inactiveReason }),
      ...(ranUntil !== null && { ranUntil }),
    };
  }

  /** Updates all triggers from the present agents. Unchanged triggers continue. Does nothing after the dispose. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    if (this.#isOver) return;
    const reconciling = this.#reconcile(agents, options);
    this.#reconciling.add(reconciling);
    const slow = await reconciling.finally(() => this.#reconciling.delete(reconciling));
    if (slow.length === 0 || this.#isOver) return;
    const following = Promise.all(slow.map((source) => source.reconcile(agents, options)));
    // The first scan of large folders may be slow. The reload of the agents does not wait for its end.
    await firstOf(following, { within: { clock: this.#ports.clock, ms: LONGEST_WAIT_MS } });
  }

  /** Opens the needed sources and updates all but the slow ones. Returns the slow ones. */
  async #reconcile(
    agents: readonly Agent[],
    options: ReconcileOptions,
  ): Promise<TriggerSource[]> {
    await this.#followLease(agents, options);
    await this.#ports.stops.follow(agents, options);
    const slow: TriggerSource[] = [];
    for (const one of this.#ports.sources) {
      const source = this.#open.get(one) ??
        ("open" in one ? await this.#openFor(agents, one) : one);
      if (source?.isSlow) slow.push(source);
      else await source?.reconcile(agents, options);
    }
    return slow;
  }

  /** Opens a source if the agents need it. Returns undefined otherwise. */
  async #openFor(agents: readonly Agent[], lazy: LazySource): Promise<TriggerSource | undefined> {
    // The dispose may have started during the calls before.
    if (!await lazy.isWanted(agents) || this.#isOver) return undefined;
    const source = await lazy.open();
    this.#open.set(lazy, source);
    if (this.#isStarted) source.start?.();
    return source;
  }

  /** Starts firing. Due times and file changes that are already pending are processed at once. */
  start(): void {
    this.#isStarted = true;
    this.#ports.stops.start(() => this.#wake());
    for (const source of this.#open.values()) source.start?.();
  }

  /** Checks which of the agents and accounts that several machines share belong to this machine now. */
  reloadShares(): void {
    for (const source of this.#open.values()) (source.reloadShares ?? source.wake)?.call(source);
  }

  /**
   * Reads the stopped triggers, follow-ups and open runs from the database, because messages from other machines may be
   * lost.
   */
  resync(): void {
    this.#ports.stops.reload().catch((error) => {
      this.#ports.log.write("warn", "Stopped triggers could not be read", { error });
    });
    for (const source of this.#open.values()) (source.resync ?? source.wake)?.call(source);
  }

  /** Re-arms the triggers stopped by loops or by too many runs. Triggers stopped by failing runs stay stopped. */
  async reset(): Promise<void> {
    await this.#ports.stops.resume((_agentId, { by }) => by !== "failures");
  }

  /** Re-arms one agent's trigger if it is stopped. */
  async resumeAgent(agentId: string, audit?: AuditEntry): Promise<TriggerResumeResult> {
    const { stops } = this.#ports;
    const before = stops.reasonOf(agentId);
    const droppedChanges = await stops.resume((id) => id === agentId, audit);
    const reason = stops.reasonOf(agentId);
    return { isResumed: before !== null && reason === null, reason, droppedChanges };
  }

  /** Pauses or resumes all triggers. Resuming also re-arms stopped triggers. Returns the number of dropped file changes. */
  async change(state: SchedulerState, audit?: AuditEntry): Promise<number> {
    const { pause } = this.#ports;
    if (state === "running" && await pause.state() === "paused") await this.#dropPending();
    await pause.change(state, audit);
    return state === "running" ? await this.resume() : 0;
  }

  /** Re-arms the stopped triggers and checks all triggers at once. Returns the number of dropped file changes. */
  async resume(): Promise<number> {
    const dropped = await this.#ports.stops.resume(() => true);
    this.#wake();
    return dropped;
  }

  async #dropPending(): Promise<void> {
    for (const source of this.#open.values()) await source.dropPending?.();
  }

  #wake(): void {
    for (const source of this.#open.values()) source.wake?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    // An update in progress uses the database and the objects that are disposed below.
    await Promise.allSettled(this.#reconciling);
    for (const source of this.#ports.sources) {
      await this.#open.get(source)?.[Symbol.asyncDispose]();
    }
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
}
