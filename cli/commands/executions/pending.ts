// `inkling pending`: lists the questions that wait for an answer, or prints a single question in full.
import { performs } from "../../command_line/command.ts";
import type { pending } from "../../declarations/execution_commands.ts";
import { inParallel } from "../../../base/in_parallel.ts";
import { type Client, orMissing } from "../../../api/client/client.ts";
import type { ExecutionSummary } from "../../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { openReader } from "../../service/connection.ts";
import type { CommandContext } from "../../context/context.ts";
import { openService } from "../../service/daemon.ts";
import { findGoneWorkspace } from "../../context/missing_workspace.ts";
import { formatArguments } from "../../output/arguments.ts";
import { describeNeed } from "../../runs/answer_flags.ts";
import {
  describeWaitingRuns,
  questionKey,
  signInServerOf,
} from "../../../present/asked_sign_in.ts";
import { readPages, readPending } from "../../runs/find_execution.ts";
import { formatRequest, promptMessage } from "../../output/requests.ts";
import { wrapExactly } from "../../output/wrap.ts";
import { formatRelative } from "../../output/time.ts";
import { toVisible, toVisibleLine } from "../../../present/visible_text.ts";

const REQUESTS_AT_ONCE = 8;

/** An open question, and the agent of the execution that receives the answer. */
type OpenQuestion = { agent_id: string } & PendingBody;

/** Prints a table of all open questions, or the question of one execution in full. */
export const perform = performs<typeof pending>(async (
  context,
  options,
  { execution_id: executionId },
) => {
  const { app, output } = context;
  await using opened = new AsyncDisposableStack();
  // If the workspace folder was deleted, no service can start for it, but its questions are readable.
  const client = await findGoneWorkspace(context) === undefined
    ? opened.use(await openService(context))
    : opened.use(await openReader(app, context.workspace)).client;
  if (executionId !== undefined) return await showOne(context, client, { executionId, ...options });
  const waiting = await readPages((page) => client.executions({ status: ["waiting"], ...page }));
  const questions = await readQuestions(client, waiting);
  if (options.json) return output.json(questions);
  if (questions.length === 0) return output.line("No execution waits for an answer");
  const { style } = output;
  const now = app.clock.now();
  output.table(questions, [
    { header: "Id", cell: (one) => String(one.execution_id), align: "right", paint: style.bold },
    { header: "Agent", cell: describeAsker, shrinks: true },
    { header: "Kind", cell: ({ kind }) => kind },
    { header: "Question", cell: describeQuestion, shrinks: true },
    { header: "Asked", cell: ({ created_at: at }) => formatRelative(at, now) },
    {
      header: "Expires",
      cell: ({ expires_at: at }) => at === null ? "never" : formatRelative(at, now),
    },
  ], { cutNote: ({ execution_id: id }) => `"inkling pending ${id}" shows the whole question` });
  if (output.stdout.isTerminal) {
    output.note(
      `"inkling respond ${questions[0]?.execution_id}" asks for your answer and continues the run`,
    );
  }
});

/** Prints a question with the complete tool call or file change. */
async function showOne(
  { app, output }: CommandContext,
  client: Client,
  { executionId: id, json }: { executionId: number; json?: true },
): Promise<void> {
  const question = await readPending(client, id);
  const { agent_id } = await client.execution(id);
  if (json) return output.json({ agent_id, ...question });
  const { style, stdout: { columns } } = output;
  const now = app.clock.now();
  const asked = formatRelative(question.created_at, now);
  const expires = question.expires_at === null
    ? ""
    : `, expires ${formatRelative(question.expires_at, now)}`;
  const asker = toVisibleLine(describeAsker({ agent_id, ...question }));
  output.sentence(`Execution ${style.bold(String(id))} · ${asker} · asked ${asked}${expires}`);
  const { message, options } = question;
  const text = [
    ...promptMessage(question) === undefined ? [] : [toVisible(message).trim()],
    ...[formatRequest(question, style)].filter((one) => one !== ""),
    ...[describeWaitingRuns(question) ?? []].flat(),
    ...(options ?? []).map((option, index) => `    ${index + 1} ${toVisibleLine(option)}`),
  ].join("\n");
  output.line(wrapExactly(text, columns));
  output.note(`"inkling respond ${id}" asks for your answer, or ${describeNeed(question)}`);
}

async function readQuestions(
  client: Client,
  waiting: readonly ExecutionSummary[],
): Promise<OpenQuestion[]> {
  const ids = new Set(waiting.map(({ id }) => id));
  // An execution can wait because an agent that it called has asked a question. Such an execution has no question of its
  // own.
  const asking = waiting.filter(({ parent_execution_id: parent }) =>
    parent === null || !ids.has(parent)
  );
  const questions = await inParallel(asking, {
    size: REQUESTS_AT_ONCE,
    async work({ id, agent_id }) {
      // The question may have been answered after the list was read.
      const question = await orMissing(client.pending(id));
      return question && { agent_id, ...question, execution_id: id };
    },
  });
  // Runs that wait for the same sign-in have one question.
  const found = questions.filter((question) => question !== undefined);
  return [...Map.groupBy(found, questionKey).values()].flatMap((same) => same.slice(0, 1));
}

/** Returns the question and the call's arguments as one line, such as `Allow file_write? note.txt, content: Hello`. */
function describeQuestion(pending: PendingBody): string {
  const { kind, message, tool_name: tool, tool_args: args } = pending;
  const question = toVisibleLine(message);
  const runs = describeWaitingRuns(pending);
  if (signInServerOf(pending) !== undefined) return runs ? `${runs}: ${question}` : question;
  if (kind !== "confirm" || tool === "ask_user") return question;
  return `${question} ${formatArguments(JSON.stringify(args), Infinity)}`.trimEnd();
}

/**
 * Returns the name of the asking agent. If the agent `weekly` called the agent `researcher`, which asks, returns
 * `researcher for weekly`.
 */
function describeAsker({ agent_id: answered, asked_by: asker }: OpenQuestion): string {
  return asker === answered ? asker : `${asker} for ${answered}`;
}
