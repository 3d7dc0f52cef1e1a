// Answers to executions that wait: whose question one is to, whether it fits, and who continues with it. The end of a
// question's time is an answer, too.
import type { JsonObject } from "../../../base/json.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import {
  type ExecutionReads,
  requireExecution,
  type StoredRun,
} from "../record/execution_reads.ts";
import {
  fitAnswer,
  type GivenResponse,
  type HumanAnswer,
  type HumanRequest,
  NotWaiting,
} from "../human_request.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { Execution } from "../execution.ts";
import { Journal } from "../record/journal.ts";
import type { JournalPorts } from "../record/journal_ports.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { ActiveRuns } from "./active_runs.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { RunPorts } from "../loop/prepare.ts";
import type { Runs } from "./runs.ts";

// Loaded with the first answer.
const loadEditedCall = lazyModule(() => import("./edited_call.ts"));

/** What answers are taken with. */
export type HumanAnswersPorts = JournalPorts & {
  serviceLog: ServiceLog;
  executions: Pick<ExecutionReads, "readExecution">;
  agents: Pick<AwaitedAgents, "find">;
  active: Pick<ActiveRuns, "track" | "stopping">;
  openTools: RunPorts["openTools"];
  runs: Pick<Runs, "resume">;
};

const OLDER_REQUEST = "This answer is to an older request: ask for the pending one again";

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
   * for it. Throws ExecutionNotFound, AnswerMisfit, ArgumentsNotChecked, NotWaiting where the question is not open (any more), and
   * AgentUnreadable where one of those could not continue: the question stays open.
   */
  async give(id: number, response: GivenResponse): Promise<void> {
    const { executions, runs } = this.#ports;
    const { open, answer, execution, request } = await this.#check(id, response);
    const answered = await new Journal(execution, this.#ports).answer({
      ...open,
      ...(response.via && { via: response.via }),
    }, answer);
    if (answered === undefined) throw new NotWaiting(OLDER_REQUEST);
    await runs.resume({ execution: answered.execution, request });
    for (const above of answered.ancestors) {
      await runs.resume(await requireExecution(executions, above.id));
    }
  }

  /** The question as it would be of the call with these arguments. Throws as `give` does; changes nothing. */
  async edited(
    id: number,
    { requestId, args }: { requestId: string; args: JsonObject },
  ): Promise<HumanRequest> {
    const answer = { approved: true, arguments: args };
    const { open, answer: checked } = await this.#check(id, { requestId, answer });
    const edit = "approved" in checked ? checked.arguments : undefined;
    return edit === undefined ? open : { ...open, toolArgs: edit };
  }

  /** The open question, and the answer as it is stored. */
  async #check(
    id: number,
    response: GivenResponse,
  ): Promise<StoredRun & { open: HumanRequest; answer: HumanAnswer }> {
    const { agents, executions, requests, redactor } = this.#ports;
    const { execution: asked } = await requireExecution(executions, id);
    const open = await requests.readOpenRequest(id, response.requestId);
    if (open === undefined) {
      throw new NotWaiting(
        asked.status === "waiting" ? OLDER_REQUEST : "This execution does not wait for an answer",
      );
    }
    const fitting = fitAnswer(open, response.answer, redactor);
    const { execution, request } = await requireExecution(executions, open.executionId);
    await this.#requireAgents(execution);
    const agent = agents.find(execution.agentId);
    const answer = agent === undefined || agent instanceof AgentUnreadable
      ? fitting
      : await (await loadEditedCall()).checkEditedCall(
        open,
        { answer: fitting, agent },
        this.#ports,
      );
    return { execution, request, open, answer };
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
