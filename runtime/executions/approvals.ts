// Counts the approvals of a call, and refuses answers of people who may not approve it.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { type ApprovalRule, describeApprovers, findApprover } from "../vocabulary/approval_rule.ts";
import type { Caller } from "../vocabulary/callers.ts";
import type { HumanAnswer, HumanRequest } from "./human_request.ts";

/** The approvals of a question that needs more. */
export interface PartialApproval {
  approvals: number;
  needed: number;
  /** The question that waits for the other people. It has a new id if a person changed the arguments. */
  request: HumanRequest;
}

/** Error: the sender of an answer is none of the people who may answer the question. */
export class ApproverForbidden extends RuntimeError {
  override readonly code: RuntimeErrorCode = "forbidden";
}

/** Error: the person has approved the call before. */
export class ApprovedBefore extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

/** Returns the name of the answer's sender. Throws ApproverForbidden if the rule does not let this sender answer. */
function requireApprover(rule: ApprovalRule, by: Caller | undefined, now: number): string {
  const found = by && findApprover(rule, by, now);
  if (found !== undefined) return found;
  const remedy = by?.via === "program"
    ? "; a program does not count"
    : by?.via === "link"
    ? "; a link has no name: sign in to the page with your own key"
    : by?.name !== undefined
    ? ""
    : by?.isSingleKey === true
    ? "; this key has no name: use your own key, which `inkling key add` makes"
    : "; your name is unknown: write it into config.yaml as service.owner, and restart the service";
  throw new ApproverForbidden(`This question is for ${describeApprovers(rule)}${remedy}`);
}

/**
 * Counts an answer to an open question with a rule. Returns the question with the approvals so far if more people must
 * approve; `nextId` becomes its id if the answer changes the arguments, because what others approved or see is void then.
 * Returns undefined if the answer is the last one. Throws ApproverForbidden and ApprovedBefore.
 */
export function countApproval(
  request: HumanRequest & { rule: ApprovalRule },
  { answer, by, nextId, at }: {
    answer: HumanAnswer;
    by: Caller | undefined;
    nextId: string;
    /** The time of the answer in milliseconds since 1970. */
    at: number;
  },
): PartialApproval | undefined {
  const { rule, toolArgs, approvedBy = [], originalArgs = toolArgs } = request;
  if ("expired" in answer) return undefined;
  const name = requireApprover(rule, by, at);
  if (!("approved" in answer) || !answer.approved) return undefined;
  const { arguments: args } = answer;
  const isEdited = args !== undefined && JSON.stringify(args) !== JSON.stringify(toolArgs);
  if (!isEdited && approvedBy.includes(name)) {
    throw new ApprovedBefore(
      `${name} has approved this call: ${rule.approvals - approvedBy.length} more of ` +
        `${describeApprovers(rule)} must approve it`,
    );
  }
  const people = isEdited ? [name] : [...approvedBy, name];
  if (people.length >= rule.approvals) return undefined;
  const next = { ...request, approvedBy: people };
  return {
    approvals: people.length,
    needed: rule.approvals,
    request: isEdited ? { ...next, requestId: nextId, toolArgs: args, originalArgs } : next,
  };
}
