// A listening service with an in-memory runtime and a temporary state directory.
import { type Client, openSocketClient } from "../../api/client/client.ts";
import { serve, type ServeOptions, type Service } from "../../server/mod.ts";
import { FakeRuntime } from "./fake_runtime.ts";
import { TestClock } from "./test_clock.ts";

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
