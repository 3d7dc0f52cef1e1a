// `deno task load`: runs load measurements that take too long for the test suite and prints the results. Exits with 1 when
// a result is wrong.
import { openSocketClient } from "../../api/client/client.ts";
import { openHttpClient } from "../../api/client/http_client.ts";
import { serve } from "../../server/mod.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { differences, readWithCuts } from "./cuts.ts";
import { runFollowers } from "./followers.ts";
import { writeBusyAgent } from "./many_frames.ts";

const problems: string[] = [];

async function followers(): Promise<void> {
  const report = await runFollowers({ followers: 1_000, frames: 1_000, connectMs: 5_000 });
  const perSecond = Math.round(report.followers * report.frames / (report.ms / 1_000));
  console.log(
    `${report.followers} followers x ${report.frames} frames: ${report.ms} ms, ` +
      `${perSecond} frames a second; an idle reader of the events got ${report.events.received} ` +
      `chunks, its longest silence was ${Math.round(report.events.longestSilenceMs)} ms`,
  );
  if (report.wrong.length > 0) problems.push(`${report.wrong.length} followers saw something else`);
  if (report.events.longestSilenceMs > 12_000) problems.push("a heartbeat came late");
}

async function cuts(): Promise<void> {
  await using workspace = await createTestWorkspace();
  await writeBusyAgent(workspace, { frames: 500, delayMs: 0 });
  await using runtime = await workspace.open();
  const service = await serve(runtime, { keepAlive: true });
  const path = runtime.directories.socketFile;
  using http = openHttpClient(path);
  using client = openSocketClient(path);
  const random = seededRandom(20);
  let count = 0;
  let readers = 0;
  while (count < 1_000) {
    const { execution_id } = await client.run("busy");
    const door = { base: "http://localhost", init: { client: http } };
    const reading = await readWithCuts(door, execution_id, { random, mostFrames: 10 });
    count += reading.cuts;
    readers++;
    problems.push(...await differences(runtime, execution_id, reading.frames));
  }
  console.log(`${count} cuts of ${readers} readers, each came back with Last-Event-ID`);
  await service.shutdown("requested");
}

await followers();
await cuts();
for (const problem of problems) console.error(`Wrong: ${problem}`);
Deno.exit(problems.length === 0 ? 0 : 1);
