import assert from "node:assert/strict";
import type { ExecutionStatus } from "../../../../runtime/executions/states.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { streamOf } from "../../../support/scripted_transport.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { CTRL_C, ESC, NOTHING } from "../../fake_input.ts";
import { assertShown, picturesOf } from "../../picture.ts";
import * as waiting from "../../waiting_execution.ts";

const shows = picturesOf(import.meta.url);

type Options = Parameters<typeof createFakeCli>[0];

async function createWithAgents(options: Options = {}): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  for (const id of ["daily", "weekly"]) cli.runtime.addAgent(fakeAgent(id));
  return cli;
}

/** Appends an answer and the end to the only execution. */
function finish(
  cli: FakeCli,
  options: { status?: ExecutionStatus; answer?: string; error?: string } = {},
): void {
  const { status = "success", answer, error = null } = options;
  const { runtime } = cli;
  if (answer !== undefined) {
    runtime.append(1, "final_answer", { content: answer });
  }
  const execution = runtime.executions.get(1);
  assert.ok(execution);
  runtime.executions.set(1, { ...execution, status });
  runtime.append(1, "complete", {
    status,
    duration_ms: 1_500,
    total_tokens: 42,
    cost_usd: null,
    error,
  });
}

function callTool(cli: FakeCli): void {
  waiting.callTools(cli, 1, ["1", "file_read", { path: "notes.md" }]);
}

/** Runs a command and calls `then` when the execution exists. */
async function runAnd(cli: FakeCli, argv: string[], then: () => void): Promise<number> {
  const code = cli.run("run", ...argv);
  await until(() => cli.runtime.executions.size === 1, "the run is accepted");
  then();
  return await cli.drive(code);
}

Deno.test("run writes only the answer to a file, and the steps to standard error", async () => {
  await using cli = await createWithAgents();
  const code = await runAnd(cli, ["daily"], () => {
    callTool(cli);
    finish(cli, { answer: "All is \u001b[31mwell\u001b[0m." });
  });
  assert.equal(code, 0);
  assert.equal(cli.stdout.text, "All is well.\n");
  assert.equal(cli.stderr.text, "→ file_read  notes.md\n✔ success · 1.5s · 42 tokens\n");
});

Deno.test("run exits with the code of the execution's status", async () => {
  const table: [ExecutionStatus, number][] = [
    ["success", 0],
    ["error", 1],
    ["aborted", 1],
    ["timeout", 1],
    ["orphaned", 1],
  ];
  for (const [status, expected] of table) {
    await using cli = await createWithAgents();
    const error = status === "success" ? undefined : "It went wrong";
    const code = await runAnd(cli, ["daily", "-q"], () => {
      finish(cli, { status, ...(error !== undefined && { error }) });
    });
    assert.equal(code, expected, status);
    assert.equal(cli.stdout.text, "");
    assert.equal(cli.stderr.text, error === undefined ? "" : "Error: It went wrong\n");
  }
});

Deno.test("run -d and run -q name agent files that could not be loaded", async () => {
  for (const option of ["-d", "-q"]) {
    await using cli = await createWithAgents();
    cli.runtime.notices = ["This run uses the agent's last good definition"];
    await runAnd(cli, ["daily", option], () => finish(cli, { answer: "Well" }));
    assert.equal(cli.stderr.text, `${cli.runtime.notices[0]}\n`);
  }
});

Deno.test("run --json prints the payload of each frame unchanged", async () => {
  await using cli = await createWithAgents({ isTerminal: true });
  const code = await runAnd(cli, ["daily", "--json"], () => {
    callTool(cli);
    finish(cli, { answer: "c1: \u009b2J" });
  });
  assert.equal(code, 0);
  const lines = cli.stdout.text.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    cli.runtime.frames.map(({ payload }) => JSON.parse(payload)),
  );
  assert.doesNotMatch(cli.stdout.text, /\u009b/);
});

Deno.test("run sends arguments, message, context and session", async () => {
  await using cli = await createWithAgents();
  await runAnd(
    cli,
    [..."--message -q --context ctx --session s1 daily".split(" "), "a b", "--", "--not-an-option"],
    () => finish(cli),
  );
  assert.deepEqual(cli.runtime.runs, [{
    agentId: "daily",
    request: {
      args: ["a b", "--not-an-option"],
      message: "-q",
      context: "ctx",
      sessionId: "s1",
      idempotencyKey: cli.runtime.runs[0]?.request.idempotencyKey,
      by: { via: "api" },
    },
  }]);
});

