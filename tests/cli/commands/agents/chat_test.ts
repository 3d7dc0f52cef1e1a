import assert from "node:assert/strict";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { CTRL_C, ESC, NOTHING } from "../../fake_input.ts";
import { ask, finish } from "../../waiting_execution.ts";

const AT_TERMINAL = { isTerminal: true, hasPerson: true };

async function createWithAgent(options: Parameters<typeof createFakeCli>[0]): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  cli.runtime.addAgent(fakeAgent("daily"));
  return cli;
}

/** Runs a chat. Each of `turns` ends one execution, in order. */
async function chat(cli: FakeCli, ...turns: ((id: number) => void)[]): Promise<number> {
  const code = cli.run("chat", "daily");
  for (const [index, turn] of turns.entries()) {
    const id = index + 1;
    await until(() => cli.runtime.executions.has(id), `execution ${id} is accepted`);
    await until(() => cli.runtime.followers === 1, `execution ${id} is followed`);
    turn(id);
  }
  return await cli.drive(code);
}

Deno.test("chat makes each line a turn of one session, and ends with a summary", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["  Hello ", "", "   ", "And now?", "/exit", "never said"];
  const code = await chat(cli, (id) => finish(cli, id, "Hi."), (id) => finish(cli, id, "Bye."));
  assert.equal(code, 0);
  const requests = cli.runtime.runs.map(({ request }) => request);
  assert.deepEqual(requests.map(({ message }) => message), ["Hello", "And now?"]);
  assert.match(requests[0]?.sessionId ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(requests[1]?.sessionId, requests[0]?.sessionId);
  assert.match(cli.stdout.text, /^daily · demo\/script · \/exit or Ctrl\+D ends the chat/);
  assert.match(cli.stdout.text, /\n\nHi\.\n\n\nBye\.\n\n2 turns · 84 tokens · \d/);
  assert.ok(cli.input.edited);
  assert.ok(!cli.input.isOpen);
});

Deno.test("chat exits with 0 at /quit, at Ctrl+C and at the end of the input", async () => {
  for (const lines of [["/quit"], [CTRL_C], []] as const) {
    await using cli = await createWithAgent(AT_TERMINAL);
    cli.input.lines = [...lines];
    assert.equal(await cli.run("chat", "daily"), 0);
    assert.match(cli.stdout.text, /\n0 turns · 0 tokens/);
    assert.equal(cli.interrupt(), false, "nobody listens any more");
  }
});

Deno.test("chat from a pipe continues after a failed turn, and exits with 1", async () => {
  await using cli = await createWithAgent({});
  cli.input.lines = ["one", "two"];
  const code = await chat(
    cli,
    (id) => cli.runtime.setStatus(id, "error"),
    (id) => finish(cli, id, "Second."),
  );
  assert.equal(code, 1);
  assert.equal(cli.stdout.text, "Second.\n");
  assert.equal(cli.input.edited, false);
});

Deno.test("chat from a pipe exits with 4 at a question", async () => {
  await using cli = await createWithAgent({});
  cli.input.lines = ["one", "two"];
  assert.equal(await chat(cli, (id) => void ask(cli, id)), 4);
  assert.match(cli.stderr.text, /inkling respond 1 --yes/);
  assert.equal(cli.runtime.runs.length, 1);
});

Deno.test("chat asks the questions of a turn until they are answered", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["Write it"];
  cli.input.answers = [ESC, true];
  cli.runtime.onRespond = (id) => {
    cli.runtime.setStatus(id, "running");
    finish(cli, id, "Written.");
  };
  assert.equal(await chat(cli, (id) => void ask(cli, id)), 0);
  assert.deepEqual(cli.runtime.responses.map(({ answer }) => answer), [{ approved: true }]);
  assert.match(cli.stderr.text, /The agent waits for your answer/);
  assert.match(cli.stdout.text, /\? file_write\n {4}path: note\.txt\n/);
  assert.match(cli.stdout.text, /\nWritten\.\n/);
});

Deno.test("chat cancels the turn at Ctrl+C at a question, and continues", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["Write it", "Hello"];
  cli.input.answers = [CTRL_C];
  const code = await chat(cli, (id) => void ask(cli, id), (id) => finish(cli, id, "Hi."));
  assert.equal(code, 0);
  assert.equal(cli.runtime.executions.get(1)?.status, "aborted");
  assert.match(cli.stdout.text, /✖ aborted[^]*Hi\./);
});

Deno.test("chat cancels the turn at Ctrl+C during an answer and continues", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["one", "two"];
  cli.runtime.cancel = (id) => {
    cli.runtime.setStatus(id, "aborted");
    return Promise.resolve("cancelling");
  };
  const code = await chat(cli, () => void cli.interrupt(), (id) => finish(cli, id, "Second."));
  assert.equal(code, 0);
  assert.match(cli.stderr.text, /^Cancelling execution 1/);
  assert.match(cli.stdout.text, /\nSecond\.\n[^]*2 turns/);
});

