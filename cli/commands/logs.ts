// logs: the executions of an agent, the messages of one execution, or the service's own log as it grows.
import { ApiError, type Client } from "../../server/client.ts";
import type { ExecutionDetail, ExecutionSummary, LogRow } from "../../server/schemas.ts";
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT, type ExitCode, Interrupted } from "../exit.ts";
import { followFile } from "../follow_file.ts";
import { formatCost, formatCount } from "../output/figures.ts";
import { FrameRenderer } from "../output/frames.ts";
import type { Output } from "../output/output.ts";
import { sanitise, toOneLine } from "../output/sanitise.ts";
import { formatDuration, formatLocal } from "../output/time.ts";
import { openReader } from "../connection.ts";
import { agentMissing, orUnknownAgent } from "../unknown_agent.ts";

/** The options of `logs`. */
export interface LogsOptions {
  last?: number;
  execution?: number;
  follow?: true;
  json?: true;
}

const DEFAULT_LAST = 10;
/** The most that the service returns at once. */
const PAGE = 500;

/** Shows history: of an agent, or, with `execution`, of one run; with `follow`, the service log. */
export async function logs(
  context: CommandContext,
  agentId: string | undefined,
  options: LogsOptions,
): Promise<ExitCode> {
  if (options.follow) return await followServiceLog(context, agentId, options);
  await using reader = await openReader(context.app, context.workspace);
  const { client } = reader;
  if (options.execution !== undefined) {
    await showExecution(context, client, { ...options, execution: options.execution, agentId });
  } else if (agentId === undefined) {
    throw agentMissing("logs", (await client.agents()).map(({ id }) => id));
  } else {
    await showHistory(context, client, { ...options, agentId });
  }
  return EXIT.ok;
}

async function showHistory(
  { app, output }: CommandContext,
  client: Client,
  options: LogsOptions & { agentId: string },
): Promise<void> {
  const { agentId, last = DEFAULT_LAST } = options;
  const executions = await orUnknownAgent(readRuns(client, agentId, last), {
    app,
    client,
    agentId,
  });
  if (options.json) return output.json(executions);
  if (executions.length === 0) {
    return output.line(`${toOneLine(agentId)} has not run yet: inkling run ${toOneLine(agentId)}`);
  }
  const { style } = output;
  output.table([
    { header: "Id", align: "right", paint: style.bold },
    { header: "Started" },
    {
      header: "Status",
      paint: (cell, value) => paintStatus(output, cell, value as ExecutionSummary["status"]),
    },
    { header: "Trigger" },
    { header: "Duration", align: "right" },
    { header: "Tokens", align: "right" },
    { header: "Cost", align: "right" },
  ], executions.map(toCells));
  if (output.stdout.isTerminal) {
    output.note(`"inkling logs -e ${executions[0]?.id}" shows what was said`);
  }
}

async function readRuns(
  client: Client,
  agentId: string,
  last: number,
): Promise<ExecutionSummary[]> {
  const found: ExecutionSummary[] = [];
  while (found.length < last) {
    const limit = Math.min(PAGE, last - found.length);
    const page = await client.runs(agentId, { limit, offset: found.length });
    found.push(...page);
    if (page.length < limit) break;
  }
  return found;
}

function toCells(execution: ExecutionSummary): string[] {
  const { duration_ms: duration, total_tokens: tokens, cost_usd: cost } = execution;
  return [
    String(execution.id),
    formatLocal(execution.started_at),
    execution.status,
    execution.trigger,
    duration === null ? "-" : formatDuration(duration),
    tokens === null ? "-" : formatCount(tokens),
    cost === null ? "-" : formatCost(cost),
  ];
}

function paintStatus(output: Output, cell: string, status: ExecutionSummary["status"]): string {
  const { style } = output;
  if (status === "success") return style.green(cell);
  return status === "running" || status === "waiting" ? style.yellow(cell) : style.red(cell);
}

async function showExecution(
  { output }: CommandContext,
  client: Client,
  options: LogsOptions & { execution: number; agentId: string | undefined },
): Promise<void> {
  const { execution: id, agentId, last } = options;
  const execution = await readExecution(client, id);
  if (agentId !== undefined && execution.agent_id !== agentId) {
    throw new CommandFailure(
      EXIT.usage,
      `Execution ${id} is one of "${execution.agent_id}", not of "${agentId}"`,
    );
  }
  const all = await client.messages(id);
  const rows = last === undefined ? all : all.slice(Math.max(0, all.length - last));
  if (options.json) output.json(rows);
  else showRows(output, rows, execution);
}

async function readExecution(client: Client, id: number): Promise<ExecutionDetail> {
  try {
    return await client.execution(id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CommandFailure(
      EXIT.usage,
      `There is no execution ${id}. "inkling logs <agent>" shows those of an agent`,
    );
  }
}

function showRows(output: Output, rows: readonly LogRow[], execution: ExecutionDetail): void {
  const renderer = new FrameRenderer({
    style: output.style,
    columns: output.stdout.columns,
    verbose: output.verbose,
    showMessages: !output.quiet,
    showTimes: true,
  });
  for (const row of rows) {
    for (const { kind, text } of renderer.render(toPayload(row, execution))) {
      if (kind === "answer") output.line(output.quiet ? text : `\n${text}\n`);
      else if (kind === "failure") output.line(output.style.red(text));
      else output.detail(text);
    }
  }
  if (execution.status === "running" || execution.status === "waiting") {
    output.note(`Execution ${execution.id} is ${execution.status}: there may be more to come`);
  }
}

/** A log row as the frame that it was: what the row leaves out is known from the execution or repeats its message. */
function toPayload(row: LogRow, execution: ExecutionDetail): Readonly<Record<string, unknown>> {
  return {
    execution_id: row.execution_id,
    display_name: execution.agent_id,
    content: row.message,
    ...(row.metadata === null ? {} : JSON.parse(row.metadata)),
    timestamp: row.timestamp,
    event_type: row.event_type,
    message: row.message,
  };
}

async function followServiceLog(
  { app, output, workspace }: CommandContext,
  agentId: string | undefined,
  options: LogsOptions,
): Promise<ExitCode> {
  const { logFile } = await app.places(workspace);
  if (agentId !== undefined) output.note("Following the log of the service, with all its agents");
  const interrupt = new AbortController();
  const stopListening = app.onInterrupt(() => interrupt.abort(new Interrupted()));
  try {
    const lines = followFile(logFile, {
      last: options.last ?? DEFAULT_LAST,
      clock: app.clock,
      signal: interrupt.signal,
      onMissing: () => output.note(`There is no log yet at ${logFile}: waiting for it`),
    });
    for await (const line of lines) output.line(sanitise(line));
  } finally {
    stopListening();
  }
  return EXIT.ok;
}
