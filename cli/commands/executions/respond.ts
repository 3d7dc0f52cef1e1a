// respond: answers the question of an execution, by flags or at the terminal, and shows how it continues.
import { ApiError, type Client } from "../../../server/client.ts";
import type { PendingBody } from "../../../server/schemas/request_schemas.ts";
import { type AnswerFlags, answerOf, checkFlags, describeNeed } from "../../runs/answer_flags.ts";
import { type Answer, askPerson, hasPerson } from "../../prompting/ask_person.ts";
import { connectService } from "../../service/connection.ts";
import type { CommandContext } from "../../context.ts";
import { openService } from "../../service/daemon.ts";
import { CommandFailure, EXIT, type ExitCode } from "../../exit.ts";
import { type Interrupts, listenToInterrupts } from "../../prompting/interrupts.ts";
import { findGoneWorkspace } from "../../missing_workspace.ts";
import { formatRequest } from "../../output/requests.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { openTextView } from "../../output/run/text_view.ts";
import { wrapExactly } from "../../output/wrap.ts";
import { watchRun } from "../../runs/watch_run.ts";

/** Answers, and follows the execution to its end or its next question. */
export async function respond(
  context: CommandContext,
  executionId: number,
  flags: AnswerFlags,
): Promise<ExitCode> {
  const { app, output } = context;
  checkFlags(flags);
  using interrupts = listenToInterrupts(app);
  using client = await openAnswering(context, executionId, interrupts.first);
  const pending = await readPending(client, executionId);
  const given = answerOf(flags, pending);
  // Who answers by a flag has perhaps not seen yet what they answer.
  const shown = given === undefined ? "" : formatRequest(pending, output.errorStyle);
  if (shown !== "" && !output.quiet) {
    output.errorLine(wrapExactly(shown, output.stderr.columns));
  }
  const response = given ?? await ask(context, pending, interrupts);
  if (response === undefined) {
    output.note(`Execution ${executionId} still waits: inkling respond ${executionId}`);
    return EXIT.waiting;
  }
  // What was said before the answer is known already; only what follows it is shown.
  const after = (await client.messages(executionId)).at(-1)?.id ?? 0;
  await client.respond(executionId, { request_id: pending.request_id, response });
  const asks = hasPerson(context);
  const { code } = await watchRun({
    app,
    output,
    client,
    executionId,
    after,
    view: await openTextView({ output, clock: app.clock, isTurn: false, asks }),
    cancelSignal: interrupts.first,
    leaveSignal: interrupts.second,
    questions: asks ? "ask" : "leave",
  });
  return code;
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

async function readPending(client: Client, id: number): Promise<PendingBody> {
  try {
    return { ...await client.pending(id), execution_id: id };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw await notWaiting(client, id);
  }
}

/** Why an execution has no question. */
async function notWaiting(client: Client, id: number): Promise<CommandFailure> {
  try {
    const { status } = await client.execution(id);
    return new CommandFailure(
      EXIT.failed,
      `Execution ${id} does not wait for an answer: its status is ${status}. ` +
        `"inkling pending" shows which do`,
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return new CommandFailure(
      EXIT.usage,
      `There is no execution ${id}. "inkling pending" shows which wait for an answer`,
    );
  }
}

async function ask(
  context: CommandContext,
  pending: PendingBody,
  interrupts: Interrupts,
): Promise<Answer | undefined> {
  const { app, output } = context;
  if (!hasPerson(context)) {
    throw new CommandFailure(
      EXIT.usage,
      `There is no terminal to ask at: execution ${pending.execution_id} ${describeNeed(pending)}`,
    );
  }
  const { prompter } = app.input;
  return await askPerson(pending, { output, prompter, signal: interrupts.first });
}
