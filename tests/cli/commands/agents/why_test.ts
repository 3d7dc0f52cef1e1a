import assert from "node:assert/strict";
import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
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
  assert.match(
    await why(cli, "daily"),
    /waits for your answer: "Allow file_write\?"\nAnswer: inkling respond 3\n$/,
  );
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
  Object.assign(cli.runtime.agents.get("idle")!, { ranUntil: START, nextRun: START + 3_600_000 });
  const setBack =
    /The clock was set back: idle has run for times until .*:30, and none of them runs again, next .*:30\n/;
  assert.match(await why(cli, "idle"), setBack);
  assert.equal(await cli.run("list"), 0);
  assert.match(cli.stderr.text, setBack);
  Object.assign(cli.runtime.agents.get("idle")!, { heldBecause: "only_on names b" });
  assert.match(
    await why(cli, "idle"),
    /^The trigger of idle does not fire here: only_on names b\n/,
  );
  assert.equal(await cli.run("list"), 0);
  assert.match(cli.stderr.text, /The trigger of idle does not fire here: only_on names b/);
  Object.assign(cli.runtime.agents.get("idle")!, { heldBecause: undefined });
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

Deno.test("why and resume name a stopped trigger; why names a change that was passed over", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const listing = await cli.runtime.getAgent("daily");
  listing.triggerPaused = "10 runs in a row failed";
  assert.match(
    await why(cli, "daily"),
    /^daily was stopped: 10 runs in a row failed\nFix .*: inkling resume daily\n$/,
  );
  cli.stdout.text = "";
  assert.equal(await cli.run("resume", "daily"), 0);
  assert.match(
    cli.stdout.text,
    /^The trigger of daily fires again; 3 file changes .* are dropped\n/,
  );
  assert.equal(await cli.run("resume", "nobody"), 2);
  listing.passedOver = { path: "/inbox/a.md", at: START, count: 2 };
  assert.match(
    await why(cli, "daily"),
    /^\/inbox\/a\.md was written at .* with the same content, .*, as 1 more times before it\nsame_content: true/,
  );
});

Deno.test("why names the execution that waits and its question where others are held for it, also when it has been answered", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const watch = { type: "watch", paths: ["inbox"], debounceMs: 0, maxRuns: 9, catchUp: "none" };
  addScheduled(cli, "sorter", {
    trigger: { ...watch, filters: { include: [], exclude: [] } },
    onPending: "skip",
  });
  const run = { agentId: "daily", trigger: "schedule", startedAt: START } as const;
  const { id } = cli.runtime.addExecution(run);
  ask(cli, id, { message: "Allow file_delete?\nold.md" });
  // A conversation holds only itself.
  const chat = cli.runtime.addExecution({
    ...run,
    trigger: "chat",
    sessionId: "s",
    startedAt: START + 60_000,
  });
  ask(cli, chat.id);
  cli.runtime.slots.push({
    agentId: "daily",
    executionId: null,
    count: 1,
    scheduledFor: START + 3_600_000,
    outcome: "skipped",
    reason: "waiting for an answer",
  });
  assert.match(
    await why(cli, "daily", "2026-01-01T03:30Z"),
    /skipped: waiting for an answer: execution 1 waits for your answer: "Allow file_delete\?"\nAnswer: inkling respond 1; on_pending: parallel/,
  );
  const ended = { status: "success", finishedAt: START + 7_200_000 } as const;
  cli.runtime.executions.set(id, { ...cli.runtime.executions.get(id)!, ...ended });
  assert.match(
    await why(cli, "daily", "2026-01-01T03:30Z"),
    /: execution 1 was waiting for an answer then, and has ended with success\nNext time/,
  );
  const sorted = cli.runtime.addExecution({ ...run, agentId: "sorter", trigger: "watch" });
  ask(cli, sorted.id);
  assert.match(
    await why(cli, "sorter", "2026-01-01T03:00Z"),
    /^sorter runs nothing else until then, and what changes meanwhile is held: execution 3 waits .*\nAnswer: inkling respond 3/,
  );
});

