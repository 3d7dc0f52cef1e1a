// Converts the fields of the run dialog to a request, and keeps the keys that make requests idempotent.
import type { ForkBody } from "../../api/schemas/replay_schemas.ts";
import type { RunBody } from "../../api/schemas/run_schemas.ts";

/** The fields of the run dialog. */
export interface RunFields {
  /** One argument per line, or a JSON list of arguments. */
  args: string;
  areArgsJson?: boolean;
  message: string;
  context: string;
  /** True for a dry run, which changes nothing. */
  isDryRun?: boolean;
}

const KEY_BYTES = 16;

/**
 * Converts the fields to a request without the empty fields. An empty line is an empty argument, except at the end. Throws
 * TypeError for an invalid JSON list of arguments.
 */
export function toRunBody(
  { args: text, areArgsJson, message, context, isDryRun }: RunFields,
): RunBody {
  const args = areArgsJson ? toList(text) : toLines(text);
  return {
    ...(args.length > 0 && { args }),
    ...(message.trim() !== "" && { message }),
    ...(context.trim() !== "" && { context }),
    ...(isDryRun && { dry_run: true }),
  };
}

/**
 * Returns the fields that repeat an execution. Arguments that contain line breaks are written as JSON, because a line is
 * one argument.
 */
export function toRunFields(
  { args, message, context, dry_run }: {
    args: string[];
    message: string | null;
    context: string | null;
    dry_run?: true | undefined;
  },
): RunFields {
  const lines = args.join("\n");
  const areArgsJson = JSON.stringify(toLines(lines)) !== JSON.stringify(args);
  return {
    args: areArgsJson ? JSON.stringify(args, null, 2) : lines,
    areArgsJson,
    message: message ?? "",
    context: context ?? "",
    ...(dry_run && { isDryRun: true }),
  };
}

function toLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

function toList(text: string): string[] {
  const wrong = 'The arguments must be a JSON list of texts, such as ["a", "b"]';
  let list: unknown;
  try {
    list = JSON.parse(text.trim() === "" ? "[]" : text);
  } catch (cause) {
    throw new TypeError(wrong, { cause });
  }
  if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) {
    throw new TypeError(wrong);
  }
  return list;
}

/**
 * The idempotency keys of one dialog. Equal requests get equal keys, so a person may send a request again when the response
 * was lost. The service does not store the key of a request that it refuses.
 */
export class RunKeys {
  readonly #keys = new Map<string, string>();

  keyOf(body: RunBody | ForkBody): string {
    const text = JSON.stringify(body);
    const key = this.#keys.get(text) ?? createKey();
    this.#keys.set(text, key);
    return key;
  }
}

/** Returns a random key. Does not use randomUUID(), which browsers offer only over TLS and for this machine. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
