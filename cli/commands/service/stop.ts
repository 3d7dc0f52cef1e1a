// `inkling stop`: stops the service and verifies that its process has ended.
import { performs } from "../../command_line/command.ts";
import type { stop } from "../../declarations/service_commands.ts";
import type { Client } from "../../../api/client/client.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import { type CommandContext, commandFailed } from "../../context/context.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { formatElapsed, formatRelative } from "../../output/time.ts";
import { ask, stopService } from "../../service/stop_sequence.ts";

/** The default of --timeout: the seconds that the service may take to stop. */
const DEFAULT_TIMEOUT = 15;

/** The maximum number of running executions that the command lists. */
const MOST_NAMED = 500;
/** The maximum wait, in milliseconds, for the service's list of running executions. */
const ANSWER_MS = 2_000;

/** Stops the service. `timeout` is the maximum wait, in seconds. Throws CommandFailure if the process survives. */
export const perform = performs<typeof stop>(async (context, { timeout = DEFAULT_TIMEOUT }) => {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  using client = app.connect(places);
  await nameRunning(context, client, timeout);
  const outcome = await stopService({
    app,
    client,
    places,
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
      throw commandFailed(
        `Process ${outcome.pid} is still running: even SIGKILL did not end it. Check it with "ps -p ${outcome.pid}"`,
      );
    case "unknown_pid":
      throw commandFailed(
        `A service is running, but it does not answer and ${places.pidFile} contains no PID. Find its process and kill it`,
      );
    default:
      return outcome satisfies never;
  }
});

/** Prints the running executions and the maximum wait for their end. Prints nothing if the service does not answer. */
async function nameRunning(
  { app, output }: CommandContext,
  client: Client,
  timeout: number,
): Promise<void> {
  const { clock } = app;
  const state = await ask(
    { client, app },
    (client, options) =>
      Promise.all([
        client.executions({ status: ["running"], limit: MOST_NAMED }, options),
        client.info(options),
      ]),
    Math.min(ANSWER_MS, timeout * 1_000),
  );
  // `stopService` reports a missing or silent service.
  if (typeof state === "string") return;
  const [running, { nodes = [] }] = state.answer;
  const here = nodes.find((node) => node.this_node);
  if (here !== undefined) return noteNode(output, here.running_executions);
  const [resting, held] = [running.filter(isResting), running.filter((one) => !isResting(one))];
  if (resting.length > 0) {
    output.note(`Kept for the next start: ${formatPlural(resting.length, "resting execution")}`);
  }
  if (held.length === 0) return;
  const now = clock.now();
  for (const { id, agent_id: agent, started_at: at } of held) {
    output.note(
      `Execution ${id} of ${toOneLine(agent)} is running, started ${formatRelative(at, now)}`,
    );
  }
  output.note(`Waiting up to ${formatElapsed(timeout * 1_000)} for the service to end them`);
}

function isResting({ rests_until: until }: ListedExecution): boolean {
  return until !== undefined;
}

/** Prints the number of running executions of this node, which shares its database with other nodes. */
function noteNode(output: Output, count: number): void {
  if (count === 0) return;
  output.note(
    `${formatPlural(count, "execution")} of this node: each ends, or continues on another node ` +
      "if its agent has on_restart: resume",
  );
}
