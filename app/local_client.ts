// A client whose service is in the same process: the application without a socket.
import type { Runtime } from "../runtime/runtime.ts";
import { createApp } from "../server/app.ts";
import { Client } from "../api/client/client.ts";
import { Lifecycle } from "../api/lifecycle.ts";

/** A client over the application of this runtime. Disposing it leaves the runtime open. */
export function createLocalClient(runtime: Runtime): Client {
  const lifecycle = new Lifecycle({ runtime, keepAlive: true, serviceMode: false });
  const app = createApp({ runtime, lifecycle, transports: () => [] });
  return new Client({
    fetch: async (path, init) => await app.request(`http://localhost${path}`, init),
  });
}
