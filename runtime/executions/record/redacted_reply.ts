// Redacts the text of a streaming reply, publishes it to followers, and keeps it in case the reply is cut off.
import type { RedactedStream } from "../../secrets/redactor.ts";
import type { JournalPorts } from "./journal_ports.ts";

/** The redacted text of one streaming reply. The stored reply also contains the text that is still buffered at the end. */
export class RedactedReply {
  readonly #executionId: number;
  readonly #ports: Pick<JournalPorts, "executionLog" | "redactor">;
  #redacted: RedactedStream;
  #text = "";

  constructor(executionId: number, ports: Pick<JournalPorts, "executionLog" | "redactor">) {
    this.#executionId = executionId;
    this.#ports = ports;
    this.#redacted = ports.redactor.openStream();
  }

  /** Redacts and publishes the next piece of text. */
  push(text: string): void {
    const shown = this.#redacted.push(text);
    this.#text += shown;
    this.#ports.executionLog.delta(this.#executionId, shown);
  }

  /** The redacted text that was published so far. */
  get text(): string {
    return this.#text;
  }

  /** Discards the published text, because the model restarts the reply. */
  restart(): void {
    this.#text = "";
    this.#redacted = this.#ports.redactor.openStream();
    this.#ports.executionLog.restartDeltas(this.#executionId);
  }
}
