// respond: answers the question of an execution, by flags or at the terminal, and shows how it continues.
import { performs } from "../../command_line/command.ts";
import type { respond } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { type AnswerFlags, answerOf, checkFlags, describeNeed } from "../../runs/answer_flags.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import type { Answer } from "../../prompting/asking.ts";
import { connectService } from "../../service/connection.ts";
import { type CommandContext, CommandFailure, EXIT } from "../../context.ts";
import { openService } from "../../service/daemon.ts";
import { type Interrupts, listenToInterrupts } from "../../prompting/interrupts.ts";
import { findGoneWorkspace } from "../../missing_workspace.ts";
import { formatDiff } from "../../output/diff.ts";
import { readArguments } from "../../prompting/read_arguments.ts";
import { AnsweredElsewhere, askWhileOpen, giveAnswer } from "../../runs/ask_while_open.ts";
import { readPending } from "../../runs/find_execution.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { formatRequest } from "../../output/requests.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { wrapExactly } from "../../output/wrap.ts";
import { showRun } from "../../runs/show_run.ts";

/** Answers, and follows the execution to its end or its next question. */
export const perform = performs<typeof respond>(async (
  context,
  flags,
  { execution_id: executionId },
) => {
  const { app, output } = context;
  checkFlags(flags);
  using interrupts = listenToInterrupts(app);
  using client = await openAnswering(context, executionId, interrupts.first);
  const { pending, given } = await applyFlags(client, {
    pending: await readPending(client, executionId),
    flags,
  });
  // Who answers by a flag has perhaps not seen yet what they answer.
  const shown = given === undefined ? "" : formatRequest(pending, output.errorStyle);
  if (shown !== "" && !output.quiet) {
    output.errorLine(wrapExactly(shown, output.stderr.columns));
  }
  if (flags.always) await allowForGood(context, client, pending);
  // What was said before the answer is known already; only what follows it is shown.
  const after = (await client.messages(executionId)).at(-1)?.id ?? 0;
  try {
    if (given !== undefined) await giveAnswer(client, pending, given);
    else if (!(await ask(context, pending, { client, interrupts }))) {
      output.note(`Execution ${executionId} still waits: inkling respond ${executionId}`);
      return EXIT.waiting;
    }
  } catch (error) {
    if (!(error instanceof AnsweredElsewhere)) throw error;
    throw new CommandFailure(
      EXIT.failed,
      `${error.message}. "inkling watch ${executionId}" shows how it goes on`,
    );
  }
  return await showRun(context, { client, executionId, after, interrupts });
});

/** The question of the call that the flags make of it, and the answer that they give; it is checked before it is given. */
async function applyFlags(
  client: Client,
  { pending, flags }: { pending: PendingBody; flags: AnswerFlags },
): Promise<{ pending: PendingBody; given: Answer | undefined }> {
  const given = answerOf(flags, pending);
  const text = flags.arguments;
  if (text === undefined || given === undefined || !("approved" in given)) {
    return { pending, given };
  }
  const edited = readArguments(text.startsWith("@") ? await readFlagFile(text.slice(1)) : text);
  const { execution_id: id, request_id } = pending;
  const { preview } = await client.previewArguments(id, { request_id, arguments: edited });
  return {
    pending: { ...pending, tool_args: edited, preview },
    given: { ...given, arguments: edited },
  };
}

async function readFlagFile(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `Cannot read the arguments from ${path}: ${reason}`);
  }
}

/** Writes into the agent's file that the tool may be called unasked, and shows the change. */
async function allowForGood(
  { output }: CommandContext,
  client: Client,
  { asked_by: agent, tool_name: tool }: PendingBody,
): Promise<void> {
  const { path, diff, already } = await client.autoApprove(agent, { tool, write: true });
  if (already || output.quiet) return;
  const lines = [toVisibleLine(path), ...formatDiff(diff, output.errorStyle)];
  output.errorLine(wrapExactly(lines.join("\n"), output.stderr.columns));
}

/** The service that continues the execution. Throws CommandFailure where the workspace that it needs is gone. */
async function openAnswering(
  context: CommandContext,
  executionId: number,
  signal: AbortSignal,
): Promise<Client> {
  const gone = await findGoneWorkspace(context);
  if (gone === undefined) return await openService(context, { signal });
  const { app, workspace } = context;
  const running = await connectService(app, await app.places(workspace), { signal });
  if (running !== undefined) return running;
  throw new CommandFailure(
    EXIT.usage,
    `Cannot continue execution ${executionId}: its workspace ${toOneLine(gone)} is gone. ` +
      "Move the folder back and answer again",
  );
}

async function ask(
  context: CommandContext,
  pending: PendingBody,
  { client, interrupts }: { client: Client; interrupts: Interrupts },
): Promise<boolean> {
  const { app, output } = context;
  if (!hasPerson(context)) {
    throw new CommandFailure(
      EXIT.usage,
      `Execution ${pending.execution_id} ${
        describeNeed(pending)
      }: this is not a terminal, and an ` +
        "answer is not read from a pipe",
    );
  }
  return await askWhileOpen(pending, { app, output, client, signal: interrupts.first });
}
