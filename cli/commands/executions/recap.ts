// `inkling recap`: summarizes the runs since the user's last recap.
import { performs } from "../../command_line/command.ts";
import type { recap } from "../../declarations/execution_commands.ts";
import { join } from "../../../base/plain_path.ts";
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { DAY_MS } from "../../../base/time_units.ts";
import { LONGEST_RECAP_MS } from "../../../present/recap.ts";
import type { RecapBody } from "../../../api/schemas/report_schemas.ts";
import { readMomentOption } from "../../command_line/moment.ts";
import { type CommandContext, EXIT } from "../../context/context.ts";
import { showRecap } from "../../output/reports/recap.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatElapsed } from "../../output/time.ts";
import { openReader } from "../../service/connection.ts";

/** The name of the file in the state folder that contains the time of the last recap. */
const SEEN_FILE = "recap_seen";

/** Prints a recap. With --check, the exit code is 1 if an execution failed or waits. */
export const perform = performs<typeof recap>(async (context, options) => {
  const { app, output } = context;
  const now = app.clock.now();
  const { stateDir } = await app.places(context.workspace);
  const seenFile = join(stateDir, SEEN_FILE);
  const since = readMomentOption("--since", options.since, now) ?? await readSeen(seenFile, now);
  await using reader = await openReader(app, context.workspace);
  const report = await reader.client.recap({
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
  });
  if (options.json) output.json(report);
  else {
    const span = formatElapsed(now - since);
    showRecap(output, report, { span, now });
    // Scripts use --check, so it does not count as a recap that the user has read.
    if (options.since === undefined && !options.check) await writeSeen(context, seenFile, now);
  }
  return options.check && isAmiss(report) ? EXIT.failed : EXIT.ok;
});

function isAmiss({ executions, waiting }: RecapBody): boolean {
  return executions.failed > 0 || waiting.length > 0;
}

/**
 * Stores the time at which the next recap starts. Does nothing if there is no state folder, because no agent has run yet.
 */
async function writeSeen({ output }: CommandContext, file: string, now: number): Promise<void> {
  try {
    await writeFileAtomically(file, `${new Date(now).toISOString()}\n`, { mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    const reason = error instanceof Error ? error.message : String(error);
    output.warning(
      `Cannot write ${toOneLine(file)}, so the next recap starts at the same time as this one: ${
        toOneLine(reason)
      }`,
    );
  }
}

/** Returns the time of the last recap, but at most a week ago. Returns the time a day ago if there was no recap. */
async function readSeen(file: string, now: number): Promise<number> {
  // A read error is ignored, because writeSeen() then also fails and reports it.
  const text = await Deno.readTextFile(file).catch(() => "");
  const seen = Date.parse(text.trim());
  const since = Number.isNaN(seen) || seen > now ? now - DAY_MS : seen;
  return Math.max(since, now - LONGEST_RECAP_MS);
}
