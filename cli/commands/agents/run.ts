// run: starts an execution, shows its progress and asks its questions. Ctrl+C cancels it.
import { ApiError } from "../../../server/client.ts";
import type { RunAccepted, RunBody } from "../../../server/schemas/run_schemas.ts";
import { acceptRun } from "../../runs/accept_run.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import type { CommandContext } from "../../context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../exit.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { JsonView } from "../../output/run/json_view.ts";
import { openTextView } from "../../output/run/text_view.ts";
import { pickAgent } from "../../prompting/pick_agent.ts";
import { watchRun } from "../../runs/watch_run.ts";

/** The options of `run`. */
export interface RunOptions {
  detach?: true;
  message?: string;
  context?: string;
  dryRun?: true;
  session?: string;
  json?: true;
}

/** The most code points of a conversation's id. A blank one counts as absent, however long it is. */
const SESSION_CHARACTERS = 200;

/** Runs an agent to its end, or, detached, until it is accepted. */
export async function run(
  context: CommandContext,
  agent: string | undefined,
  args: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  const { app, output } = context;
  checkSession(options.session);
  const agentId = agent ?? await pickAgent(context, "run");
  using interrupts = listenToInterrupts(app);
  const body: RunBody = {
    args: [...args],
    ...(options.message !== undefined && { message: options.message }),
    ...(options.context !== undefined && { context: options.context }),
    ...(options.dryRun && { dry_run: true }),
    ...(options.session !== undefined && { session_id: options.session }),
  };
  const { client, accepted } = await orPending(acceptRun(context, { agentId, body }, {
    signal: interrupts.first,
    leaveSignal: interrupts.second,
  }));
  using _ = client;
  // Otherwise the run's log says so on the screen.
  if (options.detach || output.quiet) {
    for (const notice of accepted.notices ?? []) output.notice(notice);
  }
  if (options.detach) {
    showAccepted(context, agentId, accepted, options);
    return EXIT.ok;
  }
  const asks = hasPerson(context) && !options.json;
  const { code } = await watchRun({
    app,
    output,
    client,
    executionId: accepted.execution_id,
    view: options.json
      ? new JsonView(output)
      : await openTextView({ output, clock: app.clock, isTurn: false, asks }),
    cancelSignal: interrupts.first,
    leaveSignal: interrupts.second,
    questions: asks ? "ask" : "leave",
  });
  return code;
}

function checkSession(session = ""): void {
  if (session.trim() === "" || [...session].length <= SESSION_CHARACTERS) return;
  throw new CommandFailure(
    EXIT.usage,
    `--session must have at most ${SESSION_CHARACTERS} characters`,
  );
}

/** Where a question holds the run back, says how to see it. */
async function orPending<T>(accepting: Promise<T>): Promise<T> {
  try {
    return await accepting;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw new CommandFailure(
      EXIT.failed,
      `${error.message}. "inkling pending" shows what waits for you`,
      { cause: error },
    );
  }
}

function showAccepted(
  { output }: CommandContext,
  agentId: string,
  accepted: RunAccepted,
  options: RunOptions,
): void {
  const id = accepted.execution_id;
  if (options.json) return output.json(accepted);
  if (output.quiet) return output.line(String(id));
  output.sentence(
    `Execution ${id} of ${toOneLine(agentId)} is running${
      options.dryRun ? " as a dry run" : ""
    }. ` +
      `"inkling watch ${id}" shows it, "inkling cancel ${id}" ends it`,
  );
}
