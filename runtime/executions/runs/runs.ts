// Runs of executions in this process: begun, continued, ended. One class, because each of these leads to another: an end lets
// those above continue, and what should continue may have to end.
import type { Agent } from "../../agents/agent.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import type { Budget } from "../budget/budget.ts";
import { STOPS } from "../end_reason.ts";
import type { AcceptedExecution, Execution } from "../execution.ts";
import type { AcceptanceRefusal, AcceptanceStore } from "../record/acceptance_store.ts";
import {
  type ExecutionReads,
  requireExecution,
  type StoredRun,
} from "../record/execution_reads.ts";
import type { FamilyStore } from "../record/family_store.ts";
import type { Outcome } from "../record/ending_store.ts";
import { Journal } from "../record/journal.ts";
import type { JournalPorts } from "../record/journal_ports.ts";
import type { RunPorts } from "../loop/prepare.ts";
import { AgentUnreadable, IdempotencyKeyReused, LeaseLost } from "../refusals.ts";
import { type ExecutionStatus, isFinal } from "../states.ts";
import { isSameRun, noticesOf, type RunSpec, toAcceptance } from "./acceptance.ts";
import type { ActiveRuns, RunControl } from "./active_runs.ts";
import { AgentPlaces } from "./agent_places.ts";
import type { Announcer } from "./announcer.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import { type AgentVariants, conductRun, type Paused } from "./conduct.ts";
import type { Resumption } from "./resumption.ts";
import { afterRestart, afterWaiting, type ResumeDecision } from "./resume_decision.ts";
import { isLeftForRestart, RunStopped } from "./run.ts";
import type { SharedRuns, Taken } from "./shared_runs.ts";

const UNSTORED_END = "The end of an execution could not be stored";

/** What runs are made of. */
export type RunsPorts = RunPorts & JournalPorts & AgentVariants & {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: Pick<FamilyStore, "findChild" | "listChildren" | "countUnsafeCalls">;
  agents: AwaitedAgents;
  active: ActiveRuns;
  announcer: Announcer;
  /** Absent: all that is stored runs here. */
  shared?: SharedRuns;
  /** Reads the agents' files anew: a machine may be given a run before it has noticed a new file. */
  rereadAgents?: () => Promise<unknown>;
  /** Why the last good definition of an agent is used in place of its file; absent: it never is. */
  whyStale?: (id: string) => Diagnostic | undefined;
  /** The budgets that an agent's runs count in, whatever tree they are of. */
  budgetsOf: (agent: Agent) => Budget[];
  /** Returns an agent as its file is now. */
  currentAgent(id: string): Promise<Agent | undefined>;
  /** How many executions may stand above one. */
  maxAgentDepth: () => number;
};

/** Lets executions run here, and does what follows when they rest. */
export class Runs {
  readonly #ports: RunsPorts;
  readonly #places = new AgentPlaces();

  constructor(ports: RunsPorts) {
    this.#ports = ports;
  }

