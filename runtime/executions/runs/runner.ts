// The executions of this process: accepting them, keeping hold of them while they run, cancelling, stopping.
import type { Agent } from "../../agents/agent.ts";
import type { EventBus } from "../../events/bus.ts";
import { isSameRun, type RunSpec, toAcceptance } from "./acceptance.ts";
import type { AcceptanceRefusal, AcceptanceStore } from "../record/acceptance_store.ts";
import { ActiveRuns } from "./active_runs.ts";
import { Announcer } from "./announcer.ts";
import { type AgentLookup, AwaitedAgents } from "./awaited_agents.ts";
import { Conductor, type Paused, type RunControl, type StoredRun } from "./conductor.ts";
import { Continuations } from "./continuations.ts";
import { type DelegatedStart, Delegations } from "./delegation.ts";
import { ExecutionEndings } from "./execution_endings.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionReads } from "../record/execution_reads.ts";
import type { FamilyStore } from "../record/family_store.ts";
import { HumanAnswers } from "./human_answers.ts";
import type { HumanAnswer } from "../human_request.ts";
import type { JournalPorts } from "../record/journal.ts";
import type { RunPorts } from "../loop/prepare.ts";
import { recoverExecutions } from "./recovery.ts";
import type { RecoveryStore } from "../record/recovery_store.ts";
import {
  ExecutionNotFound,
  IdempotencyKeyReused,
  ServiceStopping,
  SessionWaiting,
} from "../refusals.ts";
import { isLeftForRestart, RunStopped } from "./run.ts";
import { PendingStarts } from "./pending_starts.ts";

const CANCELLED = "Cancelled by user";

/** What a runner works with. */
export type RunnerPorts = RunPorts & JournalPorts & AgentLookup & {
  acceptances: AcceptanceStore;
  executions: Pick<ExecutionReads, "readExecution">;
  families: Pick<FamilyStore, "findChild" | "listChildren">;
  recovery: RecoveryStore;
  events: EventBus;
  /** How many executions may stand above one. */
  maxAgentDepth: () => number;
};

