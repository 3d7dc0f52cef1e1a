// Starts, continues and ends executions in this process. All of this is one class, because an end may resume ancestors, and
// a resumed execution may have to end.
import type { Agent } from "../../agents/agent.ts";
import type { AuditEntry } from "../../audit/audit_table.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import { type AcceptedExecution, currentRest, type Execution, isPaused } from "../execution.ts";
import type { AcceptanceRefusal } from "../record/acceptance_store.ts";
import { requireExecution, type StoredRun } from "../record/execution_reads.ts";
import type { Outcome, Resumption } from "../record/ending_store.ts";
import { Journal } from "../record/journal.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { LeaseLost } from "../../database/database.ts";
import { AgentUnreadable, IdempotencyKeyReused } from "../refusals.ts";
import { type ExecutionStatus, isFinal } from "../states.ts";
import { isSameRun, noticesOf, type RunSpec, toAcceptance } from "./acceptance.ts";
import type { ActiveRuns, RunControl } from "./active_runs.ts";
import { AgentPlaces } from "./agent_places.ts";
import type { Announcer } from "./announcer.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import { conductRun } from "./conduct.ts";
import { afterRestart, afterWaiting, type ResumeDecision } from "./resume_decision.ts";
import { isLeftForRestart, RunStopped } from "../loop/run.ts";
import type { ClaimedExecution, SharedRuns } from "./shared_runs.ts";

const UNSTORED_END = "The end of an execution could not be stored";

type Ports = RunnerPorts & { agents: AwaitedAgents; active: ActiveRuns; announcer: Announcer };

/** The status of a cancelled execution. */
type CancelStatus = "cancelling" | ExecutionStatus;

