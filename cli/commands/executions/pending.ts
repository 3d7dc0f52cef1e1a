// pending: the executions that wait for a person, with what they want to know.
import { ApiError, type Client } from "../../../server/client.ts";
import type { ExecutionSummary } from "../../../server/schemas/execution_schemas.ts";
import type { PendingBody } from "../../../server/schemas/request_schemas.ts";
import { openReader } from "../../service/connection.ts";
import type { CommandContext } from "../../context.ts";
import { openService } from "../../service/daemon.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import { findGoneWorkspace } from "../../missing_workspace.ts";
import { formatArguments } from "../../output/arguments.ts";
import { describeNeed } from "../../runs/answer_flags.ts";
import { readPending } from "../../runs/open_question.ts";
import { formatRequest, promptMessage } from "../../output/requests.ts";
import { wrapExactly } from "../../output/wrap.ts";
import { formatRelative } from "../../output/time.ts";
import { toVisible, toVisibleLine } from "../../../present/visible_text.ts";

/** The most that the service returns at once. */
const PAGE = 500;
const REQUESTS_AT_ONCE = 8;

/** An open question, and the agent whose execution is answered. */
type OpenQuestion = { agent_id: string } & PendingBody;

/** Shows every open question, or that of one execution as a whole. */
export async function pending(
  context: CommandContext,
  executionId: number | undefined,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output } = context;
  await using opened = new AsyncDisposableStack();
  // No service can be started for a workspace that is gone, and what waits in it can still be read.
  const client = await findGoneWorkspace(context) === undefined
    ? opened.use(await openService(context))
    : opened.use(await openReader(app, context.workspace)).client;
  if (executionId !== undefined) return await showOne(context, client, { executionId, ...options });
  const waiting = await readWaiting(client);
  const questions = await readQuestions(client, waiting);
  if (options.json) {
    output.json(questions);
    return EXIT.ok;
  }
  if (questions.length === 0) {
    output.line("Nothing waits for an answer");
    return EXIT.ok;
  }
  const { style } = output;
  const now = app.clock.now();
  output.table(
    [
      { header: "Id", align: "right", paint: style.bold },
      { header: "Agent", shrinks: true },
      { header: "Kind" },
      { header: "Question", shrinks: true },
      { header: "Asked" },
      { header: "Expires" },
    ],
    questions.map((question) => [
      String(question.execution_id),
      describeAsker(question),
      question.kind,
      describeQuestion(question),
      formatRelative(question.created_at, now),
      question.expires_at === null ? "never" : formatRelative(question.expires_at, now),
    ]),
    {
      cutNotes: questions.map(({ execution_id: id }) => `"inkling pending ${id}" shows it whole`),
    },
  );
  if (output.stdout.isTerminal) {
    output.note(`"inkling respond ${questions[0]?.execution_id}" asks you and continues the run`);
  }
  return EXIT.ok;
}

/** One question with all that an answer is decided by. */
async function showOne(
  { app, output }: CommandContext,
  client: Client,
  { executionId: id, json }: { executionId: number; json?: true },
): Promise<ExitCode> {
  const question = await readPending(client, id);
  const { agent_id } = await client.execution(id);
  if (json) {
    output.json({ agent_id, ...question });
    return EXIT.ok;
  }
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
    ...(options ?? []).map((option, index) => `    ${index + 1} ${toVisibleLine(option)}`),
  ].join("\n");
  output.line(wrapExactly(text, columns));
  output.note(`"inkling respond ${id}" asks you; it ${describeNeed(question)}`);
  return EXIT.ok;
}

async function readQuestions(
  client: Client,
  waiting: readonly ExecutionSummary[],
): Promise<OpenQuestion[]> {
  const ids = new Set(waiting.map(({ id }) => id));
  // One that waits for the agent it called has no question of its own.
  const asking = waiting.filter(({ parent_execution_id: parent }) =>
    parent === null || !ids.has(parent)
  );
  const questions = await mapInGroups(asking, async ({ id, agent_id }) => {
    const question = await readQuestion(client, id);
    return question && { agent_id, ...question, execution_id: id };
  });
  return questions.filter((question) => question !== undefined);
}

/** The question on one line, with what would be done: `Allow file_write? note.txt, content: Hello`. */
function describeQuestion(
  { kind, message, tool_name: tool, tool_args: args }: PendingBody,
): string {
  const question = toVisibleLine(message);
  if (kind !== "confirm" || tool === "ask_user") return question;
  return `${question} ${formatArguments(JSON.stringify(args), Infinity)}`.trimEnd();
}

/** `weekly`, or `researcher for weekly` where an agent that it called asks. */
function describeAsker({ agent_id: answered, asked_by: asker }: OpenQuestion): string {
  return asker === answered ? asker : `${asker} for ${answered}`;
}

async function mapInGroups<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += REQUESTS_AT_ONCE) {
    const group = items.slice(start, start + REQUESTS_AT_ONCE);
    results.push(...await Promise.all(group.map(map)));
  }
  return results;
}

async function readWaiting(client: Client): Promise<ExecutionSummary[]> {
  const found: ExecutionSummary[] = [];
  for (;;) {
    const page = { limit: PAGE, offset: found.length };
    const executions = await client.executions({ status: ["waiting"], ...page });
    found.push(...executions);
    if (executions.length < PAGE) return found;
  }
}

async function readQuestion(client: Client, id: number): Promise<PendingBody | undefined> {
  try {
    return await client.pending(id);
  } catch (error) {
    // It has been answered since the list was made.
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
