// The objects that the parts of a chat share, and the notes that they keep across restarts.
import type { Client } from "../../api/client/client.ts";
import type { ChatPerson, ChatSettings } from "../../runtime/config/chat_schema.ts";
import type { ChatRight } from "../../runtime/vocabulary/rights.ts";
import type { ChatNotes } from "../../runtime/notify/chat_notes.ts";
import type { Context } from "../../runtime/config/context.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { ChatApp, Post } from "./chat_app.ts";

/** The time for which a node claims a task that only one of several nodes performs. */
export const CLAIM_MS = MINUTE_MS;

/** The objects of one chat. */
export interface ChatPorts extends Pick<Context, "clock" | "log"> {
  /** Returns the settings in config.yaml as they are now. Undefined if the chat was removed. */
  settings(): ChatSettings | undefined;
  app: ChatApp;
  notes: ChatNotes;
  /** The client for reads. */
  client: Client;
  /** Returns a client whose runs, cancels and answers are recorded as those of a person. */
  clientOf(person: ChatPerson): Client;
  /** Calls `changed` after each change of an execution. Returns the function that ends it. */
  onChange(changed: () => void): () => void;
  /**
   * Returns the content of a file that the tools of an agent may read. `path` is as the agent writes it. Throws AppFailure
   * with `isFinal` if the agent may not read it, or if it is over `maxBytes`.
   */
  readFile(
    { agentId, path, maxBytes }: { agentId: string; path: string; maxBytes: number },
  ): Promise<Uint8Array>;
  /** The name of this process if several share the database: then one of them receives. */
  holder: string | undefined;
  /** The absolute path of the workspace. Files of messages are stored below it. */
  workspace: string;
}

/** The note `run:<execution id>`: a run that a message started, and whose answer is not sent yet. */
export interface RunNote {
  place: string;
  personId: string;
  /** The message that started the run. */
  messageId: string;
  isGroup: boolean;
  /** The number of messages and files of the answer that were sent. */
  sent: number;
}

/** The note `question:<request id>:<place>`: a message that shows a question. */
export interface QuestionNote {
  place: string;
  messageId: string;
  executionId: number;
  requestId: string;
  /** The only person whose presses count. Null in a group, where all with the right may answer. */
  personId: string | null;
  kind: "confirm" | "input" | "choice";
  options: readonly string[];
  multi: boolean;
  /** The selected options of a question with several. */
  chosen: readonly number[];
  post: Post;
  /** The message whose thread shows the question. Absent outside of groups. */
  thread?: string | undefined;
  /** True after a reminder. */
  isReminded?: boolean;
}

/** The note `person:<place>:<person id>`: the conversation of a person. */
export interface PersonNote {
  /** The key of the message that began the conversation. */
  since: string;
  /** The agent that the person chose. Absent: the chat's. */
  agentId?: string;
}

/** Returns the person with an id, or undefined. */
export function findPerson(
  { settings }: Pick<ChatPorts, "settings">,
  id: string,
): ChatPerson | undefined {
  return settings()?.people.find((person) => person.id === id);
}

/** Returns true if a person of the chat has a right. */
export function may(person: ChatPerson | undefined, right: ChatRight): boolean {
  return person?.may.includes(right) ?? false;
}
