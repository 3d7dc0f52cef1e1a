// One execution while it runs here: preparing it, running its loop, until it ends or waits for a person.
import type { Agent } from "../../agents/agent.ts";
import type { Delegations } from "./delegation.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionStatus } from "../states.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import { toFailure } from "./failure.ts";
import type { HumanRequest } from "../human_request.ts";
import { Journal, type JournalPorts, type Outcome } from "../record/journal.ts";
import { patientStores } from "../record/patient_stores.ts";
import type { RunPorts } from "../loop/prepare.ts";
import { isLeftForRestart } from "./run.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import { RedactedReply } from "../record/redacted_reply.ts";
import type { OpenQuestion } from "../loop/tool_calls.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

// Loaded with the first run: a service is ready sooner without them.
const loadPrepare = lazyModule(() => import("../loop/prepare.ts"));
const loadLoop = lazyModule(() => import("../loop/loop.ts"));

/** An execution with what it was asked to do. */
export interface StoredRun {
  execution: Execution;
  request: ExecutionRequest;
}

/** What a run is conducted with. */
export interface RunControl {
  agent: Agent;
  signal: AbortSignal;
  /** From here on it cannot be stopped any more. */
  leave: () => void;
}

/** An execution that waits, and what for. */
export interface Paused {
  execution: Execution;
  request: HumanRequest;
}

/** What runs are conducted with. */
export type ConductorPorts = RunPorts & JournalPorts & {
  delegations: Delegations;
  /** Aborts when the service stops: what cannot be stored is given up then. */
  stopping: AbortSignal;
  read(id: number): Promise<StoredRun>;
  /** Stores the end of an execution and announces it. Never rejects. */
  end(execution: Execution, end: { outcome: Outcome; journal: Journal }): Promise<void>;
  /** Lets go of an execution that waits. */
  pause(paused: Paused, conduct: RunControl): Promise<void>;
};

/** Takes executions to their end, or to their next question. */
export class Conductor {
  readonly #ports: ConductorPorts;

  constructor(ports: ConductorPorts) {
    this.#ports = ports;
  }

  /** Never rejects: what goes wrong is told and logged. */
  async conduct(subject: StoredRun, conduct: RunControl): Promise<void> {
    const { telemetry } = this.#ports;
    await telemetry.execution(subject.execution, () => this.#conduct(subject, conduct));
  }

  /** Returns the state that the execution is left in. */
  async #conduct(subject: StoredRun, conduct: RunControl): Promise<ExecutionStatus> {
    const { execution } = subject;
    const { clock, serviceLog, stopping: signal } = this.#ports;
    const patience = { clock, serviceLog, signal, execution: execution.id };
    const stores = patientStores(this.#ports, patience);
    const journal = new Journal(execution, { ...this.#ports, ...stores });
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#untilOutcome(subject, { ...conduct, journal });
    } catch (error) {
      outcome = toFailure(error, { execution, serviceLog });
    }
    if (outcome === undefined) return "waiting";
    if (conduct.agent.onRestart === "resume" && isLeftForRestart(conduct.signal)) {
      await leave(execution, { journal, serviceLog });
      return "running";
    }
    await this.#ports.end(execution, { outcome, journal });
    return outcome.status;
  }

  /** Runs the loop to its outcome; undefined when the execution waits. */
  async #untilOutcome(
    subject: StoredRun,
    context: RunControl & { journal: Journal },
  ): Promise<Outcome | undefined> {
    const { agent, signal, journal } = context;
    const { execution } = subject;
    const { delegations } = this.#ports;
    const [{ prepareRun }, { runLoop }] = [await loadPrepare(), await loadLoop()];
    for (let current = subject;; current = await this.#ports.read(execution.id)) {
      const run = await prepareRun({ ...current, agent }, {
        ports: this.#ports,
        journal,
        openReply: () => new RedactedReply(execution.id, this.#ports),
        signal,
        delegate: (call, delegation) =>
          delegations.delegate(execution, call, {
            signal,
            ...(delegation !== undefined && { delegation }),
          }),
      });
      const outcome = await runLoop(run);
      if ("status" in outcome) return outcome;
      const paused = "question" in outcome
        ? await this.#ask(outcome, context)
        : await journal.waitForChild(outcome.childId);
      if (paused !== undefined) {
        await this.#ports.pause(paused, context);
        return undefined;
      }
      // What it delegated to was answered a moment ago: there is something to wait for again.
    }
  }

  async #ask(
    { call, question, args, isGuard }: OpenQuestion,
    { agent, journal }: RunControl & { journal: Journal },
  ): Promise<Paused> {
    const createdAt = this.#ports.clock.now();
    return await journal.ask({
      ...question,
      requestId: crypto.randomUUID(),
      position: call.position,
      toolName: call.name,
      toolArgs: args,
      createdAt,
      expiresAt: agent.confirmTimeoutMs === null ? null : createdAt + agent.confirmTimeoutMs,
      ...(isGuard && { isGuard }),
    });
  }
}

/** Leaves a run to the next start. Never rejects: it continues there, whether its running time could be stored or not. */
async function leave(
  { id }: Execution,
  { journal, serviceLog }: { journal: Journal; serviceLog: ServiceLog },
): Promise<void> {
  try {
    await journal.leave();
  } catch (error) {
    serviceLog.write("error", "The running time of an execution could not be stored", {
      execution: id,
      error,
    });
  }
}
