// The tables of roles and rights. Checks, schemas, docs and messages are made from them.
import { escapeUnseen } from "../../base/text/unseen_characters.ts";

/** The roles with their meanings in words, least first. A role has the rights of all roles before it. */
export const ROLES = {
  viewer: "sees everything, and changes nothing",
  operator: "also runs agents, answers their questions, and controls the service",
  author: "also writes agents, which may do everything that the account of the service may do",
  admin: "also changes the service itself, its keys and its people",
} as const;
/** The name of a role. */
export type Role = keyof typeof ROLES;
/** The names of all roles, least first. */
export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]];

interface RightEntry {
  /** The least role that has the right. */
  role: Role;
  /** The meaning of the right after "lets a person". */
  meaning: string;
  /** True if the right concerns all agents, so that a key for some agents never has it. */
  isForAllAgents?: true;
}

/** The rights, each with the least role that has it. */
export const RIGHTS = {
  view: { role: "viewer", meaning: "see agents, executions and usage" },
  chat: { role: "operator", meaning: "talk with the agent of the chat" },
  answer: { role: "operator", meaning: "answer the questions of agents, and read their messages" },
  start: { role: "operator", meaning: "start and choose other agents, and cancel runs" },
  control: {
    role: "operator",
    meaning: "read the log, pause and resume triggers, raise budgets, and stop the service",
    isForAllAgents: true,
  },
  edit: {
    role: "author",
    meaning: "write agent files, allow calls for always, and change the arguments of a call",
    isForAllAgents: true,
  },
  admin: {
    role: "admin",
    meaning: "change config.yaml, MCP servers, keys and people",
    isForAllAgents: true,
  },
} as const satisfies Record<string, RightEntry>;
/** The name of a right. */
export type Right = keyof typeof RIGHTS;

/** The rights that `may` gives to people of a chat. */
export const CHAT_RIGHTS = ["chat", "answer", "start"] as const satisfies readonly Right[];
/** The name of a right that `may` gives. */
export type ChatRight = typeof CHAT_RIGHTS[number];

/** Returns the roles that have a right, least first. */
export function rolesWith(right: Right): Role[] {
  return ROLE_NAMES.slice(ROLE_NAMES.indexOf(RIGHTS[right].role));
}

/** Returns true if a sender has the right. A sender without a role has all rights, if `agents` does not narrow them. */
export function hasRight(
  { role = "admin", agents }: { role?: Role; agents?: readonly string[] },
  right: Right,
): boolean {
  const entry: RightEntry = RIGHTS[right];
  if (agents !== undefined && entry.isForAllAgents) return false;
  return ROLE_NAMES.indexOf(role) >= ROLE_NAMES.indexOf(entry.role);
}

/** Returns the rights of a chat with their meanings as one clause. */
export function describeChatRights(): string {
  return CHAT_RIGHTS.map((name) => `\`${name}\`: ${RIGHTS[name].meaning}`).join("; ");
}

/** Returns true if a value is the name of a role. */
export function isRole(value: unknown): value is Role {
  return ROLE_NAMES.some((role) => role === value);
}

/**
 * Returns true if a text can be the name of a person or key: 1 to 60 visible characters without spaces at the ends, and not
 * the name of a role. Names with an invisible difference would belong to two people.
 */
export function isPersonName(text: string): boolean {
  const isSeen = text.trim() === text && escapeUnseen(text) === text;
  return isSeen && /^[^\p{C}]{1,60}$/u.test(text) && !isRole(text);
}
