// The rule of an agent about the people who approve its calls: their names or roles, and their number.
import { HOUR_MS } from "../../base/time_units.ts";
import type { Caller } from "./callers.ts";
import type { Person } from "./persons.ts";
import { isRole, type Role, ROLE_NAMES } from "./rights.ts";

/** The time after a question at which people are reminded, and stand-ins may answer. In milliseconds. */
export const REMINDER_MS = HOUR_MS;

/** A rule about the people who answer questions about calls. It is stored with each question. */
export interface ApprovalRule {
  /** The names of people and roles. A higher role counts, too. Absent: everybody with a name. */
  approvers?: readonly string[];
  /** The number of different people who must approve a call. */
  approvals: number;
  /** Set if the person who started the run may not answer. */
  excludesStarter?: true;
  /** The name of this person. Absent if it is not known. */
  starter?: string;
  /** The people who may answer in place of approvers, from a time in milliseconds since 1970. */
  standIns?: { names: readonly string[]; from: number };
}

/** Returns the rule of an agent. Undefined if everybody may approve its calls. */
export function approvalRuleOf({ approvers, approvals, excludeStarter }: {
  approvers: readonly string[] | undefined;
  approvals: number;
  excludeStarter: boolean;
}): ApprovalRule | undefined {
  if (approvers === undefined && approvals === 1 && !excludeStarter) return undefined;
  return {
    ...(approvers !== undefined && { approvers }),
    approvals,
    ...(excludeStarter && { excludesStarter: true }),
  };
}

/** Returns the rule of a question that is asked now, with the stand-ins of the approvers. */
export function withStandIns(
  rule: ApprovalRule,
  { people, now }: { people: readonly Person[]; now: number },
): ApprovalRule {
  const names = people.flatMap(({ name, standIn }) =>
    standIn !== undefined && rule.approvers?.includes(name) ? [standIn] : []
  );
  return names.length === 0 ? rule : { ...rule, standIns: { names, from: now + REMINDER_MS } };
}

/** Returns the name of a sender who may answer a question with this rule at a time, or undefined. */
export function findApprover(rule: ApprovalRule, by: Caller, now: number): string | undefined {
  const { approvers, standIns, starter } = rule;
  const { via, name } = by;
  if (via === "program" || via === "link" || name === undefined || name === starter) return;
  // A member of a chat may be called like a role, which gives nobody the role.
  const isListed = approvers?.some((one) => isRole(one) ? hasRole(by, one) : one === name) ?? true;
  const isStandIn = standIns !== undefined && now >= standIns.from && standIns.names.includes(name);
  return isListed || isStandIn ? name : undefined;
}

/**
 * Returns true if a sender has this role or a higher one. The socket and this process have all of them, a chat and a mail
 * none.
 */
function hasRole({ role, via }: Caller, wanted: Role): boolean {
  if (role === undefined && (via === "chat" || via === "mail")) return false;
  return ROLE_NAMES.indexOf(role ?? "admin") >= ROLE_NAMES.indexOf(wanted);
}

/** Returns the people who may answer, such as `anna, bob, people with the role admin`. */
export function describeApprovers(
  { approvers, starter, excludesStarter, standIns }: ApprovalRule,
): string {
  const words = approvers?.map((one) => isRole(one) ? `people with the role ${one}` : one);
  const later = standIns === undefined
    ? ""
    : `, and after an hour for ${standIns.names.join(", ")}`;
  const list = (words?.join(", ") ?? "people with a name") + later;
  if (!excludesStarter) return list;
  return `${list}, without the person who started the run${
    starter === undefined ? "" : ` (${starter})`
  }`;
}
