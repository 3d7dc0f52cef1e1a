// What the Run dialog sends: its fields as a request, and the key that makes a repeated request the same run.
import type { ForkBody } from "../api/schemas/replay_schemas.ts";
import type { RunBody } from "../api/schemas/run_schemas.ts";

/** What stands in the dialog. */
export interface RunFields {
  /** One argument a line, or a JSON list of them. */
  args: string;
  areArgsJson?: boolean;
  message: string;
  context: string;
  /** Nothing is changed. */
  isDryRun?: boolean;
}

const KEY_BYTES = 16;

/**
 * Fields left empty are not sent. An empty line is an empty argument, but for those at the end. Throws TypeError for a list
 * of arguments that is none.
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

/** The fields of a run that is to be repeated. Arguments that lines cannot hold, for one with a line break, are JSON. */
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
  const wrong = 'The arguments are to be a JSON list of texts, such as ["a", "b"]';
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
 * The keys of one dialog: the same request has the same one however often it is sent, and whatever was answered. Who hears
 * nothing, or hears a proxy refuse, does not know whether the service accepted the run; one that it refused keeps no key.
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

/** A text that nobody else has. Browsers give randomUUID only to pages that came encrypted or from this machine. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