/** Runs executions in this process and handles their pauses and ends. */
export class Runs {
  readonly #ports: Ports;
  readonly #places = new AgentPlaces();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Accepts and starts a run, or returns the reason of a refusal. The execution is stored before this method returns.
   * Throws IdempotencyKeyReused.
   */
  async begin(
    agent: Agent,
    asked: RunSpec,
  ): Promise<AcceptedExecution | { refused: AcceptanceRefusal }> {
    const { acceptances, active, announcer, executions, shared } = this.#ports;
    this.#ports.renewSecrets?.();
    const notices = noticesOf(agent, asked, this.#ports);
    const spec = { ...asked, notices };
    const accepted = await acceptances.acceptExecution(...toAcceptance(agent, spec, this.#ports));
    if ("refused" in accepted) return accepted;
    const { execution, isNew } = accepted;
    if (isNew) {
      // A fork begins with copied steps, and another run may begin with brought messages.
      const isFresh = (spec.taken ?? spec.given) === undefined;
      if (shared === undefined) {
        const subject = { execution, request: spec.request, isFresh };
        active.launch(execution.id, (control) => this.#run(subject, agent, control));
      }
      announcer.started(execution);
    } else if (spec.idempotencyKey !== undefined) {
      // For a different request, the first execution must not be returned: the caller would think that its request was
      // accepted.
      const first = await requireExecution(executions, execution.id);
      if (!isSameRun(first, { agent, spec })) throw new IdempotencyKeyReused();
    }
    return isNew && notices.length > 0 ? { ...execution, notices } : execution;
  }

  /** Continues an execution that waited for a person or rested, or ends it if its agent is gone. */
  async resume(subject: StoredRun): Promise<void> {
    const { announcer, shared } = this.#ports;
    announcer.resumed(subject.execution);
    if (shared === undefined) await this.#continue(subject, afterWaiting(subject.execution));
  }

  /** Continues an execution that this machine claimed, or ends it as the rules of resume_decision.ts say. */
  async runClaimed({ subject, isRedelivered, ranMs, cancelled }: ClaimedExecution): Promise<void> {
    const { execution } = subject;
    const { agents, rereadAgents } = this.#ports;
    if (agents.find(execution) === undefined) {
      await this.#orLog(execution, "Agents' files could not be read anew", async () => {
        await rereadAgents?.();
      });
    }
    const decide = isRedelivered ? afterRestart({ ranMs }) : afterWaiting(execution);
    if (isRedelivered) {
      const message = "An execution comes from another machine, which left it or is gone";
      this.#ports.log.write("info", message, { execution: execution.id });
    }
    await this.#continue(subject, decide);
    if (cancelled !== null) this.#ports.active.stop(execution.id, cancelled);
  }

  /** Continues an adopted execution, or ends it if its agent's `on_restart` is not `resume`. */
  async resumeAfterRestart(subject: StoredRun): Promise<void> {
    await this.#continue(subject, afterRestart());
  }

  /** Stores and announces the end of a running execution. Never rejects: a failure is logged. */
  async end(
    execution: Execution,
    {
      outcome,
      ranMs = 0,
      journal = new Journal(execution, this.#ports, { ranMs }),
      family,
      control,
    }: {
      outcome: Outcome;
      /** The running time in milliseconds that was not stored yet. */
      ranMs?: number;
      journal?: Journal;
      /** Absent: the execution may have children. */
      family?: { isChildless: boolean };
      /** The control of the ending run. Absent if the execution does not run on this machine. */
      control?: RunControl;
    },
  ): Promise<void> {
    // If storing fails, the status stays `running`, and the next start recovers the execution.
    await this.#orLog(execution, UNSTORED_END, async () => {
      const ended = await journal.finish(outcome, () => control?.ending() ?? null);
      await this.#afterEnd(ended, family);
    });
  }

  /** Cancels an execution and its descendants. Returns the resulting status. Throws ExecutionNotFound. */
  async cancel(id: number, error: string, audit?: AuditEntry): Promise<CancelStatus> {
    const { active } = this.#ports;
    for (;;) {
      // Pending acceptances and answers may start the execution in this process.
      await active.started();
      const outcome = await this.#abort(id, error, audit);
      if (outcome !== "running" || !active.isStarting) return outcome;
    }
  }

  /** Ends a waiting or resting execution. Returns false if it does neither. Rejects if the end cannot be stored. */
  async abortWaiting(id: number, error: string, audit?: AuditEntry): Promise<boolean> {
    // Tracked, because the end resumes the ancestors that waited for this execution.
    return await this.#ports.active.track(this.#abortWaiting(id, error, audit));
  }

  async #abortWaiting(id: number, error: string, audit?: AuditEntry): Promise<boolean> {
    const { execution } = await requireExecution(this.#ports.executions, id);
    const by = currentRest(execution) === undefined ? "outside" : "nobody";
    const outcome: Outcome = { status: "aborted", by, error, output: null, audit };
    const ended = await new Journal(execution, this.#ports).finish(outcome);
    await this.#afterEnd(ended);
    return ended !== undefined;
  }

  /** Ends an execution that runs here, rests or waits, and returns its status. Leaves one that is starting or ended. */
  async #abort(id: number, error: string, audit?: AuditEntry): Promise<CancelStatus> {
    const { active, shared } = this.#ports;
    const isEnding = active.isEnding(id);
    if (active.stop(id, error)) {
      // The request is stored, so that the cancel survives a crash of this machine.
      await shared?.requestCancel(id, error);
      return "cancelling";
    }
    const { execution } = await requireExecution(this.#ports.executions, id);
    if (execution.status === "running") {
      if (shared !== undefined) {
        return await this.#abortElsewhere(execution, { error, shared, audit });
      }
      // The run was storing its end when active.stop() was called. If storing that end fails, the next attempt stores
      // `error`.
      if (isEnding) return "cancelling";
    }
    if (!isPaused(execution)) return execution.status;
    // If a person has answered or the rest has ended meanwhile, the execution runs again and is aborted as a running one.
    const isAborted = await this.abortWaiting(id, error, audit);
    return isAborted ? "aborted" : await this.#abort(id, error, audit);
  }

  /** Ends an execution that no machine holds, or requests the end from the machine that runs it. */
  async #abortElsewhere(
    execution: Execution,
    { error, shared, audit }: { error: string; shared: SharedRuns; audit: AuditEntry | undefined },
  ): Promise<CancelStatus> {
    const { id } = execution;
    const outcome: Outcome = { status: "aborted", by: "nobody", error, output: null, audit };
    const ended = await new Journal(execution, this.#ports).finish(outcome);
    await this.#afterEnd(ended);
    if (ended !== undefined) return "aborted";
    // If the execution does not run, it waits or has ended.
    if (await shared.requestCancel(id, error)) return "cancelling";
    return await this.#abort(id, error, audit);
  }

  /** Publishes an end, ends the execution's open children, and resumes the ancestors that waited for it. */
  async #afterEnd(
    ended: Resumption | undefined,
    { isChildless } = { isChildless: false },
  ): Promise<void> {
    if (ended === undefined) return;
    const { announcer, executions, families } = this.#ports;
    const { execution, ancestors, trigger } = ended;
    // Published first, so that no further event starts a run of a trigger that is now paused.
    if (trigger !== undefined) announcer.triggerChanged(execution, trigger);
    announcer.ended(execution);
    for (const child of isChildless ? [] : await families.listChildren(execution.id)) {
      if (isFinal(child.status)) continue;
      const error = execution.status === "aborted" ? execution.error : null;
      await this.#abort(child.id, error ?? STOPS.parent_ended);
    }
    for (const { id } of ancestors) await this.resume(await requireExecution(executions, id));
  }

  /** Runs an execution until it ends, rests or waits for a person, and stores the result. Never rejects. */
  async #run(subject: StoredRun, agent: Agent, control: RunControl): Promise<void> {
    const { execution } = subject;
    await this.#ports.telemetry.execution(execution, async () => {
      const ports = { ...this.#ports, runs: this, agentPlaces: this.#places };
      const { announcer } = this.#ports;
      const reached = await conductRun(subject, { agent, signal: control.signal, ports });
      if ("outcome" in reached) await this.end(execution, { ...reached, control });
      else if ("request" in reached) announcer.waiting(reached.execution, reached.request);
      else if ("rest" in reached) announcer.resting(execution, reached.rest);
      if ("request" in reached || "rest" in reached) await this.#pause(execution, control);
      return reached.status;
    });
  }

  /** Releases the run of an execution that waits or rests. */
  async #pause(execution: Execution, { signal, release }: RunControl): Promise<void> {
    // The run was cancelled while the execution's question or rest was being stored. The execution is ended here.
    const isCancelled = signal.aborted && !isLeftForRestart(signal);
    const error = signal.reason instanceof RunStopped ? signal.reason.message : STOPS.cancelled;
    if (isCancelled) {
      await this.#orLog(execution, UNSTORED_END, async () => {
        if (await this.abortWaiting(execution.id, error)) return;
        // A person has answered or the rest has ended meanwhile, so the execution runs again or is about to run.
        release();
        await this.cancel(execution.id, error);
      });
    }
    release();
  }

  /** Continues an execution. Stops it if its parent has ended meanwhile. */
  async #continue(subject: StoredRun, decide: ResumeDecision): Promise<void> {
    const { agents, active, executions, log } = this.#ports;
    const { id, parentExecutionId } = subject.execution;
    const found = agents.find(subject.execution);
    if (found instanceof AgentUnreadable) {
      log.write("warn", `An execution waits: ${found.message}`, { execution: id });
      active.launch(id, (control) => this.#hold(subject, decide, control));
    } else {
      const next = decide(found);
      if ("outcome" in next) return await this.end(subject.execution, next);
      active.launch(id, (control) => this.#run(subject, next.agent, control));
    }
    if (parentExecutionId === null) return;
    const { execution } = await requireExecution(executions, parentExecutionId);
    if (isFinal(execution.status)) active.stop(id, STOPS.parent_ended);
  }

  /**
   * Waits until the agent's file can be read, then continues the execution. During the wait, the execution can be cancelled
   * like a run, and its parent waits for it. Never rejects.
   */
  async #hold(subject: StoredRun, decide: ResumeDecision, control: RunControl): Promise<void> {
    const { execution } = subject;
    const { active, agents } = this.#ports;
    const { signal } = control;
    // A stopping service ends this wait at once. The wait of a child continues, because its parent would treat it as ended.
    const stopping = execution.parentExecutionId === null ? [active.stopping] : [];
    let agent: Agent | undefined;
    try {
      agent = await agents.whenReadable(execution, AbortSignal.any([signal, ...stopping]));
    } catch {
      // When the service stops, the status stays, and the next start continues the execution.
      const { reason } = signal;
      if (!(reason instanceof RunStopped) || reason.resumable) return;
      return await this.end(execution, { outcome: reason.outcome, control });
    }
    const next = decide(agent);
    if ("outcome" in next) return await this.end(execution, { ...next, control });
    await this.#run(subject, next.agent, control);
  }

  async #orLog({ id }: Execution, failure: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof LeaseLost) return;
      this.#ports.log.write("error", failure, { execution: id, error });
    }
  }
}
