// Many runs: accepting them, keeping hold of them while they run, cancelling, stopping, and ending what a crash left.
import type { Agent } from "../agents/agent.ts";
import { ModelError } from "../models/model.ts";
import type { EventBus } from "../events/bus.ts";
import type { Execution, ExecutionStatus, ExecutionTrigger } from "./execution.ts";
import type { ExecutionRequest } from "./execution_request.ts";
import { createInfoFrame, Journal, type JournalPorts, type Outcome } from "./journal.ts";
import { runLoop } from "./loop.ts";
import { prepareRun, type RunPorts } from "./prepare.ts";
import { ExecutionNotFound, ServiceStopping } from "./refusals.ts";
import { RunStopped } from "./run.ts";

/** A run that is asked for. */
export interface Wish {
  trigger: ExecutionTrigger;
  request: ExecutionRequest;
  sessionId: string | null;
  idempotencyKey?: string;
}

interface ActiveRun {
  stop: AbortController;
  done: Promise<void>;
}

/** What a runner works with. */
export type RunnerPorts = RunPorts & JournalPorts & { events: EventBus };

/** The executions of this process. */
export class Runner {
  readonly #ports: RunnerPorts;
  readonly #active = new Map<number, ActiveRun>();
  readonly #accepting = new Set<Promise<Execution>>();
  #stopping = false;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** Accepts a run and lets it go. It is on disk when this returns. Throws ServiceStopping. */
  async start(agent: Agent, wish: Wish): Promise<Execution> {
    if (this.#stopping) throw new ServiceStopping();
    const accepted = this.#accept(agent, wish);
    this.#accepting.add(accepted);
    try {
      return await accepted;
    } finally {
      this.#accepting.delete(accepted);
    }
  }

  async #accept(agent: Agent, wish: Wish): Promise<Execution> {
    const { store, clock, redactor } = this.#ports;
    const { execution, isNew } = await store.acceptExecution({
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
      frames: (accepted) => [createInfoFrame(accepted, { redactor, at: clock.now() })],
      ...(wish.idempotencyKey === undefined ? {} : { idempotencyKey: wish.idempotencyKey }),
    });
    if (isNew) this.#launch(execution, { agent, request: wish.request });
    return execution;
  }

  /** Cancels a running execution; tells what became of it. Throws ExecutionNotFound. */
  async cancel(id: number): Promise<"cancelling" | ExecutionStatus> {
    const active = this.#active.get(id);
    if (active !== undefined) {
      active.stop.abort(new RunStopped("Cancelled by user"));
      return "cancelling";
    }
    const stored = await this.#ports.store.readExecution(id);
    if (stored === undefined) throw new ExecutionNotFound();
    return stored.execution.status;
  }

  /** Ends what a dead instance left running: nothing else will. */
  async recover(): Promise<void> {
    const { store } = this.#ports;
    for (const id of await store.findAbandoned()) {
      const stored = await store.readExecution(id);
      if (stored === undefined) continue;
      await this.#end(stored.execution, this.#journal(stored.execution), {
        status: "orphaned",
        error: "The service stopped while this execution was running",
        output: null,
      });
    }
  }

  /** Refuses new runs, lets running ones end for `graceMs`, then aborts the rest and waits for them. */
  async stop(options: { graceMs: number }): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#accepting);
    const ends = Promise.all([...this.#active.values()].map(({ done }) => done));
    const grace = new AbortController();
    const inTime = ends.then(() => grace.abort());
    await this.#ports.clock.sleep(options.graceMs, grace.signal).catch(() => {/* All ended. */});
    for (const { stop } of this.#active.values()) {
      stop.abort(new RunStopped("Aborted: service stopped"));
    }
    await inTime;
  }

  #launch(execution: Execution, subject: { agent: Agent; request: ExecutionRequest }): void {
    const stop = new AbortController();
    const done = this.#conduct({ execution, ...subject }, stop.signal).finally(() => {
      this.#active.delete(execution.id);
    });
    this.#active.set(execution.id, { stop, done });
    this.#ports.serviceLog.write("info", "Execution started", {
      execution: execution.id,
      agent: execution.agentId,
      trigger: execution.trigger,
    });
    this.#ports.events.publish({
      type: "execution_started",
      executionId: execution.id,
      agentId: execution.agentId,
      displayName: execution.displayName,
      trigger: execution.trigger,
    });
  }

  /** Takes one execution to its end. Never rejects: what goes wrong is in its outcome and in the log. */
  async #conduct(
    subject: { execution: Execution; agent: Agent; request: ExecutionRequest },
    signal: AbortSignal,
  ): Promise<void> {
    const journal = this.#journal(subject.execution);
    let outcome: Outcome;
    try {
      outcome = await runLoop(
        await prepareRun(subject, { ports: this.#ports, journal, signal }),
      );
    } catch (error) {
      outcome = this.#toFailure(error, subject.execution);
    }
    await this.#end(subject.execution, journal, outcome);
  }

  /** Stores the end of an execution and tells of it. */
  async #end(execution: Execution, journal: Journal, outcome: Outcome): Promise<void> {
    const { serviceLog, events } = this.#ports;
    const { id, agentId, displayName } = execution;
    let ended: Execution | undefined;
    try {
      ended = await journal.finish(outcome);
    } catch (error) {
      // The row stays `running`; the next start finds it abandoned and says so.
      serviceLog.write("error", "The end of an execution could not be stored", {
        execution: id,
        error,
      });
    }
    if (ended === undefined) return;
    const { status, durationMs, error } = ended;
    serviceLog.write("info", "Execution ended", {
      execution: id,
      agent: agentId,
      status,
      error: error ?? undefined,
    });
    events.publish({
      type: "execution_completed",
      executionId: id,
      agentId,
      displayName,
      status,
      durationMs,
    });
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

  #journal(execution: Execution): Journal {
    return new Journal(execution, this.#ports);
  }
}
