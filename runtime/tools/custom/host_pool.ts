// Implements the pool of host processes. It limits their number, shares them fairly between executions, reuses them for
// further calls, and ends idle ones.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { HostProcess } from "./host_process.ts";
import { SharedPlaces } from "./shared_places.ts";

/** The time after which an idle process is ended, in milliseconds. */
const IDLE_MS = 60_000;
/** The default maximum number of processes. */
const MAX_PROCESSES = 8;
/**
 * The maximum wait for a process in milliseconds. It exceeds the time limit of every call, so that each waiting call gets a
 * process.
 */
export const MAX_WAIT_MS = 11 * 60_000;
/** The time limit for the answer of a reused process in milliseconds. A slower process was disturbed by its tool. */
const ANSWER_MS = 5_000;
/** The time limit for the first answer of a new process, in milliseconds. */
const START_MS = 20_000;
/** The time between the abort of a tool and the end of its process, in milliseconds. */
const STOP_GRACE_MS = 1_000;

/** Error: no process is available for a reason that lies outside of the tool. */
export class HostUnavailable extends ToolFailure {
  /**
   * The reason without the beginning of the message, so that the caller can write another beginning. It ends with a full
   * stop.
   */
  readonly reason: string;

  constructor(beginning: string, reason: string) {
    super(`${beginning}: ${reason}`);
    this.reason = reason;
  }
}

/** A request for a host process. */
export interface HostRequest {
  /** The key of suitable processes. Processes with the same key have the same tool and permissions. */
  key: string;
  /** The owner of the work, such as an execution. Owners get processes in turn. */
  owner: string;
  start(): Promise<HostProcess>;
}

/** The options of HostPool. */
export interface HostPoolOptions {
  clock: Clock;
  maxProcesses?: number;
}

interface IdleHost {
  key: string;
  process: HostProcess;
  stop: AbortController;
}

/**
 * A pool of host processes. Each acquired process must be returned by `release`, `discard` or `abort`. Disposing of the
 * pool ends all processes.
 */
export class HostPool implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #maxProcesses: number;
  readonly #places: SharedPlaces;
  /** For each acquired process, the function that releases its place in SharedPlaces. */
  readonly #leave = new Map<HostProcess, () => void>();
  /** The idle processes. The process that has been idle longest is first. */
  #idle: IdleHost[] = [];
  readonly #keys = new Map<HostProcess, string>();
  readonly #starting = new Set<Promise<HostProcess>>();
  readonly #ending = new Set<Promise<unknown>>();
  #changed = Promise.withResolvers<void>();
  #closed = false;

  constructor({ clock, maxProcesses = MAX_PROCESSES }: HostPoolOptions) {
    this.#clock = clock;
    this.#maxProcesses = maxProcesses;
    this.#places = new SharedPlaces(maxProcesses);
  }

  /**
   * Returns a process that answers: an idle one if possible, else a new one. Waits while all processes, or the owner's
   * share of them, are busy. Throws ToolFailure if no process can be started, HostUnavailable if none answers or none
   * became free in time, and the signal's reason on abort.
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

  /** Returns a process to the pool after its work. */
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

  /** Kills a process and waits for its exit. */
  async discard(process: HostProcess): Promise<void> {
    try {
      await process.kill();
      this.#keys.delete(process);
    } finally {
      this.#vacate(process);
    }
  }

  /**
   * Aborts the work of a process. The process is killed when the work has ended, or after STOP_GRACE_MS. Does not wait for
   * that.
   */
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
    // Call `then` once per process, not once per use, because its callback stays in memory until the process ends.
    this.#track(process.ended.then(() => this.#dropIdle(process)));
    if (await this.#isFit(process, START_MS)) return process;
    const reason = process.hasEnded ? await process.describeEnd() : "its process does not answer";
    await this.discard(process);
    throw new HostUnavailable("The tool could not be started", `${reason}.`);
  }

  async #isFit(process: HostProcess, withinMs: number): Promise<boolean> {
    return await process.isResponsive({ clock: this.#clock, withinMs }) && !this.#closed;
  }

  /** Starts a process. It is counted before it has started, so that disposing of the pool waits for its start. */
  async #begin(key: string, start: () => Promise<HostProcess>): Promise<HostProcess> {
    const starting = start().then((process) => {
      this.#keys.set(process, key);
      return process;
    }).finally(() => {
      this.#starting.delete(starting);
      this.#notify();
    });
    this.#starting.add(starting);
    return await starting;
  }

  /** The number of processes, including those that are starting or ending. */
  get #count(): number {
    return this.#keys.size + this.#starting.size;
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
    const isOver = await sleepUnlessAborted(this.#clock, IDLE_MS, stop.signal);
    if (isOver) await this.#dropIdle(process);
  }

  /** Kills a process if it is idle. An acquired process is left to its user. */
  async #dropIdle(process: HostProcess): Promise<void> {
    const idle = this.#idle.find((one) => one.process === process);
    if (idle === undefined) return;
    this.#wake(idle);
    await this.discard(process);
  }

  #track(work: Promise<unknown>): void {
    // If a process could not be killed, it remains in `#keys`. Disposing of the pool tries again, and reports the error.
    const settled: Promise<unknown> = work.catch(() => {}).finally(() =>
      this.#ending.delete(settled)
    );
    this.#ending.add(settled);
  }

  /** Releases the place of a process that is no longer acquired, and wakes waiting requests. */
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
