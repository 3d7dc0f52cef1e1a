// Tests replays of a recorded run: they have the same frames, or report the first difference that the current agent causes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { call } from "../executions/executions_of.ts";

Deno.test("replay() of tools, failures and retries is identical, and finds a changed log", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("tools", [
    { say: "First.", call: [call("file_write", { path: "a.txt", content: "A" })] },
    {
      call: [
        ...[call("file_read", { path: "a.txt" }), call("file_read", { path: "missing.txt" })],
        ...[call("nothing", {}), call("file_read", { wrong: 1 }), call("file_read", "{broken")],
      ],
      usage: { input: 100, output: 5 },
      cost_usd: 0.01,
    },
    { call: [call("memory_save", { section: "Facts", content: "x" })] },
    { say: "Done." },
  ], 'auto_approve: "*"');
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "tools", { message: "Go" });
  assert.equal(status, "success");
  await Deno.remove(join(place.workspace, "a.txt"));
  const replay = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual(replay, { differences: [], steps: 4, recordedSteps: 4, notes: [] });
  // A change in the log is found, too.
  const told = "event = 'tool_result' AND payload LIKE '%missing.txt%'";
  const changed = await place.run(
    `UPDATE frames SET payload = replace(payload, 'missing.txt', 'other.txt') WHERE ${told}`,
  );
  assert.equal(changed, 1);
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  assert.equal(differences.length, 1);
  await assert.rejects(Deno.stat(join(place.workspace, "a.txt")), "nothing was written");
});

Deno.test("replay() of a repaired answer is identical, and finds a changed schema", async () => {
  await using place = await createTestWorkspace();
  const script = [{ say: "No." }, { say: '{"price": 2}' }];
  const output = (type: string) =>
    `output: { schema: { type: object, properties: { price: { type: ${type} } }, required: [price] } }`;
  await place.writeScript("typed", script, output("number"));
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "typed");
  assert.equal(status, "success");
  const replay = () => runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual((await replay()).differences, []);
  await place.writeScript("typed", script, output("string"));
  assert.equal((await replay()).differences.length, 1);

  const steps = [{ call: [call("file_write", { path: "a.txt", content: "A" })] }, { say: "Done." }];
  await place.writeScript("dry", steps);
  const { id: dry } = await runToEnd(runtime, "dry", { dryRun: true });
  const refusal = /^DryRunNotPlayed: Cannot play execution 2 again: it was a dry run/;
  await assert.rejects(runtime.replays.replay(dry, { withAllTools: false }), refusal);
  const fork = await runtime.replays.fork(dry, { step: 0 });
  const { status: ended, isDryRun } = await toEnd(runtime, fork.id);
  assert.deepEqual([ended, isDryRun], ["success", true]);
  await assert.rejects(Deno.stat(join(place.workspace, "a.txt")), "nothing was written");
});
