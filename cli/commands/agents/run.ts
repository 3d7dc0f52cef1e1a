// `inkling run`: starts an execution, prints its progress and asks its questions. Ctrl+C cancels it.
import { defined } from "../../context/defined.ts";
import { performs } from "../../command_line/command.ts";
import type { run } from "../../declarations/agent_commands.ts";
import { ApiError } from "../../../api/client/client.ts";
import type { RunBody } from "../../../api/schemas/run_schemas.ts";
import { acceptRun } from "../../runs/accept_run.ts";
import { commandFailed, misuse } from "../../context/context.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { pickAgent } from "../../prompting/pick_agent.ts";
import { showAccepted, showRun } from "../../runs/show_run.ts";

/**
 * The maximum length of --session in code points. The service ignores a session id of white space, so its length is not
 * checked.
 */
const SESSION_CHARACTERS = 200;

/** Starts an execution and prints it until its end. With --detach it returns when the service has accepted the run. */
export const perform = performs<typeof run>(async (context, options, { agent, args }) => {
  const { app, output } = context;
  checkSession(options.session);
  const agentId = agent ?? await pickAgent(context, "run");
  using interrupts = listenToInterrupts(app);
  const { message, context: background, dryRun, session } = options;
  const body: RunBody = defined({
    ...{ args: [...args], message, context: background, dry_run: dryRun, session_id: session },
  });
  const { client, accepted } = await orPending(acceptRun(context, { agentId, body }, interrupts));
  using _ = client;
  // Otherwise showRun() prints the notices, which are part of the run's log.
  if (options.detach || output.quiet) {
    for (const notice of accepted.notices ?? []) output.notice(notice);
  }
  const { json } = options;
  if (options.detach) {
    const how = options.dryRun ? " as a dry run" : "";
    return showAccepted(output, accepted, {
      json,
      sentence: (id) => `Execution ${id} of ${toOneLine(agentId)} is running${how}`,
    });
  }
  return await showRun(context, { client, executionId: accepted.execution_id, interrupts, json });
});

function checkSession(session = ""): void {
  if (session.trim() === "" || [...session].length <= SESSION_CHARACTERS) return;
  throw misuse(`--session must have at most ${SESSION_CHARACTERS} characters`);
}

/**
 * Waits for the acceptance of a run. If the service refuses the run because of an open question, adds a hint to the error.
 */
async function orPending<T>(accepting: Promise<T>): Promise<T> {
  try {
    return await accepting;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw commandFailed(`${error.message}. "inkling pending" lists the open questions`, {
      cause: error,
    });
  }
}
