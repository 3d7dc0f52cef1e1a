// The questions of executions to people, and their answers.
import { toTimestamp } from "../../base/clock.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AuditEntry } from "../audit/audit_table.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { ApprovalRule } from "../vocabulary/approval_rule.ts";
import type { RequestedRaise } from "./budget.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";
import type { HumanAnswer, ToolQuestion } from "../tools/definition/tool.ts";
import type { Caller } from "../vocabulary/callers.ts";

export type { HumanAnswer } from "../tools/definition/tool.ts";

/** An open question. Times are milliseconds since the epoch. */
export interface HumanRequest extends ToolQuestion {
  /** The opaque id of the question. An answer contains this id, so that an older answer cannot reach a newer question. */
  requestId: string;
  executionId: number;
  /** The position of the call's result in the conversation. */
  position: number;
  toolName: string;
  toolArgs: JsonObject;
  createdAt: number;
  /** The time at which the question counts as denied. Null if the question has no deadline. */
  expiresAt: number | null;
  /** Set if Inkling asks for permission to run the call. Absent if the tool itself asks. */
  isGuard?: true;
  /** The budget raise that an approval allows. Present only if the question is about a budget. */
  raise?: RequestedRaise;
  /** The rule for the people who answer, as it was when the question was asked. Absent: anybody may answer. */
  rule?: ApprovalRule;
  /** The names of the people who have approved the call. Absent if nobody has. */
  approvedBy?: readonly string[];
  /** The model's arguments, if a person who approved the call has changed them. */
  originalArgs?: JsonObject;
}

/** Returns true if a sign-in to the same server answers both questions. */
export function isSameSignIn(
  one: Pick<HumanRequest, "toolName" | "toolArgs">,
  other: Pick<HumanRequest, "toolName" | "toolArgs">,
): boolean {
  return one.toolName === SIGN_IN && other.toolName === SIGN_IN &&
    one.toolArgs["server"] === other.toolArgs["server"];
}

/** An answer with its question. */
export interface GivenAnswer {
  request: Pick<HumanRequest, keyof ToolQuestion | "isGuard"> & Partial<HumanRequest>;
  answer: HumanAnswer;
}

/** An answer to an open question. `by` is absent if the channel is unknown. */
export interface GivenResponse {
  requestId: string;
  answer: HumanAnswer;
  by?: Caller;
  /** The entry of the audit. Absent if nobody answers. */
  audit?: AuditEntry | undefined;
}

/** Error: the answer does not fit its question. The message contains the reason. */
export class AnswerMisfit extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/** Error: the execution has no open question, or the answer belongs to an earlier question. */
export class NotWaiting extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** Error: a program must not answer this question, because its answer would count as a person's approval. */
export class AnswerForbidden extends RuntimeError {
  override readonly code: RuntimeErrorCode = "forbidden";
  constructor() {
    super(
      "A person must answer this question: a program may not approve calls, budgets or sign-ins. " +
        "config.yaml allows programs to approve calls and budgets with expose: { respond: true }",
    );
  }
}

/** Error: edited arguments cannot be checked now, because the agent's tools are unavailable. */
export class ArgumentsNotChecked extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** Throws AnswerMisfit if the answer has another kind than the question or selects an option that was not offered. */
export function checkAnswer(question: ToolQuestion, answer: HumanAnswer): void {
  const { kind, options, multi } = question;
  if ("expired" in answer) return;
  if (kind === "confirm" && !("approved" in answer)) {
    throw new AnswerMisfit("This request wants `approved`: true or false");
  }
  if (kind === "input" && !("text" in answer)) {
    throw new AnswerMisfit("This request wants `text`");
  }
  if (kind !== "choice") return;
  const offered = options ?? [];
  const list = offered.map((option) => JSON.stringify(option)).join(", ");
  if (!("selected" in answer)) {
    throw new AnswerMisfit(`This request wants \`selected\`: of ${list}`);
  }
  const strange = answer.selected.find((one) => !offered.includes(one));
  if (strange !== undefined) {
    throw new AnswerMisfit(`${JSON.stringify(strange)} is not among the options: ${list}`);
  }
  const twice = answer.selected.find((one, index) => answer.selected.indexOf(one) < index);
  if (twice !== undefined) throw new AnswerMisfit(`${JSON.stringify(twice)} is selected twice`);
  if (answer.selected.length === 0) throw new AnswerMisfit(`Select at least one of ${list}`);
  if (!multi && answer.selected.length > 1) {
    throw new AnswerMisfit(`Select one of ${list}, not ${answer.selected.length}`);
  }
}

