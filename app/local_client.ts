// Creates an API client that calls the application in the same process, without a socket.
import type { Runtime } from "../runtime/interface/runtime.ts";
import { createApp } from "../server/app.ts";
import { Client } from "../api/client/client.ts";
import { inProcessTransport } from "../api/client/in_process_transport.ts";
import type { Caller } from "../runtime/vocabulary/callers.ts";
import { Lifecycle } from "../api/streams/lifecycle.ts";

/**
 * Returns a client of the runtime's application. `caller` is the sender of its requests. Disposing the client does not dispose
 * the runtime.
 */
export function createLocalClient(
  runtime: Runtime,
  caller: Caller = { via: "terminal" },
): Client {
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const app = createApp({ runtime, lifecycle, transports: () => [], caller });
  return new Client(inProcessTransport((address, init) => app.request(address, init)));
}
