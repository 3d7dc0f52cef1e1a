// Handles answers to waiting executions: finds the question, checks and stores the answer, and resumes the executions. A
// question with an expired deadline is answered in the same way.
import type { JsonObject } from "../../../base/json.ts";
import { requireExecution, type StoredRun } from "../record/execution_reads.ts";
import {
  AnswerForbidden,
  fitAnswer,
  type GivenResponse,
  type HumanAnswer,
  type HumanRequest,
  isSameSignIn,
  NotWaiting,
  toAuditDetail,
} from "../human_request.ts";
import type { Announcer } from "./announcer.ts";
import type { AwaitedAgents } from "./awaited_agents.ts";
import type { PartialApproval } from "../approvals.ts";
import type { Execution } from "../execution.ts";
import type { JournalPorts } from "../record/journal_ports.ts";
import { toRecordedAnswer } from "../record/recorded_answer.ts";
import { AgentUnreadable } from "../refusals.ts";
import type { ActiveRuns } from "./active_runs.ts";
import { mayProgramAnswer } from "../../vocabulary/callers.ts";
import { SIGN_IN } from "../../vocabulary/tool_vocabulary.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import type { Runs } from "./runs.ts";

// Loaded with the first answer, which makes the start of a service faster.
const loadRequiredSignIn = lazyModule(() => import("./required_sign_in.ts"));
const loadEditedCall = lazyModule(() => import("./edited_call.ts"));

type Ports =
  & JournalPorts
  & Pick<
    RunnerPorts,
    "executions" | "openTools" | "settings" | "openCredentials"
  >
  & {
    agents: Pick<AwaitedAgents, "find">;
    announcer: Pick<Announcer, "waiting">;
    active: Pick<ActiveRuns, "stopping">;
    runs: Pick<Runs, "resume">;
  };

const OLDER_REQUEST = "This answer is to an older request: ask for the pending one again";

/** Stores people's answers. An expired question gets its answer here, too. */
export class HumanAnswers {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Answers the open question of an execution or of its descendant. The asking execution continues, and so do the ancestors
   * that waited only for it. Throws ExecutionNotFound, AnswerMisfit, ArgumentsNotChecked, and NotWaiting if the question is
   * not open. Throws AnswerForbidden if a program must not answer it, and AgentUnreadable if one of the agents cannot
   * continue; the question then stays open. The answer to a question about a sign-in is the answer of all runs that wait for
   * the same sign-in.
   */
  async give(id: number, response: GivenResponse): Promise<PartialApproval | undefined> {
    const { open, partial } = await this.#giveOne(id, response);
    if (open.toolName !== SIGN_IN || "expired" in response.answer) return partial;
    const signIns = await this.#ports.requests.readSignIns();
    for (const { executionId, requestId } of signIns.filter((one) => isSameSignIn(one, open))) {
      try {
        await this.#giveOne(executionId, { ...response, requestId });
      } catch (error) {
        // The question was answered meanwhile, or stays open until the agent's file can be read.
        if (!(error instanceof NotWaiting || error instanceof AgentUnreadable)) throw error;
      }
    }
    return undefined;
  }

  /** Answers one question and returns it. If other people must approve, returns the approvals so far, too. */
  async #giveOne(
    id: number,
    response: GivenResponse,
  ): Promise<{ open: HumanRequest; partial?: PartialApproval }> {
    const { announcer, executions, requests, runs } = this.#ports;
    const { open, answer, execution, request } = await this.#check(id, response);
    const answering = {
      ...open,
      ...(response.by && { by: response.by }),
      audit: response.audit &&
        { ...response.audit, detail: toAuditDetail(open.toolName, answer) },
    };
    const recorded = toRecordedAnswer(answering, answer, this.#ports);
    const answered = await requests.answerRequest(execution.id, recorded);
    if (answered === undefined) throw new NotWaiting(OLDER_REQUEST);
    if ("needed" in answered) {
      // Other people see the new arguments only in a new question.
      if (answered.request.requestId !== open.requestId) {
        announcer.waiting(execution, answered.request);
      }
      return { open, partial: answered };
    }
    await runs.resume({ execution: answered.execution, request });
    for (const above of answered.ancestors) {
      await runs.resume(await requireExecution(executions, above.id));
    }
    return { open };
  }

  /** Returns the open question with edited arguments, for a preview. Throws as give() does. Changes nothing. */
  async edited(
    id: number,
    { requestId, args }: { requestId: string; args: JsonObject },
  ): Promise<HumanRequest> {
    const answer = { approved: true, arguments: args };
    const { open, answer: checked } = await this.#check(id, { requestId, answer });
    const edit = "approved" in checked ? checked.arguments : undefined;
    return edit === undefined ? open : { ...open, toolArgs: edit };
  }

  /** Returns the open question, and the checked answer that will be stored. */
  async #check(
    id: number,
    response: GivenResponse,
  ): Promise<StoredRun & { open: HumanRequest; answer: HumanAnswer }> {
    const { agents, executions, requests, redactor } = this.#ports;
    const asked = await requireExecution(executions, id);
    const open = await requests.readOpenRequest(id, response.requestId);
    if (open === undefined) {
      throw new NotWaiting(
        asked.execution.status === "waiting"
          ? OLDER_REQUEST
          : "This execution does not wait for an answer",
      );
    }
    if (
      response.by?.via === "program" && !mayProgramAnswer(open, this.#ports.settings.config.expose)
    ) {
      throw new AnswerForbidden();
    }
    if (open.toolName === SIGN_IN && "approved" in response.answer && response.answer.approved) {
      const { requireSignIn } = await loadRequiredSignIn();
      await requireSignIn(String(open.toolArgs["server"]), await this.#ports.openCredentials());
    }
    const fitting = fitAnswer(open, response.answer, redactor);
    const { execution, request } = open.executionId === id
      ? asked
      : await requireExecution(executions, open.executionId);
    await this.#requireAgents(execution);
    const agent = agents.find(execution);
    const answer = agent === undefined || agent instanceof AgentUnreadable
      ? fitting
      : await (await loadEditedCall()).checkEditedCall(
        open,
        { answer: fitting, agent },
        this.#ports,
      );
    // The last person approves the arguments that an earlier one has changed.
    const isOfEdit = open.originalArgs !== undefined && "approved" in answer && answer.approved;
    return {
      ...{ execution, request, open },
      answer: isOfEdit ? { arguments: open.toolArgs, ...answer } : answer,
    };
  }

  /** Throws AgentUnreadable if the agent of the asking execution, or of an ancestor that waits for it, cannot be read. */
  async #requireAgents(asking: Execution): Promise<void> {
    const { agents, executions } = this.#ports;
    for (let one = asking;;) {
      const agent = agents.find(one);
      if (agent instanceof AgentUnreadable) throw agent;
      if (one.parentExecutionId === null) return;
      ({ execution: one } = await requireExecution(executions, one.parentExecutionId));
      if (one.status !== "waiting") return;
    }
  }
}