Deno.test("run uses a new service if the old one is stopping, and starts one run", async () => {
  await using cli = await createWithAgents();
  const keys: (string | null)[] = [];
  cli.transport = (path, init) => {
    if (path === "/health") return Promise.resolve(Response.json({ status: "ok" }));
    keys.push(new Headers(init.headers).get("idempotency-key"));
    cli.transport = undefined;
    cli.isRunning = false;
    return Promise.resolve(
      Response.json({ detail: "The service is shutting down" }, { status: 503 }),
    );
  };
  assert.equal(await cli.drive(cli.run("run", "daily", "-d")), 0);
  assert.equal(cli.spawned.length, 1);
  assert.equal(cli.runtime.runs.length, 1);
  assert.deepEqual(keys, [cli.runtime.runs[0]?.request.idempotencyKey]);
});

Deno.test("run suggests the id for a label, for a file name and for a path", async (t) => {
  await using cli = await createWithAgents();
  cli.runtime.addAgent(fakeAgent("news", { displayName: "Morning Digest" }));
  const table = ["morning digest", "news.md", "agents/news.md", "/home/me/agents/news.md", "zebra"];
  for (const meant of table) await shows(t, cli, "run", meant);
});

Deno.test("run of an agent with an invalid file prints the error, not earlier warnings", async (t) => {
  await using cli = await createWithAgents();
  const path = "/home/me/inkling/agents/new.md";
  const message = "model.name is missing";
  const fault = { path, line: 2, column: 1, severity: "error" as const, message };
  const warning = { ...fault, line: 1, severity: "warning" as const, message: "Unknown key a" };
  cli.runtime.broken = [{ id: "new", path, diagnostics: [warning, fault] }];
  await shows(t, cli, "run", "new");
});

Deno.test("run cancels the execution at Ctrl+C, prints that, and exits with 130", async (t) => {
  await using cli = await createWithAgents();
  const code = await runAnd(cli, ["daily"], () => {
    cli.runtime.cancel = (id) => {
      finish(cli, { status: "aborted", error: `Cancelled by user (${id})` });
      return Promise.resolve("cancelling");
    };
    assert.ok(cli.interrupt());
  });
  assert.equal(code, 130);
  await assertShown(t, cli, import.meta.url);
  assert.equal(cli.interrupt(), false, "nobody listens any more");
});

Deno.test("run exits immediately at the second Ctrl+C", async () => {
  await using cli = await createWithAgents();
  const startedAt = cli.clock.now();
  const code = cli.run("run", "daily");
  await until(() => cli.runtime.followers === 1, "the run is followed");
  cli.interrupt();
  await until(() => cli.stderr.text !== "", "the cancel is told");
  cli.interrupt();
  assert.equal(await code, 130);
  assert.equal(cli.clock.now(), startedAt);
});

Deno.test("run stops waiting for a cancelled execution after fifteen seconds", async () => {
  await using cli = await createWithAgents();
  const code = cli.run("run", "daily");
  await until(() => cli.runtime.followers === 1, "the run is followed");
  cli.interrupt();
  await until(() => cli.clock.awaits(15_000), "it waits for the end");
  await cli.clock.advance(14_999);
  assert.doesNotMatch(cli.stderr.text, /has not ended/);
  await cli.clock.advance(1);
  assert.equal(await code, 130);
  assert.match(cli.stderr.text, /\nError: Execution 1 has not ended yet: inkling logs -e 1\n/);
});

Deno.test("run exits with the reason if the execution cannot be cancelled", async () => {
  const reasons: [() => Promise<Response>, string][] = [
    [() => Promise.reject(new TypeError("connection refused")), "the service does not answer"],
    [() => Promise.resolve(Response.json({ detail: "Gone" }, { status: 409 })), "Gone"],
  ];
  for (const [answer, reason] of reasons) {
    await using cli = await createWithAgents();
    const code = cli.run("run", "daily");
    await until(() => cli.runtime.followers === 1, "the run is followed");
    cli.transport = answer;
    cli.interrupt();
    assert.equal(await cli.drive(code), 130);
    assert.match(
      cli.stderr.text,
      new RegExp(`\nError: Execution 1 could not be cancelled: ${reason}`),
    );
  }
});

