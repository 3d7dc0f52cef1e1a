// Handles the jobs that the shared queue hands to this machine. The execution of each job is claimed, runs until it ends or
// waits, and is released.
import type { RunnerPorts } from "./runner_ports.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { Runs } from "./runs.ts";
import type { Delivery, Worker } from "./shared_runs.ts";

type Ports = Required<Pick<RunnerPorts, "log" | "shared" | "places">> & {
  active: ActiveRuns;
  runs: Pick<Runs, "runClaimed">;
};

/** Receives jobs of the shared queue and runs their executions. */
export class Deliveries implements Worker {
  readonly #ports: Ports;
  readonly #held = new Map<Delivery, Promise<void>>();
  #isClosed = false;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** After this call, only delegated executions are accepted, because running parents wait for them. */
  close(): void {
    this.#isClosed = true;
  }

  free(): number {
    if (this.#isClosed) return 0;
    const taken = this.#held.keys().filter(({ isDelegated }) => !isDelegated);
    return this.#ports.places - [...taken].length;
  }

  accept(delivery: Delivery): void {
    // A machine may hold several jobs of one execution, if it lost the execution and got it again. These jobs run one after
    // the other.
    const former = [...this.#held].filter(([{ executionId }]) =>
      executionId === delivery.executionId
    );
    const turn = Promise.all(former.map(([, held]) => held));
    this.#held.set(delivery, this.#run(delivery, turn));
  }

  lost({ executionId }: Delivery): void {
    this.#ports.active.lose(executionId);
  }

  cancel(executionId: number, error: string): void {
    this.#ports.active.stop(executionId, error);
  }

  /** Resolves when this machine holds no job. */
  async settled(): Promise<void> {
    while (this.#held.size > 0) await Promise.all(this.#held.values());
  }

  /** Runs the execution of a job and releases the job. Never rejects. */
  async #run(delivery: Delivery, turn: Promise<unknown>): Promise<void> {
    const { shared, log } = this.#ports;
    const work = await Promise.allSettled([this.#runToRest(delivery, turn)]);
    const end = await Promise.allSettled([shared.release(delivery)]);
    for (const outcome of [...work, ...end]) {
      if (outcome.status === "fulfilled") continue;
      const fields = { execution: delivery.executionId, error: outcome.reason };
      log.write("warn", "An execution is left to whichever machine gets it next", fields);
    }
    this.#held.delete(delivery);
    shared.wake();
  }

  async #runToRest(delivery: Delivery, turn: Promise<unknown>): Promise<void> {
    const { shared, active, runs } = this.#ports;
    const { executionId } = delivery;
    // A run with an earlier, lost claim is stopped, because it must not write under the new claim.
    active.lose(executionId);
    await turn;
    await active.ended(executionId);
    const taken = await shared.claim(delivery);
    if (taken === undefined) return;
    try {
      await runs.runClaimed(taken);
    } finally {
      // A launched run continues even if runClaimed() failed after the launch.
      await active.ended(executionId);
    }
  }
}
