// Answers to executions that wait: whose question one is to, whether it fits, and who continues with it. The end of a
// question's time is an answer, too.
import type { ServiceLog } from "../../service_log/service_log.ts";
import { type ExecutionReads, requireExecution } from "../record/execution_reads.ts";
import { fitAnswer, type HumanAnswer, type HumanRequest, NotWaiting } from "../human_request.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { Execution } from "../execution.ts";
import { Journal, type JournalPorts } from "../record/journal.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { ActiveRuns } from "./active_runs.ts";
import type { Runs } from "./runs.ts";

/** What answers are taken with. */
export type HumanAnswersPorts = JournalPorts & {
  serviceLog: ServiceLog;
  executions: Pick<ExecutionReads, "readExecution">;
  agents: Pick<AwaitedAgents, "find">;
  active: Pick<ActiveRuns, "track">;
  runs: Pick<Runs, "resume">;
};

/** What became of a question whose time is over. */
export type Expiry = "over" | "postponed";

/** What people say to executions, and what holds when nobody says anything. */
export class HumanAnswers {
  readonly #ports: HumanAnswersPorts;
  /** Questions whose time is over and whose agents cannot be read: told once. */
  readonly #postponed = new Set<string>();

  constructor(ports: HumanAnswersPorts) {
    this.#ports = ports;
  }

  /**
   * Answers what an execution, or one that it delegated to, asks; it continues, and with it those above that waited only
   * for it. Throws ExecutionNotFound, AnswerMisfit, NotWaiting where the question is not open (any more), and
   * AgentUnreadable where one of those could not continue: the question stays open.
   */
  async give(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    const { executions, requests, runs } = this.#ports;
    const { execution: asked } = await requireExecution(executions, id);
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
    const { execution, request } = await requireExecution(executions, open.executionId);
    await this.#requireAgents(execution);
    const answered = await new Journal(execution, this.#ports).answer(requestId, answer);
    if (answered === undefined) {
      throw new NotWaiting("This answer is to an older request: ask for the pending one again");
    }
    await runs.resume({ execution: answered.execution, request });
    for (const above of answered.ancestors) {
      await runs.resume(await requireExecution(executions, above.id));
    }
  }

  /** Throws AgentUnreadable where an execution, or one above it that waits for it, has an agent that cannot be read. */
  async #requireAgents(asking: Execution): Promise<void> {
    const { agents, executions } = this.#ports;
    for (let one = asking;;) {
      const agent = agents.find(one.agentId);
      if (agent instanceof AgentUnreadable) throw agent;
      if (one.parentExecutionId === null) return;
      ({ execution: one } = await requireExecution(executions, one.parentExecutionId));
      if (one.status !== "waiting") return;
    }
  }

  /**
   * Lets an execution continue without an answer, as its time is over; `postponed` where its agent, or one above it, cannot be
   * read now. Rejects when that cannot be stored.
   */
  async expire({ executionId, requestId }: HumanRequest): Promise<Expiry> {
    try {
      const answered = this.give(executionId, { requestId, answer: { expired: true } });
      // It is about to run.
      await this.#ports.active.track(answered);
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
