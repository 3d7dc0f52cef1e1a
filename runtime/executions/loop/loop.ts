// The agent loop: runs open calls, asks the model and checks the reply, until the run ends or a person must answer.
import type { Agent } from "../../agents/agent.ts";
import type { AssistantMessage, ToolCall } from "../../models/message.ts";
import { ModelError, type ModelReply } from "../../models/model.ts";
import { ReplyTimeout } from "../../models/calls/retry.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { describeBudget } from "../budget.ts";
import { BudgetExceeded } from "../budget/budget_gate.ts";
import {
  BUDGET_TOOL,
  budgetOutcome,
  readBudgetAnswer,
  toBudgetQuestion,
} from "../budget/budget_question.ts";
import { LIMITS, NO_ANSWERS } from "../../vocabulary/end_reason.ts";
import type { Execution } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import { askForRepair, findFaults, toFitOutcome } from "./fit_answer.ts";
import { LoopDetector } from "./loop_detection.ts";
import { modelFailure } from "./failure.ts";
import { type Run, RunStopped } from "./run.ts";
import { type CallPause, type OpenQuestion, settleToolCalls } from "./tool_calls.ts";
import { ReplyCut, takeTurn } from "./turn.ts";
import type { RunSettings } from "../../config/agent_settings.ts";

const loadWrittenCall = lazyModule(() => import("./written_call.ts"));
const loadRepair = lazyModule(() => import("./repair_calls.ts"));

/**
 * Runs the agent until the run has an outcome, rests, or waits for a person's answer to its own question or to a child's.
 * Continues from the stored conversation. Every step is stored before the next one begins. Throws only for bugs and
 * failures of the store.
 */
export async function runLoop(run: Run): Promise<Outcome | CallPause> {
  try {
    const detector = new LoopDetector();
    const step = { isPriceMissed: false };
    for (let figures = run.execution;;) {
      run.signal.throwIfAborted();
      const last = run.conversation.lastReply();
      if (last !== undefined && isLast(last.message)) {
        const judged = judgeAnswer(last.message, { agent: run.agent, figures });
        if (run.format === undefined && judged.status === "success") {
          return await judgeText(run, last.message) ?? judged;
        }
        if (run.format === undefined || !isWhole(last.message)) return judged;
        const { content } = last.message;
        const faults = await findFaults(content, run.format, run);
        if (faults.length === 0 || run.conversation.isRepaired) {
          return toFitOutcome(content, faults);
        }
        const limit = findCrossedLimit(figures, run.agent.settings);
        if (limit !== undefined) return { status: "aborted", error: limit, output: null };
        await askForRepair(run, faults);
      }
      const open = run.conversation.openCalls();
      if (open.length > 0) {
        // A reply that crosses a limit is accepted if it is the answer. If it has calls instead, they are refused.
        const crossed = findCrossedLimit(figures, run.agent.settings);
        if (crossed !== undefined) return refuseCalls(open, crossed);
        const pause = await settleToolCalls(run, open);
        if (pause !== undefined) return pause;
      }
      const circle = detector.observe(run.conversation.messages());
      if (circle !== undefined && run.agent.settings.loopDetection) {
        return { status: "aborted", error: LIMITS.loop_detected(circle), output: null };
      }
      const denied = readBudgetAnswer(run.answers.get(run.conversation.nextPosition));
      if (denied !== undefined) return denied;
      await run.renewTools?.();
      figures = await takeStep(run, step) ?? figures;
    }
  } catch (error) {
    if (error instanceof BudgetExceeded) return budgetPause(run, error);
    return toOutcome(error);
  }
}

/** Returns the outcome of a run that crossed a limit before these calls of the last reply started. */
function refuseCalls({ length: refusedCalls }: readonly unknown[], error: string): Outcome {
  return { status: "aborted", error, output: null, refusedCalls };
}

/** Returns the question to a person, or the run's outcome, if a model call does not fit into a budget. */
function budgetPause(
  { agent, conversation }: Run,
  exceeded: BudgetExceeded,
): Outcome | OpenQuestion {
  if (agent.onBudget === "abort") return budgetOutcome(describeBudget(exceeded.budget));
  // The question gets the position of the missing reply. No call has this position, so the answer is not mistaken for the
  // answer to a call.
  const call = { position: conversation.nextPosition, name: BUDGET_TOOL };
  return { call, ...toBudgetQuestion(exceeded, agent) };
}

/**
 * Requests and stores one reply. Returns the execution with its new figures, or undefined if the reply ends the run and is
 * stored with the end.
 */
async function takeStep(
  run: Run,
  step: { isPriceMissed: boolean },
): Promise<Execution | undefined> {
  const received = run.keyRedactor.redactValue(
    await run.telemetry.modelCall(run, () => takeTurn(run)),
  );
  const reply = await withRepairedCalls(run, await withWrittenCalls(run, received));
  const message = { ...reply.message, stop: reply.stop };
  const position = run.conversation.nextPosition;
  const costUsd = await run.costOf(run.agent, reply, run.model.id);
  if (costUsd !== null && costUsd > 0) run.telemetry.cost(run, costUsd);
  const { maxCostUsd } = run.agent.settings;
  const isPriceMissed = costUsd === null && maxCostUsd !== null && !step.isPriceMissed;
  const reason = reply.usage === null
    ? `${run.model.id} reports no token counts`
    : `No price is known for ${run.model.id}`;
  const warning = `${reason}: max_cost_usd does not hold`;
  if (isPriceMissed) {
    step.isPriceMissed = true;
    run.warn(warning);
  }
  const figures = await run.journal.reply(reply, {
    position,
    costUsd,
    terms: await run.terms(),
    ...(isPriceMissed && { warning }),
    // A reply to check against a schema, or one that may contain a written call, may not be the last one.
    isLast: run.format === undefined && isLast(message) && !BEGINS_LIKE_CALL.test(message.content),
  });
  run.conversation.add({ position, message });
  return figures;
}

