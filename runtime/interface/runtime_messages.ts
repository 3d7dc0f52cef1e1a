// The messages of a runtime, as the HTTP service uses them: links to questions, waiting messages, and tests.
import type { ChatNotes } from "../notify/chat_notes.ts";
import type { LinkedQuestion } from "../notify/answer_links.ts";
import type { MessageTests } from "../notify/message_tests.ts";

/** The messages of the runtime for people. */
export interface RuntimeMessages {
  /** Returns the question that a link with this token leads to. Undefined for an unknown token. */
  findLink(token: string): Promise<LinkedQuestion | undefined>;
  /** Returns true if messages wait to be sent. */
  hasOpen(): Promise<boolean>;
  /** Returns the notes that a chat keeps across restarts. */
  openChatNotes(chat: string): Promise<ChatNotes>;
  /** The last test message of each channel, and their links. */
  readonly tests: Pick<MessageTests, "list" | "findLink" | "confirm">;
}
