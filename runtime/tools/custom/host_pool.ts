// The pool of host processes: few, shared fairly, reused for the next call, and ended after an idle time.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { HostProcess } from "./host_process.ts";
import { SharedPlaces } from "./shared_places.ts";

/** The idle time before a process is ended. */
const IDLE_MS = 60_000;
/** The maximum number of processes. */
const MAX_PROCESSES = 8;
/** The maximum wait for a process. It exceeds the time limit of any call, so that each waiting call gets its turn. */
export const MAX_WAIT_MS = 11 * 60_000;
/** The time limit for an answer of a reused process. A slower one was damaged by its tool. */
const ANSWER_MS = 5_000;
/** The time limit for the first answer of a new process. */
const START_MS = 20_000;
/** The time that a tool has to stop after an abort. */
const STOP_GRACE_MS = 1_000;

/** Error: no process is available, through no fault of the work. */
export class HostUnavailable extends ToolFailure {
  /** The end of a sentence, full stop included. */
  readonly reason: string;

  constructor(beginning: string, reason: string) {
    super(`${beginning}: ${reason}`);
    this.reason = reason;
  }
}

/** A request for a process. */
export interface HostRequest {
  /** Processes with the same key are interchangeable: same tool, same permissions. */
  key: string;
  /** The owner of the work. Owners get processes in turn. */
  owner: string;
  start(): Promise<HostProcess>;
}

/** The maximum number of processes, and their idle time in milliseconds. */
export interface HostPoolOptions {
  clock: Clock;
  maxProcesses?: number;
  idleMs?: number;
}

interface IdleHost {
  key: string;
  process: HostProcess;
  stop: AbortController;
}

