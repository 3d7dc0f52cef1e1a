// Ends of executions: storing one, announcing it, and what it means for those below and above.
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { Announcer } from "./announcer.ts";
import type { StoredRun } from "./conductor.ts";
import type { Execution } from "../execution.ts";
import { type ExecutionStatus, isFinal } from "../states.ts";
import type { FamilyStore } from "../record/family_store.ts";
import { Journal, type JournalPorts, type Outcome } from "../record/journal.ts";
import type { Resumption } from "./resumption.ts";
import type { PendingStarts } from "./pending_starts.ts";

/** Why an execution is ended whose result nobody needs any longer. */
export const FORSAKEN = "Aborted: the execution that delegated to it has ended";

/** What executions are ended with. */
export type EndingPorts = JournalPorts & {
  families: Pick<FamilyStore, "listChildren">;
  serviceLog: ServiceLog;
  announcer: Announcer;
  active: ActiveRuns;
  /** Counts an end while it is stored: those that waited for it are about to run. */
  starts: PendingStarts;
  /** Throws ExecutionNotFound. */
  read(id: number): Promise<StoredRun>;
  /** Continues an execution that waited. */
  resume(subject: StoredRun): Promise<void>;
};

/** How executions end, by themselves or from outside. */
export class ExecutionEndings {
  readonly #ports: EndingPorts;

  constructor(ports: EndingPorts) {
    this.#ports = ports;
  }

  /** Stores the end of a running execution and announces it. Never rejects: what cannot be stored is logged. */
  async end(execution: Execution, end: { outcome: Outcome; journal?: Journal }): Promise<void> {
    const { outcome, journal = new Journal(execution, this.#ports) } = end;
    try {
      const ended = await journal.finish(outcome);
      if (ended !== undefined) await this.#afterEnd(ended);
    } catch (error) {
      // The row stays as it is; the next start finds it abandoned and says so.
      this.#ports.serviceLog.write("error", "The end of an execution could not be stored", {
        execution: execution.id,
        error,
      });
    }
  }

  /**
   * Ends one that runs here, or waits; what is about to run, or has ended, is left as it is. Tells what became of it. Throws
   * ExecutionNotFound.
   */
  async abort(id: number, error: string): Promise<"cancelling" | ExecutionStatus> {
    if (this.#ports.active.stop(id, error)) return "cancelling";
    const { execution } = await this.#ports.read(id);
    if (execution.status !== "waiting") return execution.status;
    // Where an answer came first, it runs.
    return await this.abortWaiting(id, error) ? "aborted" : await this.abort(id, error);
  }

  /** Ends an execution that waits. False when it does not (any more). Rejects when that cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    return await this.#ports.starts.track(this.#abortWaiting(id, error));
  }

  async #abortWaiting(id: number, error: string): Promise<boolean> {
    const { execution } = await this.#ports.read(id);
    const outcome: Outcome = { status: "aborted", by: "outside", error, output: null };
    const ended = await new Journal(execution, this.#ports).finish(outcome);
    if (ended !== undefined) await this.#afterEnd(ended);
    return ended !== undefined;
  }

  /** Announces an end, ends what it delegated and nobody needs any longer, and lets those that waited for it continue. */
  async #afterEnd({ execution, ancestors }: Resumption): Promise<void> {
    const { announcer, families, read, resume } = this.#ports;
    announcer.ended(execution);
    for (const child of await families.listChildren(execution.id)) {
      if (isFinal(child.status)) continue;
      const error = execution.status === "aborted" ? execution.error : null;
      await this.abort(child.id, error ?? FORSAKEN);
    }
    for (const ancestor of ancestors) await resume(await read(ancestor.id));
  }
}