Deno.test("chat exits with 130 at the second Ctrl+C during an answer", async () => {
  for (const options of [AT_TERMINAL, {}]) {
    await using cli = await createWithAgent(options);
    cli.input.lines = ["one", NOTHING];
    const code = cli.run("chat", "daily");
    await until(() => cli.runtime.followers === 1, "the turn is followed");
    cli.interrupt();
    await until(() => cli.stderr.text !== "", "the cancel is told");
    cli.interrupt();
    assert.equal(await code, 130);
    assert.match(cli.stdout.text + cli.stderr.text, /1 turn · 0 tokens/);
  }
});

Deno.test("chat shows a refused turn and continues", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["x".repeat(10)];
  cli.runtime.runFailure = new TypeError("bug");
  assert.equal(await cli.run("chat", "daily"), 0);
  assert.match(cli.stderr.text, /^Error: /);
  assert.match(cli.stdout.text, /\n0 turns/);
});

Deno.test("chat starts the service before the first line, and again if it has stopped", async () => {
  await using cli = await createWithAgent({ ...AT_TERMINAL, isRunning: false });
  cli.input.lines = ["Hello"];
  const open = cli.input.openLines.bind(cli.input);
  cli.input.openLines = (options) => {
    assert.equal(cli.spawned.length, 1);
    cli.isRunning = false;
    return open(options);
  };
  const code = cli.run("chat", "daily");
  await until(() => cli.runtime.followers === 1, "the turn is followed");
  finish(cli, 1, "Hi.");
  assert.equal(await cli.drive(code), 0);
  assert.equal(cli.spawned.length, 2);
});

Deno.test("chat finds an agent whose file the service has not loaded yet", async () => {
  await using cli = await createFakeCli(AT_TERMINAL);
  cli.transport = async (path, init) => {
    if (path === "/agents/reload") cli.runtime.addAgent(fakeAgent("daily"));
    return await cli.request(path, init);
  };
  cli.input.lines = ["Hello"];
  assert.equal(await chat(cli, (id) => finish(cli, id, "Hi.")), 0, cli.stderr.text);
  assert.match(cli.stdout.text, /^daily · [^]*\n\nHi\.\n/);
});

Deno.test("chat prints the id of the conversation at its end, and continues it", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  cli.input.lines = ["Hello"];
  await chat(cli, (id) => finish(cli, id, "Hi."));
  const id = cli.runtime.runs[0]?.request.sessionId ?? "";
  assert.ok(cli.stdout.text.includes(`Continue with: inkling chat daily --session ${id}\n`));
  for (const args of [["--continue"], ["--session", id]]) {
    cli.input.lines = ["And now?"];
    const code = cli.run("chat", "daily", ...args);
    const next = cli.runtime.runs.length + 1;
    await until(() => cli.runtime.followers === 1, `execution ${next} is followed`);
    finish(cli, next, "Still here.");
    assert.equal(await cli.drive(code), 0);
    assert.equal(cli.runtime.runs.at(-1)?.request.sessionId, id);
    assert.match(cli.stderr.text, new RegExp(`Continuing conversation ${id}, last message\\s`));
    assert.match(
      cli.stdout.text,
      /> (Hello|And now\?)\n\n(Hi|Still here)\.\n/,
      "what was said last is shown",
    );
    cli.stdout.text = "";
  }
});

Deno.test("chat warns about an agent without history", async () => {
  await using cli = await createFakeCli(AT_TERMINAL);
  cli.runtime.addAgent(fakeAgent("daily", { history: "off" }));
  assert.equal(await cli.run("chat", "daily", "--session", "taxes"), 0);
  assert.match(cli.stderr.text, /Warning: daily has history: off/);
  assert.match(cli.stderr.text, /New conversation: taxes/);
  assert.doesNotMatch(cli.stdout.text, /Continue with/, "and it was not begun");
});

Deno.test("chat does not send its commands to the model", async () => {
  await using cli = await createWithAgent(AT_TERMINAL);
  const wrong = ["/clera", "/clear it"];
  const rest = [...wrong, "/retry", "/cost", "/model", "/exit"];
  cli.input.lines = ["/help", "one", "/clear", "//usr is a folder", ...rest];
  const turns = [1, 2, 3].map(() => (id: number) => finish(cli, id, "Yes."));
  assert.equal(await chat(cli, ...turns), 0);
  const requests = cli.runtime.runs.map(({ request }) => request);
  assert.deepEqual(requests.map(({ message }) => message), [
    "one",
    "/usr is a folder",
    "/usr is a folder",
  ]);
  assert.match(cli.stdout.text, /3 turns · 126 tokens · \S+\n.*\/daily\.md\n3 turns/);
  assert.notEqual(requests[0]?.sessionId, requests[1]?.sessionId, "/clear begins a new one");
  assert.match(
    cli.stdout.text,
    /\/clear +start a new conversation[^]*Alt\+Enter +insert a line break/,
  );
  assert.match(cli.stderr.text, /no command "\/clera"\. The commands are \/help, \/clear, \/retry/);
  assert.match(cli.stderr.text, /no command "\/clear it"/);
});

Deno.test("chat from a pipe exits with 1 after an unknown command", async () => {
  await using cli = await createWithAgent({});
  cli.input.lines = ["/bye"];
  assert.equal(await cli.run("chat", "daily"), 1);
  assert.deepEqual(cli.runtime.runs, []);
});
