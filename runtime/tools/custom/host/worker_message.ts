// Parses the messages of a worker that a tool controls: checks their shape and limits their size.
import type { FromWorker, ToolRequest } from "../host_messages.ts";

/** The maximum length of a text in a message. A result has a lower limit of its own. */
const MAX_CHARACTERS = 2_000_000;
const MAX_OPTIONS = 100;
const MAX_QUESTION_CHARACTERS = 10_000;

/** Returns the message, rebuilt from its checked parts, or undefined for anything else. */
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
  if ((kind === "confirm" || kind === "ask") && isShort(message)) return { kind, message };
  if (kind !== "choose" || !isShort(message) || typeof multi !== "boolean") return undefined;
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