/** The executions of this process. */
export class Runner implements AsyncDisposable {
  readonly #ports: RunnerPorts;
  readonly #agents: AwaitedAgents;
  readonly #announcer: Announcer;
  readonly #answers: HumanAnswers;
  readonly #conductor: Conductor;
  readonly #continuations: Continuations;
  readonly #active: ActiveRuns;
  readonly #ends: ExecutionEndings;
  readonly #starts = new PendingStarts();
  readonly #stopping = new AbortController();

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    this.#active = new ActiveRuns(ports.clock);
    this.#agents = new AwaitedAgents(ports);
    this.#announcer = new Announcer(ports);
    const shared = {
      ...ports,
      agents: this.#agents,
      starts: this.#starts,
      read: (id: number) => this.#read(id),
      resume: (subject: StoredRun) => this.#continuations.afterWaiting(subject),
    };
    this.#answers = new HumanAnswers(shared);
    this.#ends = new ExecutionEndings({
      ...shared,
      active: this.#active,
      announcer: this.#announcer,
    });
    const delegations = new Delegations({
      ...ports,
      begin: (start) => this.#begin(start),
      untilRest: (id) => this.#untilRest(id),
      cancel: (id, error) => this.cancel(id, error),
    });
    this.#conductor = new Conductor({
      ...shared,
      delegations,
      stopping: this.#stopping.signal,
      end: (execution, end) => this.#ends.end(execution, end),
      pause: (paused, conduct) => this.#pause(paused, conduct),
    });
    this.#continuations = new Continuations({
      ...shared,
      active: this.#active,
      announcer: this.#announcer,
      conductor: this.#conductor,
      ends: this.#ends,
      stopping: this.#stopping.signal,
    });
  }

  /**
   * Accepts a run and lets it go. It is on disk when this returns. Throws ServiceStopping, SessionWaiting and
   * IdempotencyKeyReused.
   */
  async start(agent: Agent, spec: RunSpec): Promise<Execution> {
    const started = await this.attempt(agent, spec);
    if ("refused" in started) throw new SessionWaiting(agent.id);
    return started;
  }

  /** The same for who wants to know why a run is not accepted. Throws ServiceStopping and IdempotencyKeyReused. */
  async attempt(agent: Agent, spec: RunSpec): Promise<Execution | { refused: AcceptanceRefusal }> {
    return await this.#unlessStopping(() => this.#accept(agent, spec));
  }

  /** Answers what an execution, or one that it delegated to, asks; it continues. Throws what is wrong with the answer. */
  async respond(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    await this.#unlessStopping(() => this.#answers.give(id, response));
  }

  /** Cancels an execution and what it delegated; tells what became of it. Throws ExecutionNotFound. */
  async cancel(id: number, error = CANCELLED): Promise<"cancelling" | ExecutionStatus> {
    for (;;) {
      // What was accepted or answered a moment ago is about to run here.
      await this.#starts.settled();
      const outcome = await this.#ends.abort(id, error);
      if (outcome !== "running" || this.#starts.isEmpty) return outcome;
    }
  }

  /** Ends an execution that waits. False when it does not (any more). Rejects when that cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    return await this.#ends.abortWaiting(id, error);
  }

  /** Agents were read again: continues what had to wait for one that could not be read. */
  agentsRead(): void {
    this.#agents.look();
    this.#answers.again();
  }

  /** Takes over what a dead instance left running, and begins to settle questions whose time is over. */
  async recover(): Promise<void> {
    await recoverExecutions({
      ...this.#ports,
      agents: this.#agents,
      ends: this.#ends,
      continuations: this.#continuations,
      read: (id) => this.#read(id),
    });
    this.#answers.start();
  }

  /**
   * Refuses new runs, lets running ones end for `graceMs`, then aborts the rest and waits for them. Runs that are to
   * be resumed are left as they are: the next start takes them over.
   */
  async stop(
    { graceMs, error = "Aborted: service stopped" }: { graceMs: number; error?: string },
  ): Promise<void> {
    this.#stopping.abort();
    await this.#answers[Symbol.asyncDispose]();
    await this.#starts.settled();
    await this.#active.drain({ graceMs, error });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
  }

  /** Does something that starts a run; a stop waits for it. */
  async #unlessStopping<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stopping.signal.aborted) throw new ServiceStopping();
    return await this.#starts.track(work());
  }

  async #accept(agent: Agent, spec: RunSpec): Promise<Execution | { refused: AcceptanceRefusal }> {
    const accepted = await this.#ports.acceptances.acceptExecution(
      ...toAcceptance(agent, spec, this.#ports),
    );
    if ("refused" in accepted) return accepted;
    const { execution, isNew } = accepted;
    if (isNew) {
      this.#launch({ execution, request: spec.request }, agent);
      this.#announcer.started(execution);
    } else if (spec.idempotencyKey !== undefined) {
      // Answering with the first execution would tell the caller that this other run was accepted.
      const first = await this.#read(execution.id);
      if (!isSameRun(first, { agent, spec })) throw new IdempotencyKeyReused();
    }
    return execution;
  }

  /** Starts what a call of another execution asks for: also while the service lets running ones end. */
  async #begin({ agent, args, parent, position, depth }: DelegatedStart): Promise<Execution> {
    const { agentId, displayName, id: executionId } = parent;
    const started = await this.#starts.track(this.#accept(agent, {
      trigger: "agent",
      sessionId: null,
      request: { args, cause: { type: "agent", agentId, displayName, executionId } },
      parent: { executionId, position, depth },
    }));
    if ("refused" in started) throw new TypeError("A delegated execution is never refused");
    return started;
  }

  async #untilRest(id: number): Promise<void> {
    for (;;) {
      const done = this.#active.done(id);
      if (done === undefined) {
        // What was answered a moment ago is about to run here.
        await this.#starts.settled();
        if (this.#active.done(id) === undefined) return;
      }
      await done;
    }
  }

  #launch(subject: StoredRun, agent: Agent): void {
    const { id } = subject.execution;
    this.#active.launch(
      id,
      (signal, leave) => this.#conductor.conduct(subject, { agent, signal, leave }),
    );
  }

  /** Lets go of an execution that waits. */
  async #pause(
    { execution, request }: Paused,
    { signal, leave }: RunControl,
  ): Promise<void> {
    this.#announcer.waiting(execution, request);
    this.#answers.look();
    // A cancel that came until now found a run; from here on it finds an execution that waits.
    const isCancelled = signal.aborted && !isLeftForRestart(signal);
    const error = signal.reason instanceof RunStopped ? signal.reason.message : CANCELLED;
    if (isCancelled && !await this.#ends.abortWaiting(execution.id, error)) {
      // An answer came in between: it runs again, or is about to.
      leave();
      await this.cancel(execution.id, error);
    }
    leave();
  }

  async #read(id: number): Promise<StoredRun> {
    const stored = await this.#ports.executions.readExecution(id);
    if (stored === undefined) throw new ExecutionNotFound();
    return stored;
  }
}
