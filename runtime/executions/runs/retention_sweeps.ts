// When old conversations and logs are removed: at the start of the service, and once a day while it runs.
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import type { Retention } from "./retention.ts";

/** What is swept with. */
export interface RetentionSweepsPorts {
  retention: Pick<Retention, "sweep">;
  clock: Clock;
  log: ServiceLog;
  /** Asked at each sweep. Null days keep for ever. */
  days: () => { checkpointDays: number | null; logDays: number | null };
}

/** The sweeps of one service. */
export class RetentionSweeps implements AsyncDisposable {
  readonly #ports: RetentionSweepsPorts;
  readonly #over = new AbortController();
  #daily: Promise<void> = Promise.resolve();

  constructor(ports: RetentionSweepsPorts) {
    this.#ports = ports;
  }

  /** Sweeps, then again each day until this is disposed. Rejects when the first sweep fails; later failures are logged. */
  async start(): Promise<void> {
    await this.#sweep();
    this.#daily = this.#sweepDaily();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#daily;
  }

  async #sweepDaily(): Promise<void> {
    const { clock, log } = this.#ports;
    while (await sleepUnlessAborted(clock, DAY_MS, this.#over.signal)) {
      try {
        await this.#sweep();
      } catch (error) {
        log.write(
          "error",
          "Old conversations and logs could not be removed; tried again in a day",
          {
            error,
          },
        );
      }
    }
  }

  async #sweep(): Promise<void> {
    const { retention, clock, days } = this.#ports;
    await retention.sweep({ now: clock.now(), ...days() });
  }
}
