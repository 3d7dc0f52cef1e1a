// The rule of an agent about the people who approve its calls: their names or roles, and their number.
import { isRole } from "./rights.ts";

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
}

/** Returns the people who may answer, such as `anna, bob or a person with the role admin`. */
export function describeApprovers({ approvers, starter, excludesStarter }: ApprovalRule): string {
  const words = approvers?.map((one) => isRole(one) ? `people with the role ${one}` : one);
  const list = words?.join(", ") ?? "people with a name";
  if (!excludesStarter) return list;
  return `${list}, without the person who started the run${
    starter === undefined ? "" : ` (${starter})`
  }`;
}