Deno.test("why tells of a file that never parsed, and of one beside its last good definition", async () => {
  await using cli = await createFakeCli();
  const problem = { line: 3, column: 1, severity: "error", message: "Broken YAML" } as const;
  const diagnosticOf = (id: string) => [{ ...problem, path: `/workspace/agents/${id}.md` }];
  cli.runtime.broken = [{
    id: "never",
    path: "/workspace/agents/never.md",
    diagnostics: diagnosticOf("never"),
  }];
  addScheduled(cli, "revised", { warnings: diagnosticOf("revised") });
  assert.equal(
    await why(cli, "never"),
    "The file of never does not parse, so that it never runs: line 3: Broken YAML\n" +
      'Mend /workspace/agents/never.md, line 3; "inkling validate never" shows all that is wrong\n',
  );
  cli.runtime.addExecution({ agentId: "revised", startedAt: START, status: "success" });
  assert.match(
    await why(cli, "revised"),
    /^The file of revised does not parse, and its last good definition is in use: line 3: Broken YAML\. Before that, revised ran at .* and succeeded\nMend /,
  );
  assert.match(
    await why(cli, "revised", "2026-01-01T02:30Z"),
    /^revised ran at .* and succeeded\n$/,
  );
});

Deno.test("why says for a missing key which variable belongs in which file, and for no service how to start one", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const error = "Cannot use model openai/gpt-5: OPENAI_API_KEY is not set; add the line " +
    "OPENAI_API_KEY=<your key> to /home/me/inkling/agents/_config/.env";
  cli.runtime.addExecution({ agentId: "daily", startedAt: START, status: "error", error });
  assert.match(
    await why(cli, "daily"),
    /ended with error: Cannot use model openai\/gpt-5: OPENAI_API_KEY is not set\nAdd the line OPENAI_API_KEY=<your key> to \/home\/me\/inkling\/agents\/_config\/\.env\n$/,
  );
  cli.isRunning = false;
  assert.match(
    await why(cli, "daily"),
    /^No service runs, so that daily does not fire\. Before that, daily ran at .*\n"inkling start -d"/,
  );
});

Deno.test("why tells for which label the last run waits, also where that made others be skipped", async () => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const { id } = cli.runtime.addExecution({
    agentId: "daily",
    trigger: "schedule",
    startedAt: START,
    waitsForLabels: ["gpu"],
  });
  const remedy = 'Start a node with "node: {labels: [gpu]}" in its config.yaml, ' +
    `or end it: inkling cancel ${id}\n`;
  const at = await why(cli, "daily");
  assert.match(
    at,
    /^daily was to run at .* \(schedule\), and execution 1 waits for a node with the label gpu\n/,
  );
  assert.ok(at.endsWith(remedy), at);
  cli.runtime.slots.push({
    agentId: "daily",
    executionId: null,
    count: 1,
    scheduledFor: START + 3_600_000,
    outcome: "skipped",
    reason: "the run before is still running",
  });
  const skipped = await why(cli, "daily");
  assert.match(
    skipped,
    /^daily was due at .* and skipped: execution 1 waits for a node with the label gpu\n/,
  );
  assert.ok(skipped.endsWith(remedy), skipped);
  cli.runtime.addExecution({ id, agentId: "daily", trigger: "schedule", startedAt: START });
  assert.match(await why(cli, "daily"), /skipped: the run before is still running\n/);
});

Deno.test("why knows that an agent fires on another node while no service runs here", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  addScheduled(cli, "daily");
  assert.match(await why(cli, "daily"), /^No service runs/);
  cli.runtime.storage = { kind: "postgres", place: "postgres://db/inkling" };
  cli.runtime.nodes.push(node());
  assert.match(await why(cli, "daily"), /^daily has not been due yet/);
});

Deno.test("why tells of a file that broke a moment ago: the service reads it for that question", async () => {
  await using cli = await createFakeCli();
  const sourcePath = "/home/me/inkling/agents/daily.md";
  const problem = { path: sourcePath, line: 3, column: 1, severity: "error" as const };
  addScheduled(cli, "daily", { sourcePath });
  const { getAgent } = cli.runtime;
  cli.runtime.getAgent = (id) => {
    addScheduled(cli, "daily", {
      sourcePath,
      warnings: [{ ...problem, message: "It is cut off" }],
    });
    return getAgent.call(cli.runtime, id);
  };
  assert.match(await why(cli, "daily"), /It is cut off/);
});
