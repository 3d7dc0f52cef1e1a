// Finds ports for programs that tests start.
import { until } from "../until.ts";

/**
 * Returns a free TCP port of 127.0.0.1. The port is below those that the system gives to connections and to listeners on
 * port 0, so that only another call can return it before the program listens.
 */
export function freePort(): number {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    try {
      using _listener = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/**
 * Waits until no listener has the port, after the test has closed its own. A process that another test starts at this moment
 * also has that listener open, until its program runs.
 */
export async function untilFree(port: number): Promise<void> {
  await until(async () => {
    try {
      using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
      return false;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionRefused) return true;
      throw error;
    }
  }, `port ${port} is free`);
}
