// `inkling logs`: prints the list of executions, or the messages of one execution. With --follow it prints new lines of the
// service's log or of an execution.
import { type CommandOptions, performs } from "../../command_line/command.ts";
import type { logs } from "../../declarations/execution_commands.ts";
import { type Client, type ExecutionQuery, orMissing } from "../../../api/client/client.ts";
import type { ExecutionSummary, ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { SlotBody } from "../../../api/schemas/scheduler_schemas.ts";
import { toAgentWord } from "../../command_line/agent_word.ts";
import { findExecution, readPages } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";
import { type CommandContext, misuse } from "../../context/context.ts";
import { readSpan } from "../../command_line/moment.ts";
import { followFile } from "../../service/follow_file.ts";
import { formatCount } from "../../output/figures.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { showHistory } from "../../output/run/history.ts";
import { sanitize, toOneLine } from "../../output/sanitize.ts";
import { showTranscript } from "../../output/run/transcript.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import { orUnknownAgent, unknownAgent } from "../../context/unknown_agent.ts";

type LogsOptions = CommandOptions<typeof logs>;

const DEFAULT_LAST = 10;
/** The maximum number of executions whose tool results are searched. */
const MOST_SEARCHED = 1_000;
/** The number of executions that one request searches. */
const SEARCHED_AT_ONCE = 50;
/**
 * The number of records of due times per request. A record covers consecutive due times with the same reason, so one
 * request is usually enough.
 */
const SLOT_PAGE = 100;

/**
 * Prints the history of all agents, of one agent or of one execution. With --follow, prints the service's log or follows an
 * execution.
 */
export const perform = performs<typeof logs>(async (context, options, { agent: agentId }) => {
  if (options.follow) {
    const { execution: id } = options;
    if (id === undefined) return await followServiceLog(context, agentId, options);
    if (options.last !== undefined) {
      throw misuse("--follow shows the whole execution: remove --last");
    }
    const { watchExecution } = await import("./watch.ts");
    return await watchExecution(context, id, { ...options, asks: false });
  }
  await using reader = await openReader(context.app, context.workspace);
  const { client } = reader;
  if (options.execution !== undefined) {
    await showExecution(context, client, { ...options, execution: options.execution, agentId });
  } else {
    await showExecutions(context, client, { ...options, agentId });
  }
});

/** Prints executions with their message and result. For one agent it also prints the due times at which no run started. */
async function showExecutions(
  { app, output }: CommandContext,
  client: Client,
  options: LogsOptions & { agentId: string | undefined },
): Promise<void> {
  const { agentId, last = DEFAULT_LAST } = options;
  // The service takes an empty id as all agents. On a command line it is a variable without a value.
  if (agentId === "") throw unknownAgent(agentId, await client.agents());
  const filter = toFilter(options, app.clock.now());
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const query = { ...filter, agent: agentId };
  const listed = await readPages(
    (page) => client.executions({ ...query, ...page, preview: true }),
    last,
  );
  const searched = filter.q === undefined ? undefined : await searchResults(client, query, last);
  const executions = searched === undefined
    ? listed
    : newestOf([...listed, ...searched.executions], last);
  if (executions.length === 0 && agentId !== undefined) {
    // The list is also empty for an agent that does not exist, so this request checks it.
    await orUnknownAgent(client.runs(agentId, { limit: 1 }), { app, client, agentId });
  }
  if (options.json) return output.json(executions);
  const slots = agentId === undefined || isFiltered
    ? []
    : await readSlots(client, agentId, { executions, last });
  if (executions.length === 0 && slots.length === 0) {
    output.sentence(isFiltered ? "No execution matches" : noRuns(agentId));
  } else {
    const isOfAll = agentId === undefined;
    showHistory(output, executions, slots, { isOfAll, now: app.clock.now() });
  }
  if (searched !== undefined) output.note(describeSearch(searched));
  const [newest] = executions;
  if (output.stdout.isTerminal && newest !== undefined) {
    output.note(`"inkling logs -e ${newest.id}" shows the messages`);
  }
}

type ResultSearch = Awaited<ReturnType<typeof searchResults>>;

/**
 * Searches the tool results of the newest executions. The database has no index of tool results, so the number of
 * executions is limited. `backTo` is the start of the oldest searched execution; absent if all executions were searched.
 */
async function searchResults(
  client: Client,
  query: ExecutionQuery,
  last: number,
): Promise<{ executions: ListedExecution[]; count: number; backTo?: string }> {
  const { q, ...others } = query;
  const executions: ListedExecution[] = [];
  let count = 0;
  let backTo: string | undefined;
  while (count < MOST_SEARCHED && executions.length < last) {
    const page = { ...others, limit: SEARCHED_AT_ONCE, offset: count };
    const read = await client.executions(page);
    if (read.length > 0) {
      executions.push(...await client.executions({ ...page, q, results: true, preview: true }));
    }
    count += read.length;
    if (read.length < SEARCHED_AT_ONCE) return { executions, count };
    backTo = read.at(-1)?.started_at;
  }
  return { executions, count, ...(backTo && { backTo }) };
}

/** Returns at most `last` executions, newest first, without duplicates. */
function newestOf(executions: readonly ListedExecution[], last: number): ListedExecution[] {
  return [...new Map(executions.map((one) => [one.id, one])).values()]
    .sort((a, b) => b.id - a.id).slice(0, last);
}

function describeSearch({ count, backTo }: ResultSearch): string {
  const results = backTo === undefined
    ? "all tool results"
    : `the tool results of the last ${formatCount(count)} executions, back to ${
      formatMinute(backTo)
    }. Use --since and --until to search others`;
  return "Searched messages, answers and errors (the first 1,000 characters of each) and " +
    results;
}

function noRuns(agentId: string | undefined): string {
  return agentId === undefined
    ? "No agent has run yet: inkling run <agent>"
    : `${toOneLine(agentId)} has not run yet: inkling run ${toAgentWord(toOneLine(agentId))}`;
}

/**
 * Converts the options to a query for the service. Throws CommandFailure for an invalid time or a search text that is too
 * short.
 */
function toFilter(options: LogsOptions, now: number): ExecutionQuery {
  const { status, trigger, search } = options;
  if (search !== undefined && [...search.trim()].length < 3) {
    throw misuse("--search needs at least 3 characters");
  }
  return {
    ...readSpan(options, now),
    status: status === undefined ? undefined : [status],
    trigger,
    q: search,
  };
}

/**
 * Returns the due times without a run, newest first, back to the start of the oldest of `executions`. Without executions it
 * returns the last `last` due times.
 */
async function readSlots(
  client: Client,
  agentId: string,
  { executions, last }: { executions: readonly ExecutionSummary[]; last: number },
): Promise<SlotBody[]> {
  const hasRun = executions.length > 0;
  // If the machine's clock was set back, a newer execution can have an earlier start time.
  const oldest = Math.min(...executions.map(({ started_at: at }) => Date.parse(at)));
  const found: SlotBody[] = [];
  for (let offset = 0;; offset += SLOT_PAGE) {
    const page = await orMissing(client.slots(agentId, { limit: SLOT_PAGE, offset })) ?? [];
    const shown = page.filter(({ scheduled_for: at }) => !hasRun || Date.parse(at) >= oldest);
    found.push(...shown.filter(({ outcome }) => outcome !== "run"));
    const isEnough = hasRun ? shown.length < page.length : found.length >= last;
    if (isEnough || page.length < SLOT_PAGE) break;
  }
  return hasRun ? found : found.slice(0, last);
}

async function showExecution(
  { output }: CommandContext,
  client: Client,
  options: LogsOptions & { execution: number; agentId: string | undefined },
): Promise<void> {
  const { execution: id, agentId, last } = options;
  const execution = await findExecution(client, id);
  if (agentId !== undefined && execution.agent_id !== agentId) {
    throw misuse(`Execution ${id} belongs to "${execution.agent_id}", not to "${agentId}"`);
  }
  const all = await client.messages(id);
  if (options.json) {
    output.json(last === undefined ? all : all.slice(Math.max(0, all.length - last)));
  } else await showTranscript(output, execution, all, last);
}

async function followServiceLog(
  { app, output, workspace }: CommandContext,
  agentId: string | undefined,
  options: LogsOptions,
): Promise<void> {
  if (options.json) {
    throw misuse("--json requires --execution: the service's log is text");
  }
  if (app.remote !== undefined) {
    const message = "The service's log is a file on its machine: add --execution, or omit --follow";
    throw misuse(message);
  }
  const { logFile } = await app.places(workspace);
  if (agentId !== undefined) output.note("Following the service's log, which covers all agents");
  using interrupts = listenToInterrupts(app);
  const lines = followFile(logFile, {
    last: options.last ?? DEFAULT_LAST,
    clock: app.clock,
    signal: interrupts.first,
    onMissing: () => output.note(`There is no log yet at ${logFile}: waiting for it`),
  });
  for await (const line of lines) output.line(sanitize(line));
}