Deno.test("run continues after a restart of the service, without repeating a frame", async (t) => {
  await using cli = await createWithAgents();
  let streams = 0;
  cli.transport = (path, init) => {
    if (!path.includes("/stream")) return cli.request(path, init);
    streams++;
    if (streams === 1) {
      callTool(cli);
      const [frame] = cli.runtime.frames;
      return Promise.resolve(streamOf(
        `event: tool_call\ndata: ${frame?.payload}\nid: ${frame?.id}\n\n` +
          'event: shutdown\ndata: {"event_type":"shutdown"}\n\n',
      ));
    }
    if (streams < 5) return Promise.reject(new TypeError("connection refused"));
    if (streams === 5) finish(cli, { answer: "Back again." });
    return cli.request(path, init);
  };
  assert.equal(await cli.drive(cli.run("run", "daily")), 0);
  await assertShown(t, cli, import.meta.url);
});

Deno.test("run exits with 3 if the service stops and does not return", async () => {
  await using cli = await createWithAgents();
  let isGone = false;
  cli.transport = (path, init) => {
    if (isGone) return Promise.reject(new TypeError("connection refused"));
    if (!path.includes("/stream")) return cli.request(path, init);
    isGone = true;
    return Promise.resolve(streamOf(": hello\n\n", true));
  };
  assert.equal(await cli.drive(cli.run("run", "daily")), 3);
  assert.match(cli.stderr.text, /\nError: The service stopped while execution 1 was running/);
});

Deno.test("run prints a streaming reply block by block, and does not repeat the whole reply", async (t) => {
  await using cli = await createWithAgents({ isTerminal: true });
  const code = cli.run("run", "daily");
  await until(() => cli.runtime.followers === 1, "the run is followed");
  for (const piece of ["I **will**\nlo", "ok.\n\nIt", " is\n"]) cli.runtime.delta(1, piece);
  await until(() => cli.stdout.text === "\nI will look.\n", "the first block comes");
  cli.runtime.append(1, "tool_call", {
    content: "I **will**\nlook.\n\nIt is\n\u001b[31m`there`.",
    tools: [{ id: "1", name: "file_read", args: "{}" }],
  });
  await until(() => cli.stdout.text.endsWith("file_read\n"), "the call comes");
  cli.runtime.delta(1, "All is ");
  waiting.finish(cli, 1, "All is well.");
  assert.equal(await cli.drive(code), 0);
  await assertShown(t, cli, import.meta.url);
});

/** Replaces the stream of execution 1 by these events. Events except deltas have an id. */
function streamEvents(cli: FakeCli, events: [string, Record<string, unknown>][]): void {
  const text = events.map(([event, payload], index) =>
    `event: ${event}\ndata: ${JSON.stringify(payload)}\n` +
    (event === "delta" ? "\n" : `id: ${index + 1}\n\n`)
  ).join("");
  cli.transport = (path, init) =>
    path.includes("/stream") ? Promise.resolve(streamOf(text)) : cli.request(path, init);
}

const COMPLETE: [string, Record<string, unknown>] = [
  "complete",
  { event_type: "complete", status: "error", error: "It broke" },
];

Deno.test("run prints the whole reply if its streamed part was cut or lost", async (t) => {
  const answer = (content: string): [string, Record<string, unknown>][] => [
    ["ai", { event_type: "ai", content }],
    ["final_answer", { event_type: "final_answer", content }],
  ];
  const table: [string, Record<string, unknown>][][] = [
    [
      ["delta", { content: "Begun" }],
      ["delta", { content: "Whole", restart: true }],
      ...answer("Whole."),
    ],
    [["delta", { content: "Middle" }], ...answer("From the beginning. Middle")],
    [["delta", { content: "Never ended" }]],
    [["delta", { content: "Too much" }], ["ai", { event_type: "ai", content: "Too much" }]],
  ];
  for (const events of table) {
    await using cli = await createWithAgents({ isTerminal: true });
    streamEvents(cli, [...events, COMPLETE]);
    assert.equal(await cli.run("run", "daily"), 1);
    await assertShown(t, cli, import.meta.url);
  }
});

