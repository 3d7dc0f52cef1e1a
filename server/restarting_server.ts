// A server that keeps listening: when the system refuses to accept (no file descriptor left, for one), it listens again.
import { backoffMs } from "../runtime/backoff.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";
import type { Listener } from "./listener.ts";

const WAITS = { firstMs: 100, longestMs: 5_000 };

/** What a server needs to last. */
export interface RestartPorts {
  clock: Clock;
  log: ServiceLog;
}

/** How a server is opened, now and whenever accepting has failed. */
export interface Opening<Server> {
  /** Where it listens, for the log. */
  address: (server: Server) => string;
  open: (before?: Server) => Server | Promise<Server>;
}

/** Opens a server and keeps it open until it is closed. Throws what the first opening throws. */
export async function listenWithRestarts<Server extends Deno.HttpServer<Deno.Addr>>(
  { open, address }: Opening<Server>,
  { clock, log }: RestartPorts,
): Promise<Listener & { readonly first: Server }> {
  const first = await open();
  const closing = new AbortController();
  const { signal } = closing;
  const on = address(first);
  let server = first;

  const reopen = async () => {
    for (let failures = 1;; failures++) {
      await clock.sleep(backoffMs(failures, WAITS), signal);
      try {
        return await open(first);
      } catch (error) {
        log.write("warn", "Cannot listen yet", { on, error });
      }
    }
  };
  const last = async () => {
    while (!signal.aborted) {
      try {
        await server.finished;
        return;
      } catch (error) {
        log.write("warn", "Connections cannot be accepted; listening again", { on, error });
      }
      server = await reopen();
      log.write("info", "Listening again", { on });
    }
  };
  const lasting = last().catch((error) => {
    if (!signal.aborted) throw error;
  });

  return {
    first,
    address: on,
    async close() {
      closing.abort();
      // It may be opened at this very moment: then that one is closed as well.
      await server.shutdown();
      await lasting;
      await server.shutdown();
    },
    abandon: () => server.unref(),
  };
}
