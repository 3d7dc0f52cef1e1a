// The table of rights that people can have. Schemas, docs and messages are made from it.

/** The rights by the names that `may` lists, with their meanings in words. */
export const RIGHTS = {
  chat: "talk with the agent of the chat",
  answer: "answer the questions of agents, and read their messages",
  start: "start and choose other agents, and cancel runs",
} as const;

/** The name of a right. */
export type Right = keyof typeof RIGHTS;

/** The names of all rights. */
export const RIGHT_NAMES = Object.keys(RIGHTS) as [Right, ...Right[]];

/** Returns all rights with their meanings as one clause. */
export function describeRights(): string {
  return Object.entries(RIGHTS).map(([name, meaning]) => `\`${name}\`: ${meaning}`).join("; ");
}