Deno.test("run does not request streamed replies if it does not show them", async () => {
  for (const [isTerminal, ...flags] of [[false], [true, "-q"], [true, "--json"]] as const) {
    await using cli = await createWithAgents({ isTerminal });
    const paths: string[] = [];
    cli.transport = (path, init) => {
      paths.push(path);
      return cli.request(path, init);
    };
    await runAnd(cli, ["daily", ...flags], () => finish(cli, { answer: "x" }));
    assert.deepEqual(paths.filter((path) => path.includes("deltas")), []);
  }
});

const AT_TERMINAL = { isTerminal: true, hasPerson: true };

Deno.test("run with -d, with --json or without a terminal prints how to answer", async () => {
  const table: [Options, string[], { isDumb?: true }][] = [
    [AT_TERMINAL, ["--json"], {}],
    // A terminal with TERM=dumb cannot draw prompts.
    [AT_TERMINAL, [], { isDumb: true }],
    [{ isTerminal: true }, [], {}],
    [{ hasPerson: true }, [], {}],
  ];
  for (const [options, flags, terminal] of table) {
    await using cli = await createWithAgents(options);
    Object.assign(cli.stdout, terminal);
    const code = await runAnd(cli, ["daily", ...flags], () => void waiting.ask(cli, 1));
    assert.equal(code, 4);
    assert.deepEqual(cli.input.asked, []);
    if (flags.length === 0) {
      assert.match(cli.stderr.text, /\nAnswer it with: inkling respond 1 --yes \(or --no\)\n$/);
    }
  }
});

Deno.test("run cancels the execution at Ctrl+C at a question, and exits with 130", async () => {
  for (const key of [CTRL_C, NOTHING]) {
    await using cli = await createWithAgents(AT_TERMINAL);
    cli.input.answers = [key];
    const code = runAnd(cli, ["daily"], () => void waiting.ask(cli, 1));
    await until(() => cli.input.asked.length === 1, "it is asked");
    if (key === NOTHING) assert.ok(cli.interrupt());
    assert.equal(await code, 130);
    assert.equal(cli.runtime.executions.get(1)?.status, "aborted");
  }
});

Deno.test("run continues after an answer from elsewhere", async () => {
  await using cli = await createWithAgents(AT_TERMINAL);
  cli.input.answers = [true];
  const { prompter } = cli.input;
  const confirm = prompter.confirm;
  prompter.confirm = (question) => {
    cli.runtime.requests.delete(1);
    cli.runtime.setStatus(1, "running");
    waiting.finish(cli, 1, "Without you.");
    return confirm(question);
  };
  assert.equal(await runAnd(cli, ["daily"], () => void waiting.ask(cli, 1)), 0);
  assert.match(cli.stderr.text, /The question of execution 1 is closed: its status is success/);
  assert.match(cli.stdout.text, /Without you\./);
});

Deno.test("run without an agent shows a picker at a terminal; Esc and Ctrl+C end it", async () => {
  for (const [key, expected] of [["weekly", 0], [ESC, 130], [CTRL_C, 130]] as const) {
    await using cli = await createWithAgents(AT_TERMINAL);
    cli.input.answers = [key];
    assert.equal(await cli.run("run", "-d"), expected);
    assert.deepEqual(cli.input.asked[0]?.choices, ["daily", "weekly"]);
    assert.deepEqual(cli.runtime.runs.map(({ agentId }) => agentId), expected === 0 ? [key] : []);
  }
});

Deno.test("run --session accepts at most 200 code points", async () => {
  await using cli = await createFakeCli();
  cli.runtime.addAgent(fakeAgent("daily"));
  for (const session of ["x".repeat(201), "🌹".repeat(201)]) {
    cli.stderr.text = "";
    assert.equal(await cli.run("run", "daily", "-d", "--session", session), 2);
    assert.equal(cli.stderr.text, "Error: --session must have at most 200 characters\n");
  }
  for (const session of ["🌹".repeat(200), " ".repeat(300)]) {
    assert.equal(await cli.run("run", "daily", "-d", "--session", session), 0, cli.stderr.text);
  }
});
