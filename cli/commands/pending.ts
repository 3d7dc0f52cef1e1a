// pending: the executions that wait for a person, with what they want to know.
import { ApiError, type Client } from "../../server/client.ts";
import type { ExecutionSummary } from "../../server/execution_schemas.ts";
import type { PendingBody } from "../../server/request_schemas.ts";
import type { CommandContext } from "../context.ts";
import { openService } from "../daemon.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { formatRelative } from "../output/time.ts";
import { toVisibleLine } from "../output/visible_text.ts";

/** The most that the service returns at once. */
const PAGE = 500;
const REQUESTS_AT_ONCE = 8;

/** An open question, and whose it is. */
type OpenQuestion = { agent_id: string } & PendingBody;

/** Shows every open question. */
export async function pending(
  context: CommandContext,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output } = context;
  using client = await openService(context);
  const questions = await readQuestions(client);
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
      question.agent_id,
      question.kind,
      toVisibleLine(question.message),
      formatRelative(question.created_at, now),
      question.expires_at === null ? "never" : formatRelative(question.expires_at, now),
    ]),
  );
  if (output.stdout.isTerminal) {
    output.note(`"inkling respond ${questions[0]?.execution_id}" asks you and goes on`);
  }
  return EXIT.ok;
}

async function readQuestions(client: Client): Promise<OpenQuestion[]> {
  const waiting = await readWaiting(client);
  const ids = new Set(waiting.map(({ id }) => id));
  // One that waits for the agent it called has no question of its own.
  const asking = waiting.filter(({ parent_execution_id: parent }) =>
    parent === null || !ids.has(parent)
  );
  const found: OpenQuestion[] = [];
  for (let start = 0; start < asking.length; start += REQUESTS_AT_ONCE) {
    const group = asking.slice(start, start + REQUESTS_AT_ONCE);
    const questions = await Promise.all(group.map((one) => readQuestion(client, one)));
    found.push(...questions.filter((question) => question !== undefined));
  }
  return found;
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

async function readQuestion(
  client: Client,
  { id, agent_id }: ExecutionSummary,
): Promise<OpenQuestion | undefined> {
  try {
    return { agent_id, ...await client.pending(id), execution_id: id };
  } catch (error) {
    // It has been answered since the list was made.
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
