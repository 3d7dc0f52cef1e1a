// Many runs: accepting them, keeping hold of them while they run, answers, cancelling, stopping, and what a crash left.
import type { Agent } from "../agents/agent.ts";
import { ActiveRuns } from "./active_runs.ts";
import { Announcer } from "./announcer.ts";
import type { EventBus } from "../events/bus.ts";
import { ModelError } from "../models/model.ts";
import type { Execution, ExecutionStatus, ExecutionTrigger } from "./execution.ts";
import type { ExecutionRequest } from "./execution_request.ts";
import { checkAnswer, type HumanAnswer, type HumanRequest, NotWaiting } from "./human_request.ts";
import { createInfoFrame, Journal, type JournalPorts, type Outcome } from "./journal.ts";
import { runLoop } from "./loop.ts";
import { prepareRun, type RunPorts } from "./prepare.ts";
import { ExecutionNotFound, ServiceStopping, SessionWaiting } from "./refusals.ts";
import { RequestExpiry } from "./request_expiry.ts";
import { RunStopped } from "./run.ts";
import type { OpenQuestion } from "./tool_calls.ts";

const CANCELLED = "Cancelled by user";

/** A run that is asked for. */
export interface Wish {
  trigger: ExecutionTrigger;
  request: ExecutionRequest;
  sessionId: string | null;
  idempotencyKey?: string;
}

/** What a runner works with. */
export type RunnerPorts = RunPorts & JournalPorts & {
  events: EventBus;
  /** The agent as its file stands now. */
  findAgent(id: string): Agent | undefined;
};

/** An execution with what it was asked to do. */
interface Subject {
  execution: Execution;
  request: ExecutionRequest;
}

/** What a run that goes on here is conducted with. */
interface Conduct {
  agent: Agent;
  signal: AbortSignal;
  /** From here on it cannot be stopped any more. */
  leave: () => void;
}