/** Lends processes. Each taken process must be returned by `release`, `discard` or `abort`. Disposing ends all. */
export class HostPool implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #maxProcesses: number;
  readonly #idleMs: number;
  readonly #places: SharedPlaces;
  /** Releases the place of each lent process. */
  readonly #leave = new Map<HostProcess, () => void>();
  /** Longest idle first. */
  #idle: IdleHost[] = [];
  readonly #keys = new Map<HostProcess, string>();
  readonly #starting = new Set<Promise<HostProcess>>();
  readonly #ending = new Set<Promise<unknown>>();
  /** Includes processes that are starting or ending. */
  #count = 0;
  #changed = Promise.withResolvers<void>();
  #closed = false;

  constructor({ clock, maxProcesses = MAX_PROCESSES, idleMs = IDLE_MS }: HostPoolOptions) {
    this.#clock = clock;
    this.#maxProcesses = maxProcesses;
    this.#idleMs = idleMs;
    this.#places = new SharedPlaces(maxProcesses);
  }

  /**
   * Returns a responsive process, an idle one if possible. Waits while all processes, or the owner's share of them, are
   * busy. Throws ToolFailure when none can be started (HostUnavailable if the reason can be reworded), HostUnavailable when none became free
   * in time, and the signal's reason on abort.
   */
  async acquire(wanted: HostRequest, signal: AbortSignal): Promise<HostProcess> {
    const wait = { clock: this.#clock, withinMs: MAX_WAIT_MS, signal };
    const leave = await this.#places.acquire(wanted.owner, wait);
    if (leave === undefined) {
      throw new HostUnavailable(
        "The call never began",
        `all custom tools share ${this.#maxProcesses} processes, and none became free for it ` +
          `within ${MAX_WAIT_MS / 60_000} minutes. Try again when fewer calls are running.`,
      );
    }
    try {
      const process = await this.#find(wanted, signal);
      this.#leave.set(process, leave);
      return process;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #find({ key, start }: HostRequest, signal: AbortSignal): Promise<HostProcess> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#closed) throw new ToolFailure("The service is stopping.");
      const idle = this.#idle.findLast((one) => one.key === key);
      if (idle !== undefined) {
        this.#wake(idle);
        if (await this.#isFit(idle.process, ANSWER_MS)) return idle.process;
        await this.discard(idle.process);
      } else if (this.#count < this.#maxProcesses) {
        return await this.#start(key, start);
      } else {
        await this.#makeRoom(signal);
      }
    }
  }

  /** Takes back a process after its work. */
  release(process: HostProcess): void {
    if (this.#closed || process.hasEnded) {
      this.#track(this.discard(process));
      return;
    }
    process.resetOutput(() => {});
    const idle = { key: this.#keys.get(process) ?? "", process, stop: new AbortController() };
    this.#idle.push(idle);
    this.#track(this.#endWhenIdle(idle));
    this.#vacate(process);
  }

  /** Ends a process, and waits for its exit. */
  async discard(process: HostProcess): Promise<void> {
    try {
      await process.kill();
      if (this.#keys.delete(process)) this.#count--;
    } finally {
      this.#vacate(process);
    }
  }

  /** Aborts the work of a process, and ends the process when the work stops or a grace time is over. Returns at once. */
  abort(process: HostProcess): void {
    process.send({ type: "abort" });
    this.#track(
      firstOf(endOfWork(process), { within: { clock: this.#clock, ms: STOP_GRACE_MS } })
        .then(() => this.discard(process)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#places.admitAll();
    for (const idle of this.#idle) idle.stop.abort();
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#keys.keys()].map((process) => this.discard(process)));
    await Promise.all(this.#ending);
    this.#notify();
  }

  async #start(key: string, start: () => Promise<HostProcess>): Promise<HostProcess> {
    const process = await this.#begin(key, start);
    // Once per process: every wait for a pending promise is kept in memory until it settles.
    this.#track(process.ended.then(() => this.#dropIdle(process)));
    if (await this.#isFit(process, START_MS)) return process;
    const reason = process.hasEnded ? await process.describeEnd() : "its process does not answer";
    await this.discard(process);
    throw new HostUnavailable("The tool could not be started", `${reason}.`);
  }

  async #isFit(process: HostProcess, withinMs: number): Promise<boolean> {
    return await process.isResponsive({ clock: this.#clock, withinMs }) && !this.#closed;
  }

  /** Counts the process at once, so that disposing waits for its start. */
  async #begin(key: string, start: () => Promise<HostProcess>): Promise<HostProcess> {
    this.#count++;
    const starting = start().then((process) => {
      this.#keys.set(process, key);
      return process;
    });
    this.#starting.add(starting);
    try {
      return await starting;
    } catch (error) {
      this.#count--;
      this.#notify();
      throw error;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #makeRoom(signal: AbortSignal): Promise<void> {
    const [longest] = this.#idle;
    if (longest === undefined) {
      await firstOf(this.#changed.promise, { signal });
      return;
    }
    this.#wake(longest);
    await this.discard(longest.process);
  }

  #wake(idle: IdleHost): void {
    this.#idle = this.#idle.filter((one) => one !== idle);
    idle.stop.abort();
  }

  async #endWhenIdle({ stop, process }: IdleHost): Promise<void> {
    const isOver = await sleepUnlessAborted(this.#clock, this.#idleMs, stop.signal);
    if (isOver) await this.#dropIdle(process);
  }

  /** Ends a process if it is idle. A lent one belongs to its user. */
  async #dropIdle(process: HostProcess): Promise<void> {
    const idle = this.#idle.find((one) => one.process === process);
    if (idle === undefined) return;
    this.#wake(idle);
    await this.discard(process);
  }

  #track(work: Promise<unknown>): void {
    // A process that could not be ended stays listed: disposing tries again, and reports the error.
    const settled: Promise<unknown> = work.catch(() => {}).finally(() =>
      this.#ending.delete(settled)
    );
    this.#ending.add(settled);
  }

  /** Releases the place of a process that is no longer lent. */
  #vacate(process: HostProcess): void {
    this.#leave.get(process)?.();
    this.#leave.delete(process);
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

async function endOfWork(process: HostProcess): Promise<void> {
  for (;;) {
    const message = await process.next();
    if (message === undefined || ["done", "failed", "ending"].includes(message.type)) return;
  }
}