/** Matches a reply that may be a call written as text. Other replies are not parsed. */
const BEGINS_LIKE_CALL = /^\s*(?:<(?:tool_call|function|invoke)|```|\[?\s*\{)/;

async function withWrittenCalls(run: Run, reply: ModelReply): Promise<ModelReply> {
  const { message } = reply;
  const isText = message.toolCalls.length === 0 && isWhole({ ...message, stop: reply.stop });
  if (run.format !== undefined || !isText || !BEGINS_LIKE_CALL.test(message.content)) return reply;
  const { convertWrittenCalls } = await loadWrittenCall();
  return await convertWrittenCalls(run, reply);
}

/** Returns the reply with repaired tool calls. Does nothing for calls of existing tools without quoted numbers. */
async function withRepairedCalls({ toolbox }: Run, reply: ModelReply): Promise<ModelReply> {
  const { message } = reply;
  const { toolCalls } = message;
  const mayNeed = ({ name, arguments: args }: ToolCall) =>
    toolbox.get(name) === undefined || QUOTED_SCALAR.test(args);
  if (!toolCalls.some(mayNeed)) return reply;
  const { repairCall } = await loadRepair();
  return {
    ...reply,
    message: { ...message, toolCalls: toolCalls.map((one) => repairCall(one, toolbox)) },
  };
}

/** Matches arguments that may contain a number or boolean as text. */
const QUOTED_SCALAR = /"(?:-?\d[\d.eE+-]*|true|false)"/i;

async function judgeText(run: Run, message: AssistantMessage): Promise<Outcome | undefined> {
  if (!BEGINS_LIKE_CALL.test(message.content)) return undefined;
  const { judgeWrittenCall } = await loadWrittenCall();
  return judgeWrittenCall(run, message);
}

/** The maximum length in characters of a model's refusal in the run's error. */
const MAX_REFUSAL_LENGTH = 600;

/** Returns true if a reply ends the run. The calls of a reply that the provider cut off are ignored. */
function isLast({ toolCalls, stop }: AssistantMessage): boolean {
  return toolCalls.length === 0 || stop === "content_filter" || stop === "refusal";
}

/** Returns true if the model completed its answer. */
function isWhole({ stop }: AssistantMessage): boolean {
  return stop !== "length" && stop !== "content_filter" && stop !== "refusal" &&
    stop !== "unclosed_thought";
}

/** Returns the run's outcome for its last reply. */
function judgeAnswer(
  { content, stop }: AssistantMessage,
  { agent, figures }: { agent: Agent; figures: Execution },
): Outcome {
  const failed = (error: string): Outcome => ({ status: "error", error, output: null });
  if (stop === "length") {
    const error = LIMITS.max_tokens(agent.settings.maxTokens);
    return { status: "aborted", error, output: content.trim() === "" ? null : content };
  }
  if (stop === "content_filter") return failed(NO_ANSWERS.content_filter);
  if (stop === "unclosed_thought") return failed(NO_ANSWERS.unclosed_thought);
  if (stop === "refusal") {
    const words = toPlainLine(content, MAX_REFUSAL_LENGTH);
    return failed(`${NO_ANSWERS.refusal}${words === "" ? "" : `: ${words}`}`);
  }
  if (content.trim() !== "") return { status: "success", error: null, output: content };
  // A reply without text is an answer if the run made calls, because many agents end silently after their work.
  if (figures.toolCalls > 0) return { status: "success", error: null, output: "" };
  return failed(NO_ANSWERS.empty_reply);
}

function toOutcome(error: unknown): Outcome {
  if (error instanceof ReplyCut) {
    const output = error.text.trim() === "" ? null : error.text;
    return { ...toOutcome(error.reason), output, cut: error.used };
  }
  if (error instanceof RunStopped) return error.outcome;
  if (error instanceof ReplyTimeout) {
    return { status: "timeout", error: error.message, output: null };
  }
  if (error instanceof ModelError) return modelFailure(error);
  throw error;
}

/** Returns the error for the first crossed limit of the agent. Undefined if no limit is crossed. */
function findCrossedLimit(figures: Execution, settings: RunSettings): string | undefined {
  const { maxToolCalls, maxExecutionTokens, maxCostUsd } = settings;
  if (maxToolCalls !== null && figures.toolCalls > maxToolCalls) {
    return LIMITS.max_tool_calls(figures.toolCalls, maxToolCalls);
  }
  const tokens = figures.totalTokens ?? 0;
  if (maxExecutionTokens !== null && tokens > maxExecutionTokens) {
    return LIMITS.max_execution_tokens(tokens, maxExecutionTokens);
  }
  const cost = figures.costUsd ?? 0;
  if (maxCostUsd !== null && cost > maxCostUsd) {
    return LIMITS.max_cost_usd(cost, maxCostUsd);
  }
  return undefined;
}
