// stop: ends the service, and is sure of it.
import type { CommandContext } from "../context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../exit.ts";
import { stopService } from "../service/stop_sequence.ts";

/** Seconds that the service may take where nothing else is said. */
const DEFAULT_TIMEOUT = 15;

/** Stops the service; `timeout` is in seconds. */
export async function stop(
  context: CommandContext,
  { timeout = DEFAULT_TIMEOUT }: { timeout?: number },
): Promise<ExitCode> {
  const { app, output, workspace } = context;
  const places = await app.places(workspace);
  using client = app.connect(places);
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
      return EXIT.ok;
    case "stopped": {
      const how = outcome.by === "request" ? "" : ` with ${outcome.by}`;
      output.detail(`Inkling has stopped (PID ${outcome.pid})${how}`);
      return EXIT.ok;
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
}
