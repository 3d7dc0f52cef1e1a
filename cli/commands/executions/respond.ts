// `inkling respond`: answers the question of an execution by options or at the terminal, and prints the execution's next
// steps.
import { performs } from "../../command_line/command.ts";
import type { respond } from "../../declarations/execution_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { type AnswerFlags, answerOf, checkFlags, describeNeed } from "../../runs/answer_flags.ts";
import { hasPerson } from "../../prompting/ask_person.ts";
import type { Answer } from "../../prompting/asking.ts";
import { connectService } from "../../service/connection.ts";
import { type CommandContext, commandFailed, EXIT, misuse } from "../../context/context.ts";
import { openService } from "../../service/daemon.ts";
import { type Interrupts, listenToInterrupts } from "../../prompting/interrupts.ts";
import { findGoneWorkspace } from "../../context/missing_workspace.ts";
import { formatDiff } from "../../output/diff.ts";
import { readArguments } from "../../prompting/read_arguments.ts";
import { AnsweredElsewhere, askWhileOpen, giveAnswer } from "../../runs/ask_while_open.ts";
import { readPending } from "../../runs/find_execution.ts";
import { commandOf } from "../../../present/asked_command.ts";
import { toVisibleLine } from "../../../present/visible_text.ts";
import { formatRequest } from "../../output/requests.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { wrapExactly } from "../../output/wrap.ts";
import { showRun } from "../../runs/show_run.ts";

/** Sends the answer, and prints the execution until its end or its next question. */
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
  // Prints the question if an option answers it, because the user may not have seen the question.
  const shown = given === undefined ? "" : formatRequest(pending, output.errorStyle);
  if (shown !== "" && !output.quiet) {
    output.errorLine(wrapExactly(shown, output.stderr.columns));
  }
  if (flags.always) await addAutoApproval(context, client, pending);
  // The frames up to the answer are not printed again.
  const after = (await client.messages(executionId)).at(-1)?.id ?? 0;
  try {
    const isAnswered = given === undefined
      ? await ask(context, pending, { client, interrupts })
      : await giveAnswer(pending, given, { client, output });
    if (!isAnswered) {
      output.note(
        `Execution ${executionId} still waits for an answer: inkling respond ${executionId}`,
      );
      return EXIT.waiting;
    }
  } catch (error) {
    if (!(error instanceof AnsweredElsewhere)) throw error;
    throw commandFailed(`${error.message}. "inkling watch ${executionId}" follows the execution`);
  }
  return await showRun(context, { client, executionId, after, interrupts });
});

/**
 * Returns the answer from the options. If the options change the call's arguments, the service checks them, and the
 * returned question contains them.
 */
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
    throw misuse(`Cannot read the arguments from ${path}: ${reason}`);
  }
}

/** Adds the tool to `auto_approve` in the agent's file, or its command to `shell.allow`, and prints the change of the file. */
async function addAutoApproval(
  { output }: CommandContext,
  client: Client,
  pending: PendingBody,
): Promise<void> {
  const { asked_by: agent, tool_name: tool } = pending;
  const { path, diff, already } = await client.autoApprove(agent, {
    ...{ tool, command: commandOf(pending) },
    write: true,
  });
  if (already || output.quiet) return;
  const lines = [toVisibleLine(path), ...formatDiff(diff, output.errorStyle)];
  output.errorLine(wrapExactly(lines.join("\n"), output.stderr.columns));
}

/**
 * Connects to the service that continues the execution, and starts it if necessary. Throws CommandFailure if the workspace
 * folder was deleted and no service runs.
 */
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
  throw misuse(
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
    throw misuse(
      `Cannot ask for an answer: this is not a terminal. Answer execution ${pending.execution_id}: ` +
        describeNeed(pending),
    );
  }
  return await askWhileOpen(pending, { app, output, client, signal: interrupts.first });
}
