// Controls all triggers of a service: schedules, watches, webhooks, mails, follow-ups (`after`), and the pause.
import type { Context } from "../config/context.ts";
import type { Agent } from "../agents/agent.ts";
import type { AuditEntry } from "../audit/audit_table.ts";
import type { FollowUps } from "./after/follow_ups.ts";
import { firstOf } from "../../base/first_of.ts";
import type { Pause, SchedulerState } from "./pause.ts";
import { isTriggeredBy, type ReconcileOptions } from "./firing/fire.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { TriggerLease } from "./trigger_lease.ts";
import type { StoppedTriggers } from "./firing/stopped_triggers.ts";
import type { MailReading, PassedMail } from "./mail/mail_reading.ts";
import type { PassedOver } from "./watch/same_content.ts";
import type { Watcher } from "./watch/watcher.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

/** The maximum time for which a reload of the agents waits for the watches. */
const LONGEST_WAIT_MS = 2_000;

/** The collaborators of `Triggers`. */
export interface TriggersPorts extends Pick<Context, "clock" | "log"> {
  pause: Pause;
  stops: StoppedTriggers;
  scheduler: Scheduler;
  webhooks: Webhooks;
  followUps: FollowUps;
  /** The checks of change triggers. */
  checks: AsyncDisposable & { reconcile(agents: readonly Agent[]): Promise<void> };
  /** Opens the watcher. Called when an agent has a watch trigger or the database has stored watches. */
  openWatcher: () => Promise<Watcher>;
  /** Opens the mail triggers. Called when an agent has a mail trigger or the database has positions in folders. */
  openMail: () => Promise<MailReading>;
  /** Returns true if replies to the messages of a channel are answers. */
  hasMailChannels: () => boolean;
  /** Returns true if the database has a position of any agent in a mail folder. */
  hasMailPositions: () => Promise<boolean>;
  /** Opens the lease file. Called when an agent has an automatic trigger; absent if the services share a database. */
  openLease?: () => Promise<TriggerLease>;
  /** Returns the reason why an agent's trigger does not fire on this service, or undefined if the trigger fires. */
  inactiveReason: (agentId: string) => string | undefined;
  /** Returns true if the database has stored file changes or file states of any agent. */
  hasStoredWatches: () => Promise<boolean>;
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

/** The state of one agent's trigger. Times are milliseconds since the epoch. */
export interface TriggerNotes {
  /** The next due time of a schedule, or null if there is none. */
  nextRun: number | null;
  /** The reason why this trigger is stopped; null if it is not. Does not reflect the pause of all triggers. */
  triggerPaused: string | null;
  /** The last due time processed before the clock was set back; absent if the clock has reached it again. */
  ranUntil?: number;
  /** The reason why this service does not fire the trigger: another host or service fires it. */
  inactiveReason?: string;
  /** The last file change that started no run because the content is the same. */
  passedOver?: PassedOver;
  /** The last mail that matched the filters and started no run. */
  passedMail?: PassedMail;
}

/** Starts, updates, pauses and re-arms the triggers of a service. */
export class Triggers implements AsyncDisposable {
  readonly #ports: TriggersPorts;
  #watcher: Promise<Watcher> | undefined;
  /** The watcher; undefined until it is open. */
  #openWatcher: Watcher | undefined;
  #mail: Promise<MailReading> | undefined;
  /** The mail triggers; undefined until they are open. */
  #openMail: MailReading | undefined;
  #lease: TriggerLease | undefined;
  #isStarted = false;
  #isOver = false;
  readonly #reconciling = new Set<Promise<unknown>>();

  constructor(ports: TriggersPorts) {
    this.#ports = ports;
  }

