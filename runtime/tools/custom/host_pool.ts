// Implements the pool of host processes. It limits their number, shares them fairly between executions, and ends them. Each
// piece of work has a process of its own, because a tool may leave code behind in its process.
import type { Clock } from "../../../base/clock.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import type { HostProcess } from "./host_process.ts";
import { SharedPlaces } from "./shared_places.ts";

/** The default maximum number of processes. */
const MAX_PROCESSES = 8;
/**
 * The maximum wait for a process in milliseconds. It exceeds the time limit of every call, so that each waiting call gets a
 * process.
 */
export const MAX_WAIT_MS = 11 * 60_000;
/** The time limit for the first message of a process, in milliseconds. */
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

/** The options of HostPool. */
export interface HostPoolOptions {
  clock: Clock;
  maxProcesses?: number;
}

/** A pool of host processes. Each acquired process must be returned by `release` or `discard`. Disposing ends all processes. */
export class HostPool implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #maxProcesses: number;
  readonly #places: SharedPlaces;
  /** The running processes, each with the function that releases its place in SharedPlaces. */
  readonly #running = new Map<HostProcess, () => void>();
  /** The starts and ends of processes for which nobody else may be waiting. */
  readonly #changing = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor({ clock, maxProcesses = MAX_PROCESSES }: HostPoolOptions) {
    this.#clock = clock;
    this.#maxProcesses = maxProcesses;
    this.#places = new SharedPlaces(maxProcesses);
  }

  /**
   * Returns a new process that has begun its work. Waits while the owner's share of all processes is busy; the owner is an
   * execution, for example. Throws ToolFailure if no process can be started, HostUnavailable if it does not answer or none
   * became free in time, and the signal's reason on abort.
   */
  async acquire(
    owner: string,
    start: () => Promise<HostProcess>,
    signal: AbortSignal,
  ): Promise<HostProcess> {
    const either = AbortSignal.any([signal, this.#stop.signal]);
    const within = { clock: this.#clock, ms: MAX_WAIT_MS };
    const leave = await this.#places.acquire(owner, { within, signal: either });
    if (leave === undefined) {
      throw new HostUnavailable(
        "The call never began",
        `all custom tools share ${this.#maxProcesses} processes, and none became free for it ` +
          `within ${MAX_WAIT_MS / 60_000} minutes. Try again when fewer calls are running.`,
      );
    }
    return await this.#track(this.#start(start, leave, either));
  }

  /**
   * Aborts the work of a process, and does not wait for its end. The process exits after its work, and is killed after
   * STOP_GRACE_MS.
   */
  release(process: HostProcess): void {
    process.send({ type: "abort" });
    const within = { clock: this.#clock, ms: STOP_GRACE_MS };
    void this.#track(firstOf(process.ended, { within }).then(() => this.discard(process)));
  }

  /** Kills a process and waits for its exit. */
  async discard(process: HostProcess): Promise<void> {
    const leave = this.#running.get(process);
    try {
      await process.kill();
      this.#running.delete(process);
    } finally {
      leave?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new ToolFailure("The service is stopping."));
    // If a process could not be killed before, it is still in `#running`. This tries again, and reports the error.
    await Promise.all([...this.#running.keys()].map((process) => this.discard(process)));
    await Promise.all(this.#changing);
  }

  async #start(
    start: () => Promise<HostProcess>,
    leave: () => void,
    signal: AbortSignal,
  ): Promise<HostProcess> {
    let process: HostProcess;
    try {
      process = await start();
    } catch (error) {
      leave();
      throw error;
    }
    this.#running.set(process, leave);
    const within = { clock: this.#clock, ms: START_MS };
    const first = await firstOf(process.next(), { within, signal });
    if (first.kind === "done" && first.value !== undefined) return process;
    const reason = first.kind === "done"
      ? await process.describeEnd()
      : "its process does not answer";
    await this.discard(process);
    signal.throwIfAborted();
    throw new HostUnavailable("The tool could not be started", `${reason}.`);
  }

  /** Returns the work. Disposing of the pool waits for it. */
  #track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<void> = work.then(() => {}, () => {})
      .finally(() => this.#changing.delete(settled));
    this.#changing.add(settled);
    return work;
  }
}
