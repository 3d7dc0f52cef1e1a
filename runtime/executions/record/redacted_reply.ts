// The text of one reply while it streams: shown to whoever follows, without secrets, and kept in case it breaks off.
import type { ExecutionLog } from "../../events/log.ts";
import type { RedactedStream, Redactor } from "../../secrets/redactor.ts";

/** One reply that streams. What it holds back at its end is in the reply that is stored. */
export class RedactedReply {
  readonly #executionId: number;
  readonly #ports: { log: ExecutionLog; redactor: Redactor };
  #redacted: RedactedStream;
  #text = "";

  constructor(executionId: number, ports: { log: ExecutionLog; redactor: Redactor }) {
    this.#executionId = executionId;
    this.#ports = ports;
    this.#redacted = ports.redactor.openStream();
  }

  /** Passes the next piece on. */
  push(text: string): void {
    const shown = this.#redacted.push(text);
    this.#text += shown;
    this.#ports.log.delta(this.#executionId, shown);
  }

  /** What was shown so far. */
  get text(): string {
    return this.#text;
  }

  /** What was streamed so far is void: the model starts anew. */
  restart(): void {
    this.#text = "";
    this.#redacted = this.#ports.redactor.openStream();
    this.#ports.log.restartDeltas(this.#executionId);
  }
}