  /** Accepts a run and lets it go, or tells why not. It is on disk when this returns. Throws IdempotencyKeyReused. */
  async begin(
    agent: Agent,
    asked: RunSpec,
  ): Promise<AcceptedExecution | { refused: AcceptanceRefusal }> {
    const { acceptances, announcer, executions, shared } = this.#ports;
    const notices = noticesOf(agent, asked, this.#ports);
    const spec = { ...asked, notices };
    const accepted = await acceptances.acceptExecution(...toAcceptance(agent, spec, this.#ports));
    if ("refused" in accepted) return accepted;
    const { execution, isNew } = accepted;
    if (isNew) {
      if (shared === undefined) this.#launch({ execution, request: spec.request }, agent);
      announcer.started(execution);
    } else if (spec.idempotencyKey !== undefined) {
      // Answering with the first execution would tell the caller that this other run was accepted.
      const first = await requireExecution(executions, execution.id);
      if (!isSameRun(first, { agent, spec })) throw new IdempotencyKeyReused();
    }
    return isNew && notices.length > 0 ? { ...execution, notices } : execution;
  }

  /** Continues an execution that waited, or ends it where its agent is gone. */
  async resume(subject: StoredRun): Promise<void> {
    const { announcer, shared } = this.#ports;
    announcer.resumed(subject.execution);
    if (shared === undefined) await this.#continue(subject, afterWaiting(subject.execution));
  }

  /** Runs an execution that this machine took, or ends it where that is to be. */
  async takeUp({ subject, isRedelivered, ranMs, cancelled }: Taken): Promise<void> {
    const { execution } = subject;
    const { agents, rereadAgents } = this.#ports;
    if (agents.find(execution.agentId) === undefined) {
      await this.#orLog(execution, "Agents' files could not be read anew", async () => {
        await rereadAgents?.();
      });
    }
    const decide = isRedelivered ? afterRestart({ ranMs }) : afterWaiting(execution);
    if (isRedelivered) {
      const message = "An execution comes from another machine, which left it or is gone";
      this.#ports.serviceLog.write("info", message, { execution: execution.id });
    }
    await this.#continue(subject, decide);
    if (cancelled !== null) this.#ports.active.stop(execution.id, cancelled);
  }

  /** Continues one that was taken over, or ends it where its agent does not want it resumed. */
  async resumeAfterRestart(subject: StoredRun): Promise<void> {
    await this.#continue(subject, afterRestart());
  }

  /** Stores the end of a running execution and announces it. Never rejects: what cannot be stored is logged. */
  async end(
    execution: Execution,
    { outcome, ranMs = 0, journal = new Journal(execution, this.#ports, { ranMs }), control }: {
      outcome: Outcome;
      /** How long it is known to have run without that being counted. */
      ranMs?: number;
      journal?: Journal;
      /** Of the run that ends. Absent: nothing runs here. */
      control?: RunControl;
    },
  ): Promise<void> {
    // Where it fails, the row stays as it is; the next start finds it abandoned and says so.
    await this.#orLog(execution, UNSTORED_END, async () => {
      await this.#afterEnd(await journal.finish(outcome, () => control?.ending() ?? null));
    });
  }

  /** Cancels an execution and what it delegated; tells what became of it. Throws ExecutionNotFound. */
  async cancel(
    id: number,
    error: string = STOPS.cancelled,
  ): Promise<"cancelling" | ExecutionStatus> {
    const { active } = this.#ports;
    for (;;) {
      // What was accepted or answered a moment ago is about to run here.
      await active.started();
      const outcome = await this.#abort(id, error);
      if (outcome !== "running" || !active.isStarting) return outcome;
    }
  }

  /** Ends an execution that waits. False when it does not (any more). Rejects when that cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    // Those that waited for it are about to run.
    return await this.#ports.active.track(this.#abortWaiting(id, error));
  }

  async #abortWaiting(id: number, error: string): Promise<boolean> {
    const { execution } = await requireExecution(this.#ports.executions, id);
    const outcome: Outcome = { status: "aborted", by: "outside", error, output: null };
    const ended = await new Journal(execution, this.#ports).finish(outcome);
    await this.#afterEnd(ended);
    return ended !== undefined;
  }

  /** Ends one that runs here, or waits; what is about to run, or has ended, is left as it is. Tells what became of it. */
  async #abort(id: number, error: string): Promise<"cancelling" | ExecutionStatus> {
    const { active, shared } = this.#ports;
    const isEnding = active.isEnding(id);
    if (active.stop(id, error)) {
      // Who is told so can rely on it, also where this machine dies before the run has ended.
      await shared?.requestCancel(id, error);
      return "cancelling";
    }
    const { execution } = await requireExecution(this.#ports.executions, id);
    if (execution.status === "running") {
      if (shared !== undefined) return await this.#abortElsewhere(execution, { error, shared });
      // Another end of it could not be stored: the next try stores this one.
      if (isEnding) return "cancelling";
    }
    if (execution.status !== "waiting") return execution.status;
    // Where an answer came first, it runs.
    return await this.abortWaiting(id, error) ? "aborted" : await this.#abort(id, error);
  }

