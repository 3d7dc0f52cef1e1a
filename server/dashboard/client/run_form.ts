// What the Run dialog sends: its fields as a request, and the key that makes a repeated request the same run.
import type { RunBody } from "../../schemas/run_schemas.ts";

/** What stands in the dialog. */
export interface RunFields {
  /** One argument a line. */
  args: string;
  message: string;
  context: string;
}

const KEY_BYTES = 16;

/** Fields left empty are not sent. An empty line is an empty argument, but for those at the end. */
export function toRunBody({ args: text, message, context }: RunFields): RunBody {
  const lines = text.split("\n").map((line) => line.trim());
  const args = lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  return {
    ...(args.length > 0 && { args }),
    ...(message.trim() !== "" && { message }),
    ...(context.trim() !== "" && { context }),
  };
}

/**
 * The keys of one dialog: the same request has the same one however often it is sent, and whatever was answered. Who hears
 * nothing, or hears a proxy refuse, does not know whether the service accepted the run; one that it refused keeps no key.
 */
export class RunKeys {
  readonly #keys = new Map<string, string>();

  keyOf(body: RunBody): string {
    const text = JSON.stringify(body);
    const key = this.#keys.get(text) ?? createKey();
    this.#keys.set(text, key);
    return key;
  }
}

/** Browsers give randomUUID only to pages that came encrypted or from this machine. */
function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
