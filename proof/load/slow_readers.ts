// Measures the memory of readers that stop reading while an execution continues to log. This memory must not grow with the
// number of unread frames.
import { serve } from "../../server/mod.ts";
import { openSocketClient } from "../../api/client/client.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { writeBusyAgent } from "./many_frames.ts";
import { sleep } from "../soak/sleep.ts";

/** Returns the megabytes that 200 stalled readers add to the process's memory, for an execution with `frames` frames. */
export async function memoryBehindSlowReaders(frames: number): Promise<number> {
  const without = await memoryAfter(frames, 0);
  return await memoryAfter(frames, 200) - without;
}

async function memoryAfter(frames: number, readers: number): Promise<number> {
  await using workspace = await createTestWorkspace();
  await writeBusyAgent(workspace, { frames, delayMs: 1_000 });
  await using runtime = await workspace.open();
  const service = await serve(runtime, { keepAlive: true });
  const path = runtime.directories.socketFile;
  using client = openSocketClient(path);
  const { execution_id } = await client.run("busy");
  const request = new TextEncoder().encode(
    `GET /executions/${execution_id}/stream HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  );
  const connections = await Promise.all(Array.from({ length: readers }, async () => {
    const connection = await Deno.connect({ transport: "unix", path });
    await connection.write(request);
    await connection.read(new Uint8Array(256));
    return connection;
  }));
  while ((await client.execution(execution_id)).status === "running") {
    await sleep(50);
  }
  // Wait, then collect garbage, because objects that are unreachable but not yet collected would be counted.
  await sleep(200);
  Reflect.get(globalThis, "gc")?.();
  const { heapUsed, external } = Deno.memoryUsage();
  for (const connection of connections) connection.close();
  await service.shutdown("requested");
  return (heapUsed + external) / 1_048_576;
}
