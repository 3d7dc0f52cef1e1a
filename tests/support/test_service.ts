// Listening services: over an in-memory runtime with a temporary state directory, or over the runtime of a workspace.
import { type Client, openSocketClient } from "../../api/client/client.ts";
import { serve, type ServeOptions, type Service } from "../../server/mod.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { TestClock } from "./test_clock.ts";
import type { TestWorkspace } from "./test_workspace.ts";

export interface TestService extends AsyncDisposable {
  socketFile: string;
  clock: TestClock;
  runtime: FakeRuntime;
  /** A client that is connected to the service's socket. */
  client: Client;
  /** Starts a service over the runtime. */
  start(options?: ServeOptions): Promise<Service>;
}

/** Creates a service that listens after `start`. Disposing stops it. */
export async function createTestService(): Promise<TestService> {
  const directory = await Deno.makeTempDir({ prefix: "inkling-serve-" });
  const clock = new TestClock();
  const runtime = new FakeRuntime({ clock, directory });
  const { socketFile } = runtime.directories;
  const client = openSocketClient(socketFile);
  const services: Service[] = [];
  return {
    socketFile,
    clock,
    runtime,
    client,
    async start(options = {}) {
      const service = await serve(runtime, options);
      services.push(service);
      return service;
    },
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      for (const service of services) await service.shutdown("requested");
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** The key of the TCP port. */
export const KEY = "correct-horse-battery";

/** A service on its socket and on a TCP port. Disposing stops it. The workspace stays. */
export interface ServedWorkspace extends AsyncDisposable {
  place: TestWorkspace;
  runtime: Runtime;
  /** The address of the TCP port. */
  origin: string;
  /** The client over the socket. */
  client: Client;
}

/** Opens the runtime of a workspace, and serves it. */
export async function serveWorkspace(place: TestWorkspace): Promise<ServedWorkspace> {
  await using stack = new AsyncDisposableStack();
  const runtime = stack.use(await place.open());
  const service = await serve(runtime, { tcp: { port: 0, apiKey: KEY }, keepAlive: true });
  stack.defer(async () => void await service.shutdown("requested"));
  const client = openSocketClient(runtime.directories.socketFile);
  stack.defer(() => client[Symbol.dispose]());
  const owned = stack.move();
  return {
    place,
    runtime,
    origin: `http://127.0.0.1:${service.ports[0]}`,
    client,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
