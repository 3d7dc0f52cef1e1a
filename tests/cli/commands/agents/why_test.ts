import { node } from "../../../runtime/executions/nodes/fake_nodes.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";
import { ask } from "../../waiting_execution.ts";

const START = Date.UTC(2026, 0, 1, 2, 30);

const shows = picturesOf(import.meta.url);

function addScheduled(cli: FakeCli, id: string, more: object = {}): void {
  cli.runtime.addAgent(
    fakeAgent(id, { trigger: { type: "schedule", cron: "30 * * * *", catchUp: "none" }, ...more }),
  );
}

const SLOT = { agentId: "daily", executionId: null, scheduledFor: START + 3_600_000, count: 1 };

function skip(cli: FakeCli, reason: string): void {
  cli.runtime.slots.push({ ...SLOT, outcome: "skipped", reason });
}

Deno.test("why with a time reports the run of that minute, and the command for details", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const run = { agentId: "daily", trigger: "schedule", startedAt: START + 4_000 } as const;
  cli.runtime.addExecution({ ...run, status: "error", error: "The disk is full\nat x" });
  cli.runtime.addExecution({ ...run, status: "success", startedAt: START + 3_600_000 });
  await shows(t, cli, "why", "daily", "2026-01-01T02:30Z");
  await shows(t, cli, "why", "daily");
  const { id } = cli.runtime.addExecution({ ...run, startedAt: START + 7_200_000 });
  ask(cli, id);
  await shows(t, cli, "why", "daily");
});

Deno.test("why explains a due time without a run, also within a combined slot", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  cli.runtime.slots.push(
    { ...SLOT, outcome: "missed", reason: "the service was not running" },
    { ...SLOT, scheduledFor: START, outcome: "skipped", reason: "still running", count: 3 },
  );
  await shows(t, cli, "why", "daily", "2026-01-01T02:50Z");
  await shows(t, cli, "why", "daily", "2026-01-01T03:30Z");
});

Deno.test("why lists the checks of the last day by a change trigger, and logs name the trigger", async (t) => {
  await using cli = await createFakeCli();
  const trigger = { type: "change", command: "cat x", every: "1h" } as const;
  const more = { headers: {}, ignore: [], maxRuns: 200 };
  cli.runtime.addAgent(fakeAgent("daily", { trigger: { ...trigger, ...more } }));
  const { id } = cli.runtime.addExecution({
    ...{ agentId: "daily", trigger: "change", status: "success", startedAt: START },
  });
  const check = { ...SLOT, outcome: "skipped" } as const;
  cli.runtime.slots.push(
    { ...check, reason: "the check failed: 503 Service Unavailable" },
    { ...check, scheduledFor: START, outcome: "run", reason: null, executionId: id },
    { ...check, scheduledFor: START - 7_200_000, reason: "no change", count: 2 },
    { ...check, scheduledFor: START - 90_000_000, reason: "the first check" },
  );
  await shows(t, cli, "why", "daily");
  await shows(t, cli, "logs", "daily");
});

Deno.test("why explains why an agent does not run at all", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "off", { enabled: false });
  addScheduled(cli, "idle");
  cli.runtime.addAgent(fakeAgent("asked"));
  await shows(t, cli, "why", "off");
  await shows(t, cli, "why", "asked");
  await shows(t, cli, "why", "idle", "2026-01-01T02:31Z");
  Object.assign(cli.runtime.agents.get("idle")!, { ranUntil: START, nextRun: START + 3_600_000 });
  await shows(t, cli, "why", "idle");
  await shows(t, cli, "list");
  Object.assign(cli.runtime.agents.get("idle")!, { inactiveReason: "only_on names b" });
  await shows(t, cli, "why", "idle");
  await shows(t, cli, "list");
  Object.assign(cli.runtime.agents.get("idle")!, { inactiveReason: undefined });
  cli.runtime.schedulerStatus = "paused";
  await shows(t, cli, "why", "idle");
  await shows(t, cli, "list");
  await shows(t, cli, "why", "off", "--json");
  await shows(t, cli, "why", "idle", "soon");
});

