// The workspace and the screen of the golden tests: agents and executions of every kind.
import { fakeAgent } from "../../support/fake_agent.ts";
import { fakePlan } from "../../support/fake_plan.ts";
import { createFakeCli, type FakeCli } from "../fake_cli.ts";
import { VirtualScreen } from "../virtual_screen.ts";
import { ask, callTools } from "../waiting_execution.ts";

const MINUTE_MS = 60_000;

/** A command line at a terminal, with a service. */
export interface World extends AsyncDisposable {
  cli: FakeCli;
  screen: VirtualScreen;
  /** The screen's text with fixed times and PIDs. */
  readonly picture: string;
}

/** Creates the world, at a terminal with this width. */
export async function createWorld(
  options: { columns: number; isRunning?: boolean; hasPerson?: boolean },
): Promise<World> {
  const screen = new VirtualScreen({ columns: options.columns });
  const { isRunning = true, hasPerson = false } = options;
  const cli = await createFakeCli({ screen, isRunning, hasPerson });
  return {
    cli,
    screen,
    get picture() {
      return normalize(screen.text);
    },
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
}

/** Adds agents of every kind, one with a broken file and one with a paused trigger. */
export function addAgents({ runtime, clock }: FakeCli): void {
  runtime.addAgent(
    fakeAgent("reporter", {
      displayName: "Weekly Reporter",
      description: "Reads the notes and writes a short report",
      icon: "🐧",
    }),
    { lastExecution: runtime.executions.get(1) ?? null },
  );
  runtime.addAgent(
    fakeAgent("nightly backup", {
      icon: "🐬",
      trigger: { type: "schedule", cron: "0 3 * * *", catchUp: "none" },
    }),
    { nextRun: clock.now() + 180 * MINUTE_MS },
  );
  runtime.addAgent(fakeAgent("日本語 ノート", {
    displayName: "Notes ⚠️ in Japanese",
    icon: "🌸",
    enabled: false,
    trigger: { type: "schedule", every: "5m", catchUp: "none" },
  }));
  runtime.addAgent(
    fakeAgent("sorter", {
      icon: "🦉",
      trigger: {
        type: "watch",
        paths: ["inbox/", "outbox/"],
        filters: { include: [], exclude: [] },
        debounceMs: 500,
        maxRuns: 200,
        catchUp: "none",
      },
      warnings: [{
        path: "/home/me/inkling/agents/sorter.md",
        line: 4,
        column: 3,
        severity: "warning",
        message: "The watched path does not exist yet: /home/me/inkling/outbox",
      }],
    }),
    { triggerPaused: "inbox/a.md fired it 21 times within a minute" },
  );
  runtime.plans.set("reporter", fakePlan());
  runtime.plans.set(
    "nightly backup",
    fakePlan({
      problems: ['The MCP server "shelf" cannot be used: it ended with exit code 1'],
      trigger: "schedule",
      upcoming: [180, 1_620, 3_060].map((minutes) => clock.now() + minutes * MINUTE_MS),
      key: null,
    }),
  );
  runtime.broken = [{
    id: "broken",
    path: "/home/me/inkling/agents/broken.md",
    diagnostics: [{
      path: "/home/me/inkling/agents/broken.md",
      line: 3,
      column: 10,
      severity: "error",
      message: 'trigger.every must be an interval of at least one second, got "5x"',
    }],
  }];
}

/** Adds the executions of the agents; the last one waits. */
export function addHistory(cli: FakeCli): void {
  const { runtime, clock } = cli;
  const at = (minutes: number) => clock.now() - minutes * MINUTE_MS;
  const reporter = { agentId: "reporter", displayName: "Weekly Reporter" };
  runtime.addExecution({
    ...reporter,
    startedAt: at(90),
    status: "success",
    durationMs: 63_200,
    totalTokens: 12_345,
    costUsd: 0.0321,
    toolCalls: 4,
  });
  runtime.addExecution({
    ...reporter,
    startedAt: at(45),
    status: "error",
    trigger: "schedule",
    durationMs: 900,
    totalTokens: 1_200,
    costUsd: 0.0012,
    error: "No key for openai: set OPENAI_API_KEY in agents/_config/.env",
  });
  runtime.addExecution({
    ...reporter,
    startedAt: at(12),
    status: "aborted",
    trigger: "agent",
    parentExecutionId: 1,
    durationMs: 4_000,
    error: "Cancelled by user",
  });
  runtime.addExecution({ ...reporter, startedAt: at(5) });
  const slot = { agentId: "reporter", executionId: null };
  runtime.slots.push(
    { ...slot, scheduledFor: at(10), outcome: "skipped", reason: "it still ran", count: 1 },
    {
      ...slot,
      scheduledFor: at(30),
      outcome: "missed",
      reason: "the service did not run",
      count: 3,
    },
    { ...slot, scheduledFor: at(45), outcome: "run", reason: null, executionId: 2, count: 1 },
  );
  ask(cli, 4, { toolArgs: { path: "report.md", content: "# Report\nAll is well.\n" } });
}

/** Appends the frames of a whole run: two calls, one failed, a delegated run, an answer in Markdown. */
export function playRun({ runtime }: FakeCli, id: number): void {
  const calls = (content: string, ...tools: [id: string, name: string, args: unknown][]) =>
    runtime.append(id, "tool_call", {
      content,
      message: "calls",
      tools: tools.map(([id, name, args]) => ({ id, name, args: JSON.stringify(args) })),
    });
  const result = (call: string, name: string, content: string, more = {}) =>
    runtime.append(id, "tool_result", {
      tool_call_id: call,
      tool_name: name,
      content,
      message: content,
      is_error: false,
      duration_ms: 12,
      ...more,
    });
  runtime.append(id, "meta", {
    event_type: "execution_info",
    model: "openai/gpt-5",
    trigger: "manual",
  });
  runtime.append(id, "message", {
    event_type: "system",
    content: "You are.\nMany\nlines\nfollow.",
  });
  runtime.append(id, "message", { event_type: "human", content: "Execute your task." });
  calls(
    "I read **all** the notes first.",
    ["a", "file_read", { path: "notes.md" }],
    ["b", "file_read", { path: "a/rather/long/path/to/something/that/is/not/there.md", limit: 20 }],
  );
  result(
    "a",
    "file_read",
    Array.from({ length: 60 }, (_, i) => `${i + 1}  note ${i + 1}`).join("\n"),
  );
  result("b", "file_read", "Error: Cannot read it: it does not exist.", { is_error: true });
  runtime.append(id, "meta", { event_type: "stats", total_tokens: 1_234, message: "1234 tokens" });
  calls("", ["c", "skill_use", { skill_name: "style" }]);
  result("c", "skill_use", "The instructions follow.");
  runtime.append(id, "meta", {
    content: '<skill-context name="style">\nShort.\nClear.\n</skill-context>',
  });
  calls("", ["d", "run_agent", { agent_id: "translator", arguments: "All is well." }]);
  const delegated = { status: "success", output: "Tout va bien.", execution_id: 13 };
  result("d", "run_agent", JSON.stringify({ ...delegated, total_tokens: 310, cost_usd: 0.0011 }), {
    duration_ms: 2_300,
  });
  const answer = [
    "# Report",
    "",
    "All is **well**, says `notes.md`; see [the garden](https://example.com/garden).",
    "",
    "1. The tomatoes grow, and they grow well enough to be eaten before the summer is over.",
    "2. The rest does not:",
    "   - [x] roses",
    "   - [ ] 日本のカエデ",
    "",
    "> A quote of somebody who has a garden of their own, and a long sentence to say about it.",
    "",
    "---",
    "",
    "```sh",
    `water --plants ${"roses,".repeat(12)}tomatoes`,
    "```",
    "",
    "| Plant | Height | Note |",
    "| --- | ---: | --- |",
    "| Rose 🌹 | 12 cm | needs a good deal of water over the summer |",
    "| Maple ⚠️ | 340 cm | fine |",
  ].join("\n");
  runtime.append(id, "ai", { content: answer });
  runtime.append(id, "final_answer", { content: answer });
  runtime.append(id, "complete", {
    status: "success",
    duration_ms: 63_200,
    total_tokens: 12_345,
    cost_usd: 0.0321,
    error: null,
  });
}

/** Appends the frames of a dry run: a file change, a new file, a binary file, another call, a call of another agent. */
export function playDryRun(cli: FakeCli, id: number): void {
  const { runtime } = cli;
  const file = { added: 1, removed: 0, is_new_file: false, problem: null };
  const own = { execution_id: id, agent_id: "reporter" };
  const would = [{
    ...own,
    tool_name: "file_edit",
    summary: "write notes/garden.md (+1 -1)",
    preview: {
      ...file,
      path: "notes/garden.md",
      removed: 1,
      diff: "@@ -1,3 +1,3 @@\n # Garden\n-The tomatoes are green.\n+The tomatoes are red, and " +
        "they are many: more than anybody could eat before the summer is over.\n End\n",
    },
  }, {
    ...own,
    tool_name: "file_write",
    summary: "write a/rather/long/path/to/a/report/that/is/new.md (new file, +1)",
    preview: {
      ...file,
      path: "new.md",
      is_new_file: true,
      diff: "@@ -0,0 +1,1 @@\n+日本の\x1b[31mカエデ\n",
    },
  }, {
    ...own,
    tool_name: "file_delete",
    summary: 'call file_delete {"path":"photo.png"}',
    preview: {
      ...file,
      path: "photo.png",
      added: 0,
      diff: "",
      problem: '"photo.png" is a binary file: its content is not shown.',
    },
  }, {
    ...own,
    tool_name: "http_request",
    summary:
      'call http_request {"method":"POST","url":"https://example.com/garden","body":"All is well."}',
    preview: null,
  }, {
    execution_id: 13,
    agent_id: "translator",
    tool_name: "file_move",
    summary: "move a.md to b.md",
    preview: { ...file, path: "a.md", added: 0, diff: "rename from a.md\nrename to b.md\n" },
  }];
  runtime.append(id, "meta", {
    event_type: "execution_info",
    model: "openai/gpt-5",
    trigger: "manual",
    dry_run: true,
  });
  callTools(cli, id, ["a", "file_edit", { path: "notes/garden.md" }]);
  runtime.append(id, "tool_result", {
    tool_call_id: "a",
    tool_name: "file_edit",
    content:
      "Would write notes/garden.md (+1 -1); not done: this is a dry run. What you read stays " +
      "as it was. Go on as if it had been done.",
    message: "result",
    is_error: false,
    duration_ms: 2,
    would_do: would,
  });
  runtime.append(id, "final_answer", {
    content: "The garden is well.",
  });
  runtime.append(id, "complete", {
    status: "success",
    duration_ms: 3_200,
    total_tokens: 1_345,
    cost_usd: 0.0021,
    error: null,
  });
}

/** Replaces local times by UTC, and the process's PID by a fixed one. */
export function normalize(text: string): string {
  const pid = new RegExp(`(PID +|Process |-p |"pid":)${Deno.pid}\\b`, "g");
  return toUtc(text).replaceAll(pid, (_, before) => `${before}4711`);
}

/** Replaces local times by UTC. The fake clock starts on January 1, so every time is of that day. */
function toUtc(text: string): string {
  const shift = (local: string) => new Date(local).toISOString();
  return text.replaceAll(
    /\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g,
    (local) => shift(local).replace("T", " ").slice(0, local.length),
  )
    .replaceAll(
      // On a narrow screen the line may break between date and time.
      /(?<![\d-])(\d\d-\d\d)(\s+)(\d\d:\d\d)/g,
      (_, day: string, gap: string, time: string) => {
        const utc = shift(`${day.startsWith("12") ? 2025 : 2026}-${day} ${time}`);
        return utc.slice(5, 10) + gap + utc.slice(11, 16);
      },
    )
    .replaceAll(/^\d\d:\d\d:\d\d/gm, (time) => shift(`2026-01-01 ${time}`).slice(11, 19));
}
