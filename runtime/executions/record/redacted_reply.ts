// The redacted text of one streaming reply: published to followers, and kept in case the reply is cut off.
import type { ExecutionLog } from "../../events/log.ts";
import type { RedactedStream, Redactor } from "../../secrets/redactor.ts";

/** One streaming reply. The text that is still buffered at its end is in the stored reply. */
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

  /** Publishes the next piece of text. */
  push(text: string): void {
    const shown = this.#redacted.push(text);
    this.#text += shown;
    this.#ports.log.delta(this.#executionId, shown);
  }

  /** The text that was published so far. */
  get text(): string {
    return this.#text;
  }

  /** Discards the streamed text, because the model restarts the reply. */
  restart(): void {
    this.#text = "";
    this.#redacted = this.#ports.redactor.openStream();
    this.#ports.log.restartDeltas(this.#executionId);
  }
}