/**
 * Checks an answer and returns the answer to store: redacted options are replaced by the question's own options. Options
 * that are not redacted are accepted, too. Throws AnswerMisfit as checkAnswer() does, with a redacted message.
 */
export function fitAnswer(
  question: ToolQuestion,
  answer: HumanAnswer,
  redactor: Pick<Redactor, "redact">,
): HumanAnswer {
  const own = question.options ?? [];
  const shown = own.map((option) => redactor.redact(option));
  const places = "selected" in answer
    ? answer.selected.map((one) => own.includes(one) ? own.indexOf(one) : shown.indexOf(one))
    : [];
  const shownAnswer = "selected" in answer
    ? { selected: answer.selected.map((one, i) => shown[places[i] ?? -1] ?? redactor.redact(one)) }
    : answer;
  checkAnswer({ ...question, options: question.options && shown }, shownAnswer);
  return "selected" in answer ? { selected: places.flatMap((place) => own[place] ?? []) } : answer;
}

/** Returns the detail of an answer for the audit: without texts, which may be private. */
export function toAuditDetail(toolName: string, answer: HumanAnswer): JsonObject {
  return {
    tool: toolName,
    ...("approved" in answer && { approved: answer.approved }),
    ...("approved" in answer && answer.arguments !== undefined && { changedArguments: true }),
  };
}

/** Returns the text that the log shows for an answer. */
export function describeAnswer(answer: HumanAnswer): string {
  if ("expired" in answer) return "No answer in time";
  if ("text" in answer) return answer.text;
  if ("selected" in answer) return answer.selected.join(", ");
  const verdict = answer.approved ? "Approved" : "Denied";
  const said = answer.reason === undefined || answer.reason === ""
    ? verdict
    : `${verdict}: ${answer.reason}`;
  if (answer.arguments === undefined) return said;
  const lines = Object.entries(answer.arguments).map(([name, value]) => {
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return `  ${name}: ${shown.replaceAll("\n", "\n    ")}`;
  });
  return [said, "With other arguments:", ...lines].join("\n");
}

/** Returns the tool result that the model reads after a guarded call was denied. */
export function describeDenial(answer: HumanAnswer): string {
  if ("expired" in answer) return "Action denied by user (timeout)";
  const reason = "approved" in answer ? answer.reason : undefined;
  return `Action denied by user${reason === undefined || reason === "" ? "" : `: ${reason}`}`;
}

/**
 * Returns the text for the model about a remark or edited arguments in an approval. It is appended to the call's result.
 * Undefined for an approval without either.
 */
export function describeApproval({ request, answer }: GivenAnswer): string | undefined {
  if (!("approved" in answer && answer.approved)) return undefined;
  const { reason, arguments: args } = answer;
  const lines = [
    ...(args === undefined
      ? []
      : [describeEdit(request.originalArgs ?? request.toolArgs ?? {}, args)]),
    ...(reason === undefined || reason === ""
      ? []
      : [`The user approved this and said: ${reason}`]),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** The maximum length in characters of an edited value that the model reads. */
const REPEATED_CHARACTERS = 1_000;

function describeEdit(asked: JsonObject, given: JsonObject): string {
  // Compared as JSON, because a comparison by node:util would load that module at every start.
  const isChanged = (name: string) => JSON.stringify(asked[name]) !== JSON.stringify(given[name]);
  const changed = Object.entries(given).filter(([name]) => isChanged(name)).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name} = ${
      text.length <= REPEATED_CHARACTERS ? text : `a value of ${text.length} characters`
    }`;
  });
  const left = Object.keys(asked).filter((name) => !Object.hasOwn(given, name));
  const list = [...changed, ...left.map((name) => `${name} left out`)].join(", ");
  return `The user changed the arguments of this call before it ran: ${list}`;
}

/** Returns the request's fields for frames, streams and the pending endpoint. */
export function requestFields(request: HumanRequest): Record<string, unknown> {
  return {
    request_id: request.requestId,
    kind: request.kind,
    tool_name: request.toolName,
    tool_args: request.toolArgs,
    options: request.options,
    multi: request.multi,
    created_at: toTimestamp(request.createdAt),
    expires_at: request.expiresAt === null ? null : toTimestamp(request.expiresAt),
  };
}
