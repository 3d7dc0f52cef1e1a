// stop: ends the service, and is sure of it.

import { performs } from "../../command_line/command.ts";
import type { stop } from "../../declarations/service_commands.ts";
import { ApiError, type Client, ServiceUnreachable } from "../../../api/client/client.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { NodeBody } from "../../../api/schemas/info_schemas.ts";
import { type CommandContext, CommandFailure, EXIT } from "../../context.ts";
import { DeadlineExceeded, withDeadline } from "../../deadline.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { formatElapsed, formatRelative } from "../../output/time.ts";
import { stopService } from "../../service/stop_sequence.ts";

/** Seconds that the service may take where nothing else is said. */
const DEFAULT_TIMEOUT = 15;

/** The most executions that are named. */
const MOST_NAMED = 500;
/** How long the service may take to name them. */
const ANSWER_MS = 2_000;

/** Stops the service; `timeout` is in seconds. */
export const perform = performs<typeof stop>(async (context, { timeout = DEFAULT_TIMEOUT }) => {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  using client = app.connect(places);
  await nameRunning(context, client, timeout);
  const outcome = await stopService({
    client,
    places,
    processes: app.processes,
    clock: app.clock,
    timeoutMs: timeout * 1_000,
    onStep: (text) => output.note(text),
  });
  switch (outcome.kind) {
    case "not_running":
      output.detail("Inkling is not running");
      return;
    case "stopped": {
      const how = outcome.by === "request" ? "" : ` with ${outcome.by}`;
      output.detail(`Inkling has stopped (PID ${outcome.pid})${how}`);
      return;
    }
    case "survived":
      throw new CommandFailure(
        EXIT.failed,
        `Process ${outcome.pid} is still running: even SIGKILL did not end it. Look at it with "ps -p ${outcome.pid}"`,
      );
    case "unknown_pid":
      throw new CommandFailure(
        EXIT.failed,
        `A service is running, but it does not answer and ${places.pidFile} holds no PID. End it by hand`,
      );
    default:
      return outcome satisfies never;
  }
});

/** Says which executions end with the service, and how long it may take; where the service does not answer, nothing. */
async function nameRunning(
  { app, output }: CommandContext,
  client: Client,
  timeout: number,
): Promise<void> {
  let running: ListedExecution[];
  let nodes: readonly NodeBody[];
  try {
    [running, { nodes = [] }] = await withDeadline(
      app.clock,
      (signal) =>
        Promise.all([
          client.executions({ status: ["running"], limit: MOST_NAMED }, { signal }),
          client.info({ signal }),
        ]),
      { ms: Math.min(ANSWER_MS, timeout * 1_000) },
    );
  } catch (error) {
    if (
      !(error instanceof ApiError || error instanceof ServiceUnreachable ||
        error instanceof DeadlineExceeded)
    ) {
      throw error;
    }
    // Whether there is a service, and whether it answers, is told by what follows.
    return;
  }
  const here = nodes.find((node) => node.this_node);
  if (here !== undefined) return noteNode(output, here.running_executions);
  if (running.length === 0) return;
  const now = app.clock.now();
  for (const { id, agent_id: agent, started_at: at } of running) {
    output.note(`Execution ${id} of ${toOneLine(agent)} runs, begun ${formatRelative(at, now)}`);
  }
  output.note(`Waiting for the service to end them, ${formatElapsed(timeout * 1_000)} at most`);
}

/** Of a service that shares its executions with others. */
function noteNode(output: Output, count: number): void {
  if (count === 0) return;
  output.note(
    `${formatPlural(count, "execution")} of this node: each ends, or goes on at another node ` +
      "where its agent says on_restart: resume",
  );
}