  /** True if at least one watched path is being watched. */
  get watcherActive(): boolean {
    return this.#openWatcher?.active ?? false;
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

  /**
   * Returns the next due time of an agent's schedule in milliseconds since the epoch, or null if there is none. Ignores
   * pauses.
   */
  nextRun(agentId: string): number | null {
    return this.nextRuns(agentId, 1)[0] ?? null;
  }

  /** Returns up to `limit` next due times of an agent's schedule, in milliseconds since the epoch. Ignores pauses. */
  nextRuns(agentId: string, limit: number): number[] {
    const { scheduler, stops } = this.#ports;
    // A stopped schedule next runs at its first due time at or after the planned retry.
    return scheduler.nextRuns(agentId, { limit, from: stops.retryAt(agentId) ?? 0 });
  }

  notes(agentId: string): TriggerNotes {
    const { scheduler, stops } = this.#ports;
    const { failure, passed: passedMail } = this.#openMail?.notes(agentId) ?? {};
    const inactiveReason = this.#ports.inactiveReason(agentId) ?? failure?.reason;
    const ranUntil = scheduler.ranUntil(agentId);
    const passedOver = this.#openWatcher?.passedOver(agentId) ?? null;
    return {
      nextRun: inactiveReason === undefined ? this.nextRun(agentId) : null,
      triggerPaused: stops.reasonOf(agentId),
      ...(inactiveReason !== undefined && { inactiveReason }),
      ...(ranUntil !== null && { ranUntil }),
      ...(passedOver && { passedOver }),
      ...(passedMail && { passedMail }),
    };
  }

  /** Updates all triggers from the present agents. Unchanged triggers continue. Does nothing after the dispose. */
  async reconcile(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    if (this.#isOver) return;
    const reconciling = this.#reconcile(agents, options);
    this.#reconciling.add(reconciling);
    const watcher = await reconciling.finally(() => this.#reconciling.delete(reconciling));
    if (watcher === undefined || this.#isOver) return;
    const following = watcher.reconcile(agents, options);
    // The first scan of large folders may be slow. The reload of the agents does not wait for its end.
    await firstOf(following, { within: { clock: this.#ports.clock, ms: LONGEST_WAIT_MS } });
  }

  /** Updates all triggers except the watches. Returns the watcher if any agent has or had a watch. */
  async #reconcile(
    agents: readonly Agent[],
    options: ReconcileOptions,
  ): Promise<Watcher | undefined> {
    await this.#followLease(agents, options);
    await this.#ports.stops.follow(agents, options);
    await this.#ports.scheduler.reconcile(agents, options);
    await this.#ports.checks.reconcile(agents);
    this.#ports.followUps.wake();
    await this.#reconcileMail(agents, options);
    const isWatching = agents.some((agent) => isTriggeredBy(agent, "watch"));
    const isWanted = isWatching || this.#watcher !== undefined ||
      await this.#ports.hasStoredWatches();
    // The dispose may have started during the calls above.
    if (!isWanted || this.#isOver) return undefined;
    return await (this.#watcher ??= this.#open().catch((error) => {
      // Cleared, so that the next reload of the agents tries to open the watcher again.
      this.#watcher = undefined;
      throw error;
    }));
  }

  async #reconcileMail(agents: readonly Agent[], options: ReconcileOptions): Promise<void> {
    const isUsed = this.#ports.hasMailChannels() ||
      agents.some((agent) => isTriggeredBy(agent, "mail"));
    const isWanted = isUsed || this.#mail !== undefined || await this.#ports.hasMailPositions();
    if (!isWanted || this.#isOver) return;
    const mail = await (this.#mail ??= this.#ports.openMail().catch((error) => {
      this.#mail = undefined;
      throw error;
    }));
    this.#openMail = mail;
    await mail.reconcile(agents, options);
    if (this.#isStarted) mail.start();
  }

  /** Starts firing. Due times and file changes that are already pending are processed at once. */
  start(): void {
    this.#isStarted = true;
    this.#ports.stops.start(() => this.#wake());
    this.#ports.scheduler.start();
    this.#ports.followUps.start();
    this.#openWatcher?.start();
    this.#openMail?.start();
  }

  /** Checks which of the watches that several machines share belong to this machine now. */
  reloadShares(): void {
    this.#openWatcher?.follow();
    this.#openWatcher?.wake();
    this.#openMail?.wake();
  }

  /**
   * Reads the stopped triggers, follow-ups and open runs from the database, because messages from other machines may be
   * lost.
   */
  resync(): void {
    this.#ports.stops.reload().catch((error) => {
      this.#ports.log.write("warn", "Stopped triggers could not be read", { error });
    });
    this.#ports.followUps.wake();
    this.#openWatcher?.resync();
    this.#openMail?.wake();
  }

  /** Re-arms the triggers stopped by loops or by too many runs. Triggers stopped by failing runs stay stopped. */
  async reset(): Promise<void> {
    await this.#ports.stops.resume((_agentId, { by }) => by !== "failures");
    this.#ports.followUps.wake();
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
    await this.#ports.pause.change(state, audit);
    return state === "running" ? await this.resume() : 0;
  }

  /** Re-arms the stopped triggers and checks all triggers at once. Returns the number of dropped file changes. */
  async resume(): Promise<number> {
    const dropped = await this.#ports.stops.resume(() => true);
    this.#wake();
    return dropped;
  }

  #wake(): void {
    this.#ports.followUps.wake();
    this.#ports.scheduler.wake();
    this.#openWatcher?.wake();
    this.#openMail?.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    // An update in progress uses the database and the objects that are disposed below.
    await Promise.allSettled(this.#reconciling);
    await this.#ports.scheduler[Symbol.asyncDispose]();
    await this.#ports.checks[Symbol.asyncDispose]();
    await this.#ports.followUps[Symbol.asyncDispose]();
    await (await this.#watcher)?.[Symbol.asyncDispose]();
    await (await this.#mail)?.[Symbol.asyncDispose]();
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
