// Answers to executions that wait: whose question one is to, whether it fits, and who continues with it. The end of a
// question's time is an answer, too.
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { StoredRun } from "./conductor.ts";
import { fitAnswer, type HumanAnswer, type HumanRequest, NotWaiting } from "../human_request.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { Execution } from "../execution.ts";
import { Journal, type JournalPorts } from "../record/journal.ts";
import { AgentUnreadable } from "../refusals.ts";
import { type Expiry, RequestExpiry } from "./request_expiry.ts";
import type { PendingStarts } from "./pending_starts.ts";

/** What answers are taken with. */
export type HumanAnswersPorts = JournalPorts & {
  serviceLog: ServiceLog;
  agents: AwaitedAgents;
  /** Counts what runs out of time while that is stored: it is about to run. */
  starts: PendingStarts;
  /** Throws ExecutionNotFound. */
  read(id: number): Promise<StoredRun>;
  /** Goes on with an execution that waited. */
  resume(subject: StoredRun): Promise<void>;
};

/** What people say to executions, and what holds when nobody says anything. */
export class HumanAnswers implements AsyncDisposable {
  readonly #ports: HumanAnswersPorts;
  /** Questions whose time is over and whose agents cannot be read: told once, tried again and again. */
  readonly #postponed = new Set<string>();
  readonly #expiry: RequestExpiry;

  constructor(ports: HumanAnswersPorts) {
    this.#ports = ports;
    this.#expiry = new RequestExpiry(ports, (request) => this.#expire(request));
  }

  /** Keeps deadlines from now on, those that are over already included. */
  start(): void {
    this.#expiry.start();
  }

  /** A question was asked: its deadline may be the first one now. */
  look(): void {
    this.#expiry.look();
  }

  /** Agents were read again: deadlines that had to wait for one are tried again. */
  again(): void {
    this.#expiry.again();
  }

  /** Keeps no deadlines any more; waits for one that is being kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#expiry[Symbol.asyncDispose]();
  }

  /**
   * Answers what an execution, or one that it delegated to, asks; it continues, and with it those above that waited only
   * for it. Throws ExecutionNotFound, AnswerMisfit, NotWaiting where the question is not open (any more), and
   * AgentUnreadable where one of those could not continue: the question stays open.
   */
  async give(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    const { read, resume, requests } = this.#ports;
    const { execution: asked } = await read(id);
    const { requestId } = response;
    const open = await requests.readOpenRequest(id, requestId);
    if (open === undefined) {
      throw new NotWaiting(
        asked.status === "waiting"
          ? "This answer is to an older request: ask for the pending one again"
          : "This execution does not wait for an answer",
      );
    }
    const answer = fitAnswer(open, response.answer, this.#ports.redactor);
    const { execution, request } = await read(open.executionId);
    await this.#requireAgents(execution);
    const answered = await new Journal(execution, this.#ports).answer(requestId, answer);
    if (answered === undefined) {
      throw new NotWaiting("This answer is to an older request: ask for the pending one again");
    }
    await resume({ execution: answered.execution, request });
    for (const ancestor of answered.ancestors) await resume(await read(ancestor.id));
  }

  /** Throws AgentUnreadable where an execution, or one above it that waits for it, has an agent that cannot be read. */
  async #requireAgents(asking: Execution): Promise<void> {
    const { agents, read } = this.#ports;
    for (let one = asking;;) {
      const agent = agents.find(one.agentId);
      if (agent instanceof AgentUnreadable) throw agent;
      if (one.parentExecutionId === null) return;
      one = (await read(one.parentExecutionId)).execution;
      if (one.status !== "waiting") return;
    }
  }

  async #expire({ executionId, requestId }: HumanRequest): Promise<Expiry> {
    try {
      const answered = this.give(executionId, { requestId, answer: { expired: true } });
      await this.#ports.starts.track(answered);
    } catch (error) {
      if (error instanceof AgentUnreadable) {
        if (!this.#postponed.has(requestId)) {
          this.#ports.serviceLog.write("warn", `No answer in time: ${error.message}`, {
            execution: executionId,
          });
        }
        this.#postponed.add(requestId);
        return "postponed";
      }
      // Somebody was a moment faster.
      if (!(error instanceof NotWaiting)) throw error;
    }
    this.#postponed.delete(requestId);
    return "over";
  }
}
