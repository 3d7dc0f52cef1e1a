// Does one piece of work in a new worker: describes a tool file, or runs one call. The worker ends with the work.
import type { FromWorker, HostWork, ToHost } from "../host_messages.ts";
import { readWorkerMessage } from "../host_reply.ts";
import { workerModule } from "../../../../base/program_files.ts";
import { confinedWorker } from "./confined_worker.ts";

/** The maximum number of log lines and of requests in one call. */
const MAX_LOG_LINES = 200;
const MAX_REQUESTS = 1_000;

/** A piece of work that the service requested, and its worker. */
export class ToolWork {
  readonly #worker: Worker;
  readonly #report: (message: FromWorker) => void;
  #logLines = 0;
  #requests = 0;
  #ended = false;

  /** `report` is called for each message of the work. `described`, `done` or `failed` is the last. */
  constructor(message: HostWork, report: (message: FromWorker) => void) {
    this.#report = report;
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
