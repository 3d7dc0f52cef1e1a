// Following an execution to its end, over a service that goes away for a while and comes back.
import { type Client, ServiceUnreachable, type StreamFrame } from "../../server/client.ts";
import type { Clock } from "../app.ts";
import { CommandFailure, EXIT } from "../exit.ts";

const RETRY_MS = 500;
/** How long a service may be gone before the command gives up on it. */
const GONE_MS = 15_000;

/**
 * The frames of an execution behind `after`, up to `complete` or `waiting`, each once. When the service goes down it is
 * waited for; throws CommandFailure when it does not come back, and the reason of the signal.
 */
export async function* followExecution(
  client: Client,
  id: number,
  options: {
    clock: Clock;
    signal: AbortSignal;
    after?: number;
    /** Whether replies are wanted as they come, too. */
    deltas?: boolean;
    onLost?: () => void;
  },
): AsyncGenerator<StreamFrame, void, void> {
  const { clock, signal, deltas = false } = options;
  let after = options.after ?? 0;
  let lostAt: number | undefined;
  for (;;) {
    try {
      for await (const frame of client.follow(id, { after, deltas, signal })) {
        if (frame.event === "shutdown") break;
        lostAt = undefined;
        if (frame.id !== null) after = frame.id;
        yield frame;
        if (frame.event === "complete" || frame.event === "waiting") return;
      }
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
    }
    if (lostAt === undefined) {
      lostAt = clock.now();
      options.onLost?.();
    }
    if (clock.now() - lostAt >= GONE_MS) {
      throw new CommandFailure(
        EXIT.unreachable,
        `The service went down while execution ${id} was running, and has not come back. ` +
          `Start it with "inkling start -d"; "inkling logs -e ${id}" shows how far it came`,
      );
    }
    await clock.sleep(RETRY_MS, signal);
  }
}
