// Counts the approvals of a call, and refuses answers of people who may not approve it.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { type ApprovalRule, describeApprovers } from "../vocabulary/approval_rule.ts";
import type { Caller } from "../vocabulary/callers.ts";
import { isRole, ROLE_NAMES } from "../vocabulary/rights.ts";
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
export function requireApprover(rule: ApprovalRule, by: Caller | undefined): string {
  const name = by?.via === "program" || by?.via === "link" ? undefined : by?.name;
  if (by !== undefined && name !== undefined && name !== rule.starter) {
    if (rule.approvers?.some((one) => one === name || hasRole(by, one)) ?? true) return name;
  }
  const remedy = name !== undefined
    ? ""
    : by?.via === "program"
    ? "; a program does not count"
    : by?.via === "link"
    ? "; a link has no name: sign in to the page with your own key"
    : "; this key has no name: use your own key, which `inkling key add` makes";
  throw new ApproverForbidden(`This question is for ${describeApprovers(rule)}${remedy}`);
}

/** Returns true if a sender has this role or a higher one. The socket and this process have all of them, a chat and a mail none. */
function hasRole({ role, via }: Caller, wanted: string): boolean {
  if (!isRole(wanted) || (role === undefined && (via === "chat" || via === "mail"))) return false;
  return ROLE_NAMES.indexOf(role ?? "admin") >= ROLE_NAMES.indexOf(wanted);
}

/**
 * Counts an answer to an open question with a rule. Returns the question with the approvals so far if more people must
 * approve; `nextId` becomes its id if the answer changes the arguments, because what others approved or see is void then.
 * Returns undefined if the answer is the last one. Throws ApproverForbidden and ApprovedBefore.
 */
export function countApproval(
  request: HumanRequest & { rule: ApprovalRule },
  { answer, by, nextId }: { answer: HumanAnswer; by: Caller | undefined; nextId: string },
): PartialApproval | undefined {
  const { rule, toolArgs, approvedBy = [], originalArgs = toolArgs } = request;
  if ("expired" in answer) return undefined;
  const name = requireApprover(rule, by);
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