/** The executions of this process. */
export class Runner implements AsyncDisposable {
  readonly #ports: RunnerPorts;
  readonly #announcer: Announcer;
  readonly #expiry: RequestExpiry;
  readonly #active: ActiveRuns;
  readonly #pending = new Set<Promise<unknown>>();
  #stopping = false;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
    this.#active = new ActiveRuns(ports.clock);
    this.#announcer = new Announcer(ports);
    this.#expiry = new RequestExpiry(ports, (request) => this.#expire(request));
  }

  /** Accepts a run and lets it go. It is on disk when this returns. Throws ServiceStopping and SessionWaiting. */
  async start(agent: Agent, wish: Wish): Promise<Execution> {
    return await this.#unlessStopping(() => this.#accept(agent, wish));
  }

  /** Answers the question that an execution waits with; it goes on. Throws what is wrong with the answer. */
  async respond(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    await this.#unlessStopping(() => this.#respond(id, response));
  }

  /** Cancels an execution; tells what became of it. Throws ExecutionNotFound. */
  async cancel(id: number): Promise<"cancelling" | ExecutionStatus> {
    // What was accepted or answered a moment ago is about to run here.
    await Promise.allSettled(this.#pending);
    if (this.#active.stop(id, CANCELLED)) return "cancelling";
    const { execution } = await this.#read(id);
    if (execution.status !== "waiting") return execution.status;
    // Where an answer came first, it runs.
    return await this.abortWaiting(id, CANCELLED) ? "aborted" : await this.cancel(id);
  }

  /** Ends an execution that waits. False when it does not (any more). Rejects when that cannot be stored. */
  async abortWaiting(id: number, error: string): Promise<boolean> {
    const { execution } = await this.#read(id);
    const outcome: Outcome = { status: "aborted", error, output: null };
    const ended = await this.#journal(execution).finish(outcome, { from: "waiting" });
    if (ended !== undefined) this.#announcer.ended(ended);
    return ended !== undefined;
  }

  /** Takes up what a dead instance left running: goes on with it where the agent says so, else ends it. */
  async recover(): Promise<void> {
    const { store } = this.#ports;
    for (const id of await store.findAbandoned()) {
      const { execution, request } = await this.#read(id);
      const agent = this.#ports.findAgent(execution.agentId);
      if (agent?.onRestart === "resume") {
        await store.adoptExecution(id);
        this.#launch({ execution, request }, agent);
        continue;
      }
      const error = "The service stopped while this execution was running";
      await this.#end(execution, { outcome: { status: "orphaned", error, output: null } });
    }
    this.#expiry.start();
  }

  /**
   * Refuses new runs, lets running ones end for `graceMs`, then aborts the rest and waits for them. Runs that are to
   * be resumed are left as they are: the next start takes them up.
   */
  async stop(options: { graceMs: number }): Promise<void> {
    this.#stopping = true;
    await this.#expiry[Symbol.asyncDispose]();
    await Promise.allSettled(this.#pending);
    await this.#active.drain({ ...options, error: "Aborted: service stopped" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
  }

  /** Does something that starts a run; a stop waits for it. */
  async #unlessStopping<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stopping) throw new ServiceStopping();
    return await this.#track(work());
  }

  async #track<T>(pending: Promise<T>): Promise<T> {
    this.#pending.add(pending);
    try {
      return await pending;
    } finally {
      this.#pending.delete(pending);
    }
  }

  async #accept(agent: Agent, wish: Wish): Promise<Execution> {
    const { store, clock, redactor } = this.#ports;
    const accepted = await store.acceptExecution({
      agentId: agent.id,
      displayName: agent.displayName,
      trigger: wish.trigger,
      parentExecutionId: null,
      depth: 0,
      sessionId: wish.sessionId,
      request: wish.request,
      model: agent.model === undefined ? "" : `${agent.model.provider}/${agent.model.name}`,
      startedAt: clock.now(),
    }, {
      unlessWaiting: agent.onPending === "skip" && wish.trigger !== "agent",
      frames: (execution) => [createInfoFrame(execution, { redactor, at: clock.now() })],
      ...(wish.idempotencyKey === undefined ? {} : { idempotencyKey: wish.idempotencyKey }),
    });
    if (accepted === undefined) throw new SessionWaiting(agent.id);
    const { execution, isNew } = accepted;
    if (isNew) {
      this.#launch({ execution, request: wish.request }, agent);
      this.#announcer.started(execution, agent);
    }
    return execution;
  }

  async #respond(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    const { execution, request } = await this.#read(id);
    const open = await this.#ports.store.readOpenRequest(id);
    if (execution.status !== "waiting" || open === undefined) {
      throw new NotWaiting("This execution does not wait for an answer");
    }
    const { requestId, answer } = response;
    if (open.requestId === requestId) checkAnswer(open, answer);
    const answered = await this.#journal(execution).answer(requestId, answer);
    if (answered === undefined) {
      throw new NotWaiting("This answer is to an older request: ask for the pending one again");
    }
    this.#announcer.resumed(answered);
    const agent = this.#ports.findAgent(execution.agentId);
    if (agent === undefined) {
      const error = `Agent '${execution.agentId}' no longer exists`;
      await this.#end(answered, { outcome: { status: "error", error, output: null } });
      return;
    }
    this.#launch({ execution: answered, request }, agent);
  }

  async #expire(request: HumanRequest): Promise<void> {
    try {
      const { executionId, requestId } = request;
      await this.#track(this.#respond(executionId, { requestId, answer: { expired: true } }));
    } catch (error) {
      // Somebody was a moment faster.
      if (!(error instanceof NotWaiting)) throw error;
    }
  }

  #launch(subject: Subject, agent: Agent): void {
    const { id } = subject.execution;
    this.#active.launch(id, (signal, leave) => this.#conduct(subject, { agent, signal, leave }));
  }

  /** Takes one execution to its end, or to its next question. Never rejects: what goes wrong is told and logged. */
  async #conduct(subject: Subject, context: Conduct): Promise<void> {
    const { execution } = subject;
    const { agent, signal } = context;
    const journal = this.#journal(execution);
    try {
      const run = await prepareRun({ ...subject, agent }, { ports: this.#ports, journal, signal });
      const outcome = await runLoop(run);
      if ("question" in outcome) {
        return await this.#ask(execution, { ...context, journal, ...outcome });
      }
      if (agent.onRestart === "resume" && isLeftForRestart(signal)) return;
      await this.#end(execution, { outcome, journal });
    } catch (error) {
      await this.#end(execution, { outcome: this.#toFailure(error, execution), journal });
    }
  }

  async #ask(
    execution: Execution,
    asked: OpenQuestion & Conduct & { journal: Journal },
  ): Promise<void> {
    const { agent, journal, call, question, args, signal, leave } = asked;
    const createdAt = this.#ports.clock.now();
    const request: HumanRequest = {
      ...question,
      requestId: crypto.randomUUID(),
      executionId: execution.id,
      position: call.position,
      toolName: call.name,
      toolArgs: args,
      createdAt,
      expiresAt: agent.confirmTimeoutMs === null ? null : createdAt + agent.confirmTimeoutMs,
    };
    this.#announcer.waiting(await journal.ask(request), request);
    this.#expiry.look();
    // A cancel that came until now found a run; from here on it finds an execution that waits.
    const isCancelled = signal.aborted && !isLeftForRestart(signal);
    if (isCancelled && !await this.abortWaiting(execution.id, CANCELLED)) {
      // An answer came in between: it runs again.
      await this.cancel(execution.id);
    }
    leave();
  }

  /** Stores the end of an execution that runs, and tells of it. */
  async #end(
    execution: Execution,
    end: { outcome: Outcome; journal?: Journal },
  ): Promise<void> {
    const { outcome, journal = this.#journal(execution) } = end;
    let ended: Execution | undefined;
    try {
      ended = await journal.finish(outcome);
    } catch (error) {
      // The row stays as it is; the next start finds it abandoned and says so.
      this.#ports.serviceLog.write("error", "The end of an execution could not be stored", {
        execution: execution.id,
        error,
      });
    }
    if (ended !== undefined) this.#announcer.ended(ended);
  }

  #toFailure(error: unknown, execution: Execution): Outcome {
    if (error instanceof ModelError) {
      return { status: "error", error: error.message, output: null };
    }
    this.#ports.serviceLog.write("error", "An execution failed inside Inkling", {
      execution: execution.id,
      error,
    });
    return {
      status: "error",
      error: "Internal error: the service's log has the details",
      output: null,
    };
  }

  async #read(id: number): Promise<Subject> {
    const stored = await this.#ports.store.readExecution(id);
    if (stored === undefined) throw new ExecutionNotFound();
    return stored;
  }

  #journal(execution: Execution): Journal {
    return new Journal(execution, this.#ports);
  }
}

function isLeftForRestart({ reason }: AbortSignal): boolean {
  return reason instanceof RunStopped && reason.resumable;
}
