// A run for a program: the frames' payloads, one on each line.
import type { StreamFrame } from "../../../server/client.ts";
import type { Output } from "../output.ts";
import type { RunView } from "./run_view.ts";

/** Shows no reply before it is whole. */
export class JsonView implements RunView {
  readonly streams = false;
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  show({ data }: StreamFrame): void {
    this.#output.jsonLine(data);
  }

  wait(): void {}

  rest(): void {}
}
