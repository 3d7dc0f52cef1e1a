import assert from "node:assert/strict";
import { join } from "node:path";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli } from "../../fake_cli.ts";
import { ask } from "../../waiting_execution.ts";

Deno.test("recap tells runs, failures by agent, cost, what waits and what did not run", async () => {
  await using cli = await createFakeCli();
  const { runtime, clock } = cli;
  runtime.addAgent(fakeAgent("daily"));
  const now = clock.now();
  runtime.addExecution({ agentId: "daily", status: "success", costUsd: 0.5, startedAt: now });
  for (const error of ["No key", "The disk is full\nat all"]) {
    runtime.addExecution({ agentId: "daily", status: "error", error, startedAt: now });
  }
  runtime.addExecution({ agentId: "weekly", status: "aborted", error: "Cancelled by user" });
  ask(cli, runtime.addExecution({ agentId: "writer" }).id, { message: "Allow file_write?" });
  const slot = { agentId: "daily", executionId: null, count: 1 };
  runtime.slots.push(
    { ...slot, scheduledFor: now + 2, outcome: "missed", reason: "the service was not running" },
    { ...slot, scheduledFor: now + 1, outcome: "missed", reason: "the service was not running" },
  );
  await clock.advance(3_600_000);
  assert.equal(await cli.run("recap", "--since", "2h"), 0);
  const { text } = cli.stdout;
  assert.match(
    text,
    /^Since .* \(2h 00m\)\n5 runs: 1 succeeded, 2 failed, 1 cancelled, 1 waiting\nCost: /,
  );
  assert.match(
    text,
    /\nFailed\n {2}daily: 2 times, the last: The disk is full \(inkling logs -e 3\)\n/,
  );
  assert.match(
    text,
    /\nWaiting for you\n {2}writer: Allow file_write\?, 60 min ago \(inkling respond 5\)\n/,
  );
  assert.match(
    text,
    /\nDid not run\n {2}daily: missed 2 times from .*: the service was not running\n/,
  );
});

Deno.test("recap --check exits with 1 when something failed or waits, and does not count as a look", async () => {
  await using cli = await createFakeCli();
  assert.equal(await cli.run("recap", "--check"), 0);
  assert.match(cli.stdout.text, /^Since .* \(1d 0h\)\nNothing ran\n/);
  cli.runtime.addExecution({ status: "error", error: "x" });
  await cli.clock.advance(60_000);
  assert.equal(await cli.run("recap", "--check", "--json"), 1);
  assert.equal(await cli.run("recap", "--check"), 1);
  cli.runtime.executions.clear();
  ask(cli, cli.runtime.addExecution().id);
  assert.equal(await cli.run("recap", "--check"), 1);
});

Deno.test("recap needs no state folder, and warns where it cannot keep when the person looked", async () => {
  await using cli = await createFakeCli();
  const { stateDir } = cli;
  await Deno.remove(stateDir, { recursive: true });
  assert.equal(await cli.run("recap"), 0);
  assert.equal(cli.stderr.text, "");
  await Deno.mkdir(join(stateDir, "recap_seen", "x"), { recursive: true });
  assert.equal(await cli.run("recap"), 0);
  assert.match(cli.stderr.text, /^Warning: .*recap_seen could not be written, so the next recap/);
});

Deno.test("recap goes on where the person looked last, at most 7 days back", async () => {
  await using cli = await createFakeCli();
  const begin = async () => {
    cli.stdout.text = "";
    assert.equal(await cli.run("recap"), 0);
    return /^Since .* \((.*)\)/.exec(cli.stdout.text)?.[1];
  };
  assert.equal(await begin(), "1d 0h");
  await cli.clock.advance(3_600_000);
  assert.equal(await begin(), "1h 00m");
  await cli.clock.advance(60_000);
  assert.equal(await cli.run("recap", "--since", "5m"), 0);
  assert.equal(await cli.run("recap", "--json"), 0);
  await cli.clock.advance(60_000);
  assert.equal(await begin(), "2m 00s");
  await cli.clock.advance(30 * 86_400_000);
  assert.equal(await begin(), "7d 0h");
  assert.equal(await cli.run("recap", "--since", "soon"), 2);
});