Deno.test("why and resume report a paused trigger", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const listing = await cli.runtime.getAgent("daily");
  listing.triggerPaused = "10 runs in a row failed";
  await shows(t, cli, "why", "daily");
  await shows(t, cli, "resume", "daily");
  listing.passedOver = { path: "/inbox/a.md", at: START, count: 2 };
  await shows(t, cli, "why", "daily");
});

Deno.test("why reports the waiting execution that blocks others, and its question", async (t) => {
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
  // Waiting chats block no other runs.
  const chat = cli.runtime.addExecution({
    ...run,
    trigger: "chat",
    sessionId: "s",
    startedAt: START + 60_000,
  });
  ask(cli, chat.id);
  skip(cli, "waiting for an answer");
  await shows(t, cli, "why", "daily", "2026-01-01T03:30Z");
  const ended = { status: "success", finishedAt: START + 7_200_000 } as const;
  cli.runtime.executions.set(id, { ...cli.runtime.executions.get(id)!, ...ended });
  await shows(t, cli, "why", "daily", "2026-01-01T03:30Z");
  const sorted = cli.runtime.addExecution({ ...run, agentId: "sorter", trigger: "watch" });
  ask(cli, sorted.id);
  await shows(t, cli, "why", "sorter", "2026-01-01T03:00Z");
});

Deno.test("why reports a file that never parsed, and a file with a last good definition", async (t) => {
  await using cli = await createFakeCli();
  const problem = { line: 3, column: 1, severity: "error", message: "Broken YAML" } as const;
  const diagnosticOf = (id: string) => [{ ...problem, path: `/workspace/agents/${id}.md` }];
  cli.runtime.broken = [{
    id: "never",
    path: "/workspace/agents/never.md",
    diagnostics: diagnosticOf("never"),
  }];
  addScheduled(cli, "revised", { warnings: diagnosticOf("revised") });
  await shows(t, cli, "why", "never");
  cli.runtime.addExecution({ agentId: "revised", startedAt: START, status: "success" });
  await shows(t, cli, "why", "revised");
  await shows(t, cli, "why", "revised", "2026-01-01T02:30Z");
});

Deno.test("why names the variable and the file of a missing key", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const error = "Cannot use model openai/gpt-5: OPENAI_API_KEY is not set; add the line " +
    "OPENAI_API_KEY=<your key> to /home/me/inkling/agents/_config/.env";
  cli.runtime.addExecution({ agentId: "daily", startedAt: START, status: "error", error });
  await shows(t, cli, "why", "daily");
  cli.isRunning = false;
  await shows(t, cli, "why", "daily");
});

Deno.test("why reports the label that the last run waits for", async (t) => {
  await using cli = await createFakeCli();
  addScheduled(cli, "daily");
  const { id } = cli.runtime.addExecution({
    agentId: "daily",
    trigger: "schedule",
    startedAt: START,
    waitsForLabels: ["gpu"],
  });
  await shows(t, cli, "why", "daily");
  skip(cli, "the run before is still running");
  await shows(t, cli, "why", "daily");
  cli.runtime.addExecution({ id, agentId: "daily", trigger: "schedule", startedAt: START });
  await shows(t, cli, "why", "daily");
});

Deno.test("why reports no missing service if another node fires the triggers", async (t) => {
  await using cli = await createFakeCli({ isRunning: false });
  addScheduled(cli, "daily");
  await shows(t, cli, "why", "daily");
  cli.runtime.storage = { kind: "postgres", place: "postgres://db/inkling" };
  cli.runtime.nodes.push(node());
  await shows(t, cli, "why", "daily");
});

Deno.test("why reports a file that just became invalid, because the service reads it again", async (t) => {
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
  await shows(t, cli, "why", "daily");
});
