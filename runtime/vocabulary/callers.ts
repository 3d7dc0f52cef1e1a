// Defines the senders of requests and answers, and the questions that a program may answer.
import type { Role } from "./rights.ts";
import { ASK_USER, SIGN_IN } from "./tool_vocabulary.ts";

/** The channels that a client of the API can name. A `program` may be a model, which does not answer for a person. */
export const CLIENT_PLACES = ["terminal", "page", "editor", "program"] as const;

/** The channel of a request or answer. `api` is a client that does not name its channel. */
export type AnswerPlace = typeof CLIENT_PLACES[number] | "link" | "chat" | "mail" | "api";

/** The sender of a request. */
export interface Caller {
  via: AnswerPlace;
  /** The name of the person or of the key. Absent for an unknown person. */
  name?: string;
  /** The name of the named key that sent the request. */
  key?: string;
  /** The role, which limits the rights. Absent: all rights. */
  role?: Role;
  /** The ids of the only agents that the sender may see. Absent: all agents. */
  agents?: readonly string[];
  /** The IP address of the client. Absent on the socket and in this process. */
  address?: string;
  /** True for the key of the whole service, which may have several users. */
  isSingleKey?: true;
}

/** The header in which a client names its channel. */
export const PLACE_HEADER = "x-inkling-via";

/**
 * Returns true if a program may answer the question: a question of ask_user, or with `respond` also an approval. A sign-in
 * needs a person in any case.
 */
export function mayProgramAnswer(
  { toolName, isGuard, raise }: { toolName: string; isGuard?: boolean; raise?: unknown },
  { respond }: { respond: boolean },
): boolean {
  if (toolName === SIGN_IN) return false;
  return respond || (toolName === ASK_USER && isGuard !== true && raise === undefined);
}
