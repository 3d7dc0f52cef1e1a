// Defines what a chat app must do: receive messages, send, edit, and send files. Each app has one implementation.
import type { Context } from "../../runtime/config/context.ts";
import { DeliveryFailure } from "../../runtime/vocabulary/delivery_failure.ts";

/** The sender of a message. `id` is the app's id. `name` was chosen by the sender, so it proves nothing. */
export interface Sender {
  id: string;
  name: string;
}

/** A file of a message that is not loaded yet. */
export interface ReceivedFile {
  name: string;
  /** The app's reference for load(). */
  ref: string;
}

/** A message that a person wrote. */
export interface ChatMessage {
  type: "message";
  /** The app's id of this delivery. A repeated delivery has the same key. */
  key: string;
  /** The id of the conversation that the answer goes to. */
  place: string;
  isGroup: boolean;
  sender: Sender;
  messageId: string;
  text: string;
  /** In milliseconds since 1970. */
  sentAt: number;
  /** The id of the message that this one replies to. */
  replyTo: string | null;
  /** True if the text is not the sender's own. */
  isForwarded: boolean;
  /** True if the message is meant for the bot. Always true outside of groups. */
  isAddressed: boolean;
  files: readonly ReceivedFile[];
}

/** A pressed button. `data` comes from the sender's app, which may send any text. */
export interface ButtonPress
  extends Pick<ChatMessage, "key" | "place" | "isGroup" | "sender" | "messageId"> {
  type: "press";
  data: string;
}

/** A message to send. Nothing in its texts is interpreted as markup. */
export interface Post {
  text: string;
  /** A text in a fixed-width font that follows `text`. */
  code?: string;
  /** The rows of buttons. */
  buttons?: readonly (readonly { label: string; data: string }[])[];
  /** The id of the message that this one answers. */
  replyTo?: string | undefined;
  /** True if a message before this one answered it already. Apps without threads do not quote the message again. */
  isFurther?: boolean;
}

/** A file to send, in the thread of a message in apps that have threads. */
export interface SentFile extends Pick<Post, "replyTo"> {
  name: string;
  bytes: Uint8Array;
}

/** The facts by which an app finds the messages that it did not deliver. */
export interface Missed {
  /** The keys of the messages that were handled, and whose notes are not removed yet. */
  seen: readonly string[];
  /** The ids of the chat's people and groups. */
  people: readonly string[];
  groups: readonly string[];
}

/** The account of a bot at a chat app. */
export interface AppAccount extends Pick<Context, "clock"> {
  /** The token of the bot. */
  token: string;
  apiRoot: string;
}

/** A chat app under the bot's account. Every method throws AppFailure, and the signal's reason on abort. */
export interface ChatApp {
  /** The maximum length of `text` and `code` together, in UTF-16 code units. */
  readonly maxText: number;
  /** The character before the name of a command in this app. A received command always begins with a slash. */
  readonly commandMark: "/" | "!";
  /** Throws AppFailure if the app does not accept the token, or does not respond. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Passes each message and press to `handle`, one at a time, until the signal aborts. The app repeats messages for which
   * `handle` did not resolve, or finds them with `readMissed`.
   */
  receive(
    handle: (one: ChatMessage | ButtonPress) => Promise<void>,
    signal: AbortSignal,
    readMissed: () => Promise<Missed>,
  ): Promise<void>;
  /** Sends a message and returns its id. */
  send(place: string, post: Post, signal: AbortSignal): Promise<string>;
  /** Replaces a sent message, and its buttons. */
  edit(place: string, messageId: string, post: Post, signal: AbortSignal): Promise<void>;
  sendFile(
    place: string,
    file: SentFile,
    signal: AbortSignal,
  ): Promise<void>;
  /** Loads a file of a message. Throws AppFailure with `isFinal` if it is over `maxBytes`. */
  load(file: ReceivedFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Shows for a few seconds that the bot writes. Absent if the app cannot show it. */
  showTyping?(place: string, signal: AbortSignal): Promise<void>;
  /** Shows a short text to the person who pressed a button. */
  acknowledge(press: ButtonPress, text: string, signal: AbortSignal): Promise<void>;
  /** Returns the name that a sender has in the app. Absent if messages contain it. */
  readName?(sender: Sender, signal: AbortSignal): Promise<string>;
  /** Returns the place of the direct conversation with a person. Absent if it has the person's id. */
  openDirect?(personId: string, signal: AbortSignal): Promise<string>;
}

/** Error: the app refused a request, or did not respond. The message is a clause for the log without any secret. */
export class AppFailure extends DeliveryFailure {}
