// The common parts of this folder's tasks: flags, and the report of a failure.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { IMAGE_MISSING_CODE, RuntimeImageMissing } from "./runtime_image.ts";

/** A task was given wrong arguments. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns the values of a task's flags, which are all text. Throws UsageError. */
export function parseFlags<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const name of names) options[name] = { type: "string" };
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    return values as Partial<Record<Name, string>>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(reason, { cause });
  }
}

/** Runs a task. Returns its exit code: 0; 1 failed; 2 usage; 69 the runtime image cannot be downloaded. */
export async function runTask(task: () => Promise<void>): Promise<number> {
  try {
    await task();
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    if (error instanceof RuntimeImageMissing) return IMAGE_MISSING_CODE;
    return error instanceof UsageError ? 2 : 1;
  }
}
