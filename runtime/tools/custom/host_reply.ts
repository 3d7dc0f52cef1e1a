// Parses the messages of a worker and of its host process. Both the host process and the service check their structure,
// because a tool may have changed them.
import type { FromHost, FromWorker, ToolRequest } from "./host_messages.ts";

/** Parses a line that begins with the prefix of messages, without the prefix. Throws if the line is not a message. */
export function parseHostMessage(line: string): FromHost {
  const data: unknown = JSON.parse(line);
  if (!isRecord(data)) throw new TypeError("The line is no message");
  const { type, message } = data;
  if (type === "started") return { type };
  if (type === "ending" && isText(message)) return { type, message };
  const found = readWorkerMessage(data);
  if (found === undefined) throw new TypeError("The line is no message");
  return found;
}

/** The maximum length of a text in a message, in UTF-16 code units. The limit of a result is lower. */
const MAX_CHARACTERS = 2_000_000;
const MAX_OPTIONS = 100;
const MAX_QUESTION_CHARACTERS = 10_000;

/** Returns a copy of the message with only its checked fields, or undefined if it is not a valid message. */
export function readWorkerMessage(data: unknown): FromWorker | undefined {
  if (!isRecord(data)) return undefined;
  const { type, id, tools, result, message, stack, place, text } = data;
  if (type === "described" && isText(tools)) return { type, tools };
  if (type === "done" && isText(result)) return { type, result };
  if (type === "failed" && isText(message) && isText(stack)) {
    return { type, message, stack, ...(isShort(place) && { place }) };
  }
  if (type === "log" && isText(text)) return { type, text };
  const request = type === "request" ? readRequest(data["request"]) : undefined;
  if (request === undefined || typeof id !== "number" || !Number.isSafeInteger(id)) {
    return undefined;
  }
  return { type: "request", id, request };
}

function readRequest(data: unknown): ToolRequest | undefined {
  if (!isRecord(data)) return undefined;
  const { kind, text, access, message, options, multi } = data;
  if (kind === "path" && isShort(text) && (access === "read" || access === "write")) {
    return { kind, text, access };
  }
  if ((kind === "confirm" || kind === "input") && isShort(message)) {
    return { kind, message, options: null, multi: false };
  }
  if (kind !== "choice" || !isShort(message) || typeof multi !== "boolean") return undefined;
  if (!Array.isArray(options) || options.length > MAX_OPTIONS || !options.every(isShort)) {
    return undefined;
  }
  return { kind, message, options: [...options], multi };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_CHARACTERS;
}

function isShort(value: unknown): value is string {
  return isText(value) && value.length <= MAX_QUESTION_CHARACTERS;
}
