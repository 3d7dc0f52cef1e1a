// Does one piece of work in a new worker: describes a tool file, or runs one call. The worker ends with the work.
import type { FromWorker, HostWork, ToHost, ToolRequest } from "../host_messages.ts";
import { workerModule } from "../../../../base/program_files.ts";
import { confinedWorker } from "./confined_worker.ts";

/** The maximum number of log lines and of requests in one call. */
const MAX_LOG_LINES = 200;
const MAX_REQUESTS = 1_000;

/** The options of ToolWork. */
export interface ToolWorkOptions {
  /** Called for each message of the work. `described`, `done` or `failed` is the last. */
  report(message: FromWorker): void;
}

/** A piece of work that the service requested, and its worker. */
export class ToolWork {
  readonly #worker: Worker;
  readonly #report: (message: FromWorker) => void;
  #logLines = 0;
  #requests = 0;
  #ended = false;

  constructor(message: HostWork, options: ToolWorkOptions) {
    this.#report = options.report;
    this.#worker = confinedWorker(workerModule("tool_worker"), message.permissions);
    this.#worker.onmessage = ({ data }) => this.#onMessage(data);
    this.#worker.onmessageerror = () => this.#fail("It sent something that cannot be read");
    this.#worker.onerror = (event) => {
      // Without preventDefault(), an uncaught error in the worker would end this process.
      event.preventDefault();
      this.#fail(event.message.replace(/^Uncaught (\(in promise\) )?/, ""));
    };
    this.#worker.postMessage(message);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Passes a reply or an abort to the tool. Does nothing after the end of the work. */
  forward(message: Extract<ToHost, { type: "reply" | "abort" }>): void {
    if (!this.#ended) this.#worker.postMessage(message);
  }

  #onMessage(data: unknown): void {
    if (this.#ended) return;
    const message = readWorkerMessage(data);
    if (message === undefined) return this.#fail("It sent something that is not a message");
    if (message.type === "log") {
      if (++this.#logLines <= MAX_LOG_LINES) this.#report(message);
    } else if (message.type === "request") {
      if (++this.#requests <= MAX_REQUESTS) this.#report(message);
      else this.#fail(`It sent more than ${MAX_REQUESTS} requests`);
    } else {
      this.#end(message);
    }
  }

  #fail(message: string): void {
    this.#end({ type: "failed", message, stack: "" });
  }

  #end(message: FromWorker): void {
    if (this.#ended) return;
    this.#ended = true;
    // The worker ends before the last message is sent, so that the tool prints nothing after it.
    this.#worker.terminate();
    this.#report(message);
  }
}

/** The maximum length of a text in a message, in UTF-16 code units. The limit of a result is lower. */
const MAX_CHARACTERS = 2_000_000;
const MAX_OPTIONS = 100;
const MAX_QUESTION_CHARACTERS = 10_000;

/** Returns a copy of the message with only its checked fields, or undefined if it is not a valid message. */
function readWorkerMessage(data: unknown): FromWorker | undefined {
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