  /** The same for one that another machine runs, or that waits for one. */
  async #abortElsewhere(
    execution: Execution,
    { error, shared }: { error: string; shared: SharedRuns },
  ): Promise<"cancelling" | ExecutionStatus> {
    const { id } = execution;
    const outcome: Outcome = { status: "aborted", by: "nobody", error, output: null };
    const ended = await new Journal(execution, this.#ports).finish(outcome);
    await this.#afterEnd(ended);
    if (ended !== undefined) return "aborted";
    // Where it does not run any more, it waits, or has ended.
    return await shared.requestCancel(id, error) ? "cancelling" : await this.#abort(id, error);
  }

  /** Announces an end, ends what it delegated and nobody needs any longer, and lets those that waited for it continue. */
  async #afterEnd(ended: Resumption | undefined): Promise<void> {
    if (ended === undefined) return;
    const { announcer, executions, families } = this.#ports;
    const { execution, ancestors, trigger } = ended;
    // First: the next change or slot must not start a run of a trigger that was stopped.
    if (trigger !== undefined) announcer.triggerChanged(execution, trigger);
    announcer.ended(execution);
    for (const child of await families.listChildren(execution.id)) {
      if (isFinal(child.status)) continue;
      const error = execution.status === "aborted" ? execution.error : null;
      await this.#abort(child.id, error ?? STOPS.parent_ended);
    }
    for (const { id } of ancestors) await this.resume(await requireExecution(executions, id));
  }

  #launch(subject: StoredRun, agent: Agent): void {
    const { active } = this.#ports;
    active.launch(
      subject.execution.id,
      (control) => this.#run(subject, agent, control),
    );
  }

  /** Runs an execution to its end, or to its next question. Never rejects. */
  async #run(subject: StoredRun, agent: Agent, control: RunControl): Promise<void> {
    const { execution } = subject;
    await this.#ports.telemetry.execution(execution, async () => {
      const ports = { ...this.#ports, runs: this, places: this.#places };
      const rest = await conductRun(subject, { agent, signal: control.signal, ports });
      if ("request" in rest) await this.#pause(rest, control);
      if ("outcome" in rest) await this.end(execution, { ...rest, control });
      return rest.status;
    });
  }

  /** Lets go of an execution that waits. */
  async #pause({ execution, request }: Paused, { signal, leave }: RunControl): Promise<void> {
    this.#ports.announcer.waiting(execution, request);
    // A cancel that came until now found a run; from here on it finds an execution that waits.
    const isCancelled = signal.aborted && !isLeftForRestart(signal);
    const error = signal.reason instanceof RunStopped ? signal.reason.message : STOPS.cancelled;
    if (isCancelled) {
      await this.#orLog(execution, UNSTORED_END, async () => {
        if (await this.abortWaiting(execution.id, error)) return;
        // An answer came in between: it runs again, or is about to.
        leave();
        await this.cancel(execution.id, error);
      });
    }
    leave();
  }

  /** Continues an execution, then stops it where its parent has ended meanwhile: nobody else would. */
  async #continue(subject: StoredRun, decide: ResumeDecision): Promise<void> {
    const { agents, active, executions, serviceLog } = this.#ports;
    const { id, agentId, parentExecutionId } = subject.execution;
    const found = agents.find(agentId);
    if (found instanceof AgentUnreadable) {
      serviceLog.write("warn", `An execution waits: ${found.message}`, { execution: id });
      active.launch(id, (control) => this.#hold(subject, decide, control));
    } else {
      const next = decide(found);
      if ("outcome" in next) return await this.end(subject.execution, next);
      this.#launch(subject, next.agent);
    }
    if (parentExecutionId === null) return;
    const { execution } = await requireExecution(executions, parentExecutionId);
    if (isFinal(execution.status)) active.stop(id, STOPS.parent_ended);
  }

  /**
   * Holds an execution back until its agent can be read, then lets it continue. Meanwhile it counts as a run: it can be
   * cancelled, and who delegated to it waits for it. Never rejects.
   */
  async #hold(subject: StoredRun, decide: ResumeDecision, control: RunControl): Promise<void> {
    const { execution } = subject;
    const { active, agents } = this.#ports;
    const { signal } = control;
    // A stop need not give it time to end, unless another run waits for it: that one would take it for ended.
    const stopping = execution.parentExecutionId === null ? [active.stopping] : [];
    let agent: Agent | undefined;
    try {
      agent = await agents.settled(execution.agentId, AbortSignal.any([signal, ...stopping]));
    } catch {
      // It is left as it is where the service stops: the next start finds it.
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
      this.#ports.serviceLog.write("error", failure, { execution: id, error });
    }
  }
}
