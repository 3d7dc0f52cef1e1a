// The changes that one watch agent has not run for yet, as they are stored: one for a path, oldest first.
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { FileEvent } from "../../run_cause.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { foldEvents } from "./change_folding.ts";
import { type ChangeOrigin, FROM_OUTSIDE, joinOrigins } from "./trigger_breaker.ts";
import type { QueuedChange, SeenFile, WatchStore } from "./watch_store.ts";

const RETRY = { firstMs: 5_000, longestMs: 300_000 };

/** Milliseconds to wait after so many failures in a row to store a change, or to run for one. */
export function retryMs(failures: number): number {
  return backoffMs(failures, RETRY);
}

/** A change to run for. */
export interface WatchChange {
  path: string;
  event: FileEvent;
  origin: ChangeOrigin;
}

/** What the changes of an agent need. */
export interface QueuedChangesPorts {
  store: WatchStore;
  clock: Clock;
  log: ServiceLog;
  /** Aborted: what cannot be stored at once is lost. */
  signal: AbortSignal;
}

/** One agent's changes. What is done to them must not overlap. */
export class QueuedChanges {
  readonly #agentId: string;
  readonly #ports: QueuedChangesPorts;
  readonly #changes = new Map<string, WatchChange & { queuedAt: number }>();

  /** `stored` is what is in the store. */
  constructor(agentId: string, stored: readonly QueuedChange[], ports: QueuedChangesPorts) {
    this.#agentId = agentId;
    this.#ports = ports;
    for (const { path, event, queuedAt } of stored) {
      this.#changes.set(path, { path, event, queuedAt, origin: FROM_OUTSIDE });
    }
  }

  get size(): number {
    return this.#changes.size;
  }

  /** The oldest change of a path that may run. */
  first(mayRun: (path: string) => boolean): WatchChange | undefined {
    return this.#changes.values().find(({ path }) => mayRun(path));
  }

  /** Stores changes, and how files looked with them. What fails is logged and tried again. */
  async put(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { clock, log, signal } = this.#ports;
    for (let failures = 1;; failures++) {
      try {
        return await this.#store(changes, seen);
      } catch (error) {
        const what = signal.aborted ? "they are lost" : "tried again soon";
        log.write("error", `File changes could not be stored; ${what}`, {
          agent: this.#agentId,
          changes: changes.length,
          error,
        });
        if (signal.aborted) return;
        // An abort leaves one last attempt.
        await sleepUnlessAborted(clock, retryMs(failures), signal);
      }
    }
  }

  /** Drops the changes of other paths than these: they will never run. */
  async keepOnly(isKept: (path: string) => boolean): Promise<void> {
    const dropped = [...this.#changes.keys()].filter((path) => !isKept(path));
    if (dropped.length === 0) return;
    const agentId = this.#agentId;
    await this.#ports.store.dropQueued(dropped.map((path) => ({ agentId, path })));
    for (const path of dropped) this.#changes.delete(path);
    const message = "File changes that waited are dropped: nobody watches for them any more";
    this.#ports.log.write("info", message, { agent: agentId, changes: dropped.length });
  }

  /** A run for this path has begun, and took its change out of the store. */
  taken(path: string): void {
    this.#changes.delete(path);
  }

  async #store(changes: readonly WatchChange[], seen: readonly SeenFile[]): Promise<void> {
    const { store, clock } = this.#ports;
    const agentId = this.#agentId;
    const needless: string[] = [];
    const queued = changes.flatMap(({ path, event, origin }) => {
      const known = this.#changes.get(path);
      const folded = known === undefined ? event : foldEvents(known.event, event);
      if (folded === undefined) needless.push(path);
      if (folded === undefined) return [];
      return [{
        path,
        event: folded,
        queuedAt: known?.queuedAt ?? clock.now(),
        origin: known === undefined ? origin : joinOrigins(known.origin, origin),
      }];
    });
    if (queued.length > 0 || needless.length > 0) {
      await store.enqueue(
        queued.map(({ path, event, queuedAt }) => ({ agentId, path, event, queuedAt })),
        {
          dropped: needless.map((path) => ({ agentId, path })),
          seen: seen.map((file) => ({ agentId, ...file })),
        },
      );
    } else if (seen.length > 0) {
      await store.markSeen(agentId, seen);
    }
    for (const path of needless) this.#changes.delete(path);
    for (const change of queued) this.#changes.set(change.path, change);
  }
}
