// Checks that a new program starts and prints the expected version.
import { runToEnd } from "../../base/programs/system_program.ts";
import type { Clock } from "../context/app.ts";
import { withDeadline } from "../context/deadline.ts";
import { commandFailed, type CommandFailure } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";

/** The maximum wait for the printed version. The first start of a program may unpack many files. */
const ANSWER_MS = 60_000;
const BUSY_TRIES = 40;
const BUSY_MS = 50;

/** Runs the command with `--version`. Throws CommandFailure if the program fails or prints another version. */
export async function requireVersion(
  command: readonly string[],
  options: { version: string; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { version, clock, signal } = options;
  let answer: Deno.CommandOutput;
  try {
    answer = await withDeadline(clock, (signal) => ask(command, { clock, signal }), {
      ms: ANSWER_MS,
      signal,
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw notStarting(version, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const [stdout, stderr] = [answer.stdout, answer.stderr].map((bytes) =>
    toOneLine(new TextDecoder().decode(bytes.subarray(0, 2_000)))
  );
  // An aborted process was killed, so its output and exit code are meaningless.
  signal.throwIfAborted();
  if (!answer.success) {
    const how = answer.signal === null ? `exit code ${answer.code}` : String(answer.signal);
    throw notStarting(version, stderr ? `${how}: ${stderr}` : how);
  }
  if (stdout !== version) throw notStarting(version, `it reports version "${stdout}"`);
}

async function ask(
  [program = "", ...args]: readonly string[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Deno.CommandOutput> {
  for (let attempt = 1;; attempt++) {
    try {
      return await runToEnd([program, ...args, "--version"], { signal });
    } catch (error) {
      // ETXTBSY: for a moment, a process that was forked during the download still has the file open for writing. The error
      // that Deno throws has no code.
      const isBusy = error instanceof Error && error.message.endsWith("(os error 26)");
      if (!isBusy || attempt >= BUSY_TRIES) throw error;
      await clock.sleep(BUSY_MS, signal);
    }
  }
}

function notStarting(version: string, reason: string, cause?: unknown): CommandFailure {
  return commandFailed(`Inkling ${version} does not start here: ${reason}`, {
    cause,
  });
}
