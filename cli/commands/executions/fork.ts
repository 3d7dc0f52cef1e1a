// fork: goes on from a step of a recorded execution, for real, as an execution of its own.
import type { ForkBody } from "../../../server/schemas/replay_schemas.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import type { CommandContext } from "../../context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../exit.ts";
import { JsonView } from "../../output/run/json_view.ts";
import { openTextView } from "../../output/run/text_view.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { acceptFork } from "../../runs/accept_run.ts";
import { findExecution } from "../../runs/find_execution.ts";
import { watchRun } from "../../runs/watch_run.ts";

/** The options of `fork`. */
export interface ForkOptions {
  at?: number;
  message?: string;
  model?: string;
  agentFile?: string;
  followers?: true;
  detach?: true;
  json?: true;
}

/** Starts the new execution and shows it to its end, or, detached, until it is accepted. */
export async function fork(
  context: CommandContext,
  id: number,
  options: ForkOptions,
): Promise<ExitCode> {
  const { app, output } = context;
  const { at, message, model, agentFile, followers } = options;
  const body: ForkBody = {
    ...(at !== undefined && { step: at }),
    ...(message !== undefined && { message }),
    ...(model !== undefined && { model }),
    ...(agentFile !== undefined && { agent_text: await readAgentText(agentFile) }),
    ...(followers && { start_followers: true }),
  };
  using interrupts = listenToInterrupts(app);
  const { client, accepted } = await acceptFork(context, { executionId: id, body }, {
    signal: interrupts.first,
    leaveSignal: interrupts.second,
  });
  using _ = client;
  const { execution_id: executionId } = accepted;
  const { forked_from: from, agent_id: agentId } = await findExecution(client, executionId);
  const origin = `Forked from execution ${id} behind step ${from?.step ?? "?"}`;
  if (options.detach) {
    if (options.json) output.json(accepted);
    else if (output.quiet) output.line(String(executionId));
    else {
      output.sentence(
        `${origin}: execution ${executionId} of ${toOneLine(agentId)} is running. ` +
          `"inkling watch ${executionId}" shows it, "inkling cancel ${executionId}" ends it`,
      );
    }
    return EXIT.ok;
  }
  output.note(`${origin}; "inkling diff ${id} ${executionId}" compares them`);
  const asks = hasPerson(context) && !options.json;
  const { code } = await watchRun({
    app,
    output,
    client,
    executionId,
    view: options.json
      ? new JsonView(output)
      : await openTextView({ output, clock: app.clock, isTurn: false, asks, takenOver: from }),
    cancelSignal: interrupts.first,
    leaveSignal: interrupts.second,
    questions: asks ? "ask" : "leave",
  });
  return code;
}

async function readAgentText(path: string): Promise<string> {
  const text = await Deno.readTextFile(path).catch(ignoreMissing);
  if (text !== undefined) return text;
  throw new CommandFailure(EXIT.usage, `There is no file ${toOneLine(path)}`);
}
