// Parses the flags of this folder's tasks and reports their failures.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { IMAGE_MISSING_CODE, RuntimeImageMissing } from "./runtime_image.ts";

/** Thrown if a task has wrong arguments. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns the values of a task's flags, which are all texts. Throws UsageError. */
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

/**
 * Runs a task and returns its exit code: 0 for success, 1 for a failure, 2 for wrong arguments, 69 if the runtime image
 * cannot be downloaded.
 */
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
