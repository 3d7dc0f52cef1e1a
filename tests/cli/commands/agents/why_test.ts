import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { ask } from "../../waiting_execution.ts";

const START = Date.UTC(2026, 0, 1, 2, 30);

async function why(cli: FakeCli, ...argv: string[]): Promise<string> {
  cli.stdout.text = "";
  assert.equal(await cli.run("why", ...argv), 0, cli.stderr.text);
  return cli.stdout.text;
}

function addScheduled(cli: FakeCli, id: string, more: object = {}): void {
  cli.runtime.addAgent(
    fakeAgent(id, { trigger: { type: "schedule", cron: "30 * * * *", catchUp: "none" }, ...more }),
  );
}

Deno.test("why tells how the run of that minute ended, with the command that shows more", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const run = { agentId: "daily", trigger: "schedule", startedAt: START + 4_000 } as const;
  cli.runtime.addExecution({ ...run, status: "error", error: "The disk is full\nat x" });
  cli.runtime.addExecution({ ...run, status: "success", startedAt: START + 3_600_000 });
  assert.match(
    await why(cli, "daily", "2026-01-01T02:30Z"),
    /^daily ran at .* \(execution 1, schedule\) and ended with error: The disk is full\nWhat happened: inkling logs -e 1\n$/,
  );
  assert.match(
    await why(cli, "daily"),
    /^daily ran at .* \(execution 2, schedule\) and succeeded\n$/,
  );
  const { id } = cli.runtime.addExecution({ ...run, startedAt: START + 7_200_000 });
  ask(cli, id);
  assert.match(await why(cli, "daily"), /waits for your answer\nAnswer: inkling respond 3\n$/);
});

Deno.test("why tells why a due time passed without a run, also one of several that stand as one", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const slot = { agentId: "daily", executionId: null, count: 1 };
  cli.runtime.slots.push(
    {
      ...slot,
      scheduledFor: START + 3_600_000,
      outcome: "missed",
      reason: "the service was not running",
    },
    { ...slot, scheduledFor: START, outcome: "skipped", reason: "still running", count: 3 },
  );
  assert.match(
    await why(cli, "daily", "2026-01-01T02:50Z"),
    /^daily was due at .* and skipped, as 2 more times after it: still running\nGive it more time/,
  );
  assert.match(
    await why(cli, "daily", "2026-01-01T03:30Z"),
    /^daily was due at .* and missed: the service was not running\nKeep the service running/,
  );
});

Deno.test("why tells what keeps an agent from running at all", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "off", { enabled: false });
  addScheduled(cli, "idle");
  cli.runtime.addAgent(fakeAgent("asked"));
  assert.match(await why(cli, "off"), /^off is disabled: enabled: false in its file\nTake that/);
  assert.match(await why(cli, "asked"), /^asked has not been due yet: manual\n.*inkling run asked/);
  assert.match(
    await why(cli, "idle", "2026-01-01T02:31Z"),
    /^idle was not due at .*: cron 30 \* \* \* \*/,
  );
  cli.runtime.schedulerStatus = "paused";
  assert.match(await why(cli, "idle"), /^The scheduler is paused/);
  assert.deepEqual(JSON.parse(await why(cli, "off", "--json")), {
    agent_id: "off",
    at: null,
    execution_id: null,
    reason: "off is disabled: enabled: false in its file",
    remedy: "Take that line out",
  });
  assert.equal(await cli.run("why", "nobody"), 2);
  assert.equal(await cli.run("why", "idle", "soon"), 2);
});
