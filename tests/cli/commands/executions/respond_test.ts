import assert from "node:assert/strict";
import type { HumanRequest } from "../../../../runtime/executions/human_request.ts";
import { fakeAgent } from "../../../support/fake_agent.ts";
import { FakeRefusal } from "../../../support/fake_runtime.ts";
import { createTempDir } from "../../../support/temp_dir.ts";
import { until } from "../../../support/until.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { ask, finish } from "../../waiting_execution.ts";

const CHOICE: Partial<HumanRequest> = {
  kind: "choice",
  message: "Which colour?",
  toolName: "ask_user",
  options: ["red", "green", "blue"],
};
const AT_TERMINAL = { isTerminal: true, hasPerson: true };

/** Creates a command line with execution 1, which waits for an answer and then ends. */
async function createWaiting(
  options: Parameters<typeof createFakeCli>[0] = {},
  request: Partial<HumanRequest> = {},
): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  cli.runtime.addExecution({ agentId: "daily" });
  cli.runtime.append(1, "tool_call", {
    content: "Said before.",
    tools: [],
  });
  ask(cli, 1, request);
  cli.runtime.onRespond = (id) => {
    cli.runtime.setStatus(id, "running");
    finish(cli, id, "Done now.");
  };
  return cli;
}

const answers = (cli: FakeCli) => cli.runtime.responses.map(({ answer }) => answer);

Deno.test("respond answers by options, and shows the frames after the answer", async () => {
  const table: [Partial<HumanRequest>, string[], unknown][] = [
    [{}, ["--yes"], { approved: true }],
    [{}, ["--no", "--reason", "Not on Fridays"], { approved: false, reason: "Not on Fridays" }],
    [{}, ["--no"], { approved: false }],
    [{ kind: "input" }, ["--text", "Zoë"], { text: "Zoë" }],
    [{ kind: "input" }, ["--text", ""], { text: "" }],
    [CHOICE, ["--choice", "2"], { selected: ["green"] }],
    [CHOICE, ["--choice", "blue"], { selected: ["blue"] }],
    [CHOICE, ["--choice", "1", "--choice", "red"], { selected: ["red"] }],
    // A number selects the option with the same text, if there is one, and otherwise the option at that position.
    [{ ...CHOICE, options: ["red", "3", "blue"] }, ["--choice", "3"], { selected: ["3"] }],
    [{ ...CHOICE, multi: true }, ["--choice", "3", "--choice", "red"], {
      selected: ["blue", "red"],
    }],
  ];
  for (const [request, flags, answer] of table) {
    await using cli = await createWaiting({}, request);
    assert.equal(await cli.drive(cli.run("respond", "1", ...flags)), 0);
    assert.deepEqual(answers(cli), [answer]);
    assert.equal(cli.stdout.text, "Done now.\n");
    assert.match(cli.stderr.text, /(^|\n)✔ success · 1\.5s · 42 tokens\n$/);
  }
});

Deno.test("respond with an option shows the question first; --quiet does not", async () => {
  const shown =
    "? file_write\n    path\\u001b[2J: note.txt\n    content:\n      a\n      b\\u202ec\n" +
    '    deep:\n      {\n        "list": [\n          1\n        ]\n      }\n';
  for (const flag of ["--yes", "--no"]) {
    for (const quiet of [[], ["-q"]]) {
      const toolArgs = {
        ...{ "path\u001b[2J": "note.txt", content: "a\nb\u202ec", deep: { list: [1] } },
      };
      await using cli = await createWaiting({}, { toolArgs });
      assert.equal(await cli.drive(cli.run("respond", "1", flag, ...quiet)), 0);
      assert.equal(cli.stderr.text.startsWith(shown), quiet.length === 0, cli.stderr.text);
      assert.equal(cli.stdout.text, "Done now.\n");
    }
  }
});

Deno.test("respond rejects unfitting options with exit code 2 and sends no answer", async () => {
  const table: [Partial<HumanRequest>, string[], RegExp][] = [
    [{}, ["--yes", "--no"], /--yes and --no contradict/],
    [{}, ["--yes", "--text", "x"], /--yes and --text contradict/],
    [{}, "--no --text x --choice 1".split(" "), /--no, --text and --choice contradict/],
    [{}, ["--text", "y", "--reason", "x"], /--reason requires --yes or --no/],
    [
      { kind: "input" },
      ["--yes"],
      /--yes does not fit the question of execution 1: use --text TEXT/,
    ],
    [CHOICE, ["--no"], /--no does not fit .*: use --choice VALUE \(1 red, 2 green, 3 blue\)/],
    [{ ...CHOICE, options: ["a\u001b[2Jb", "c\nd"] }, ["--no"], /\(1 a\\u001b\[2Jb, 2 c d\)/],
    [CHOICE, ["--choice", "0"], /"0" is not one of/],
    [CHOICE, ["--choice=-1"], /"-1" is not one of/],
    [{}, ["--text", "x"], /--text does not fit .*: use --yes or --no/],
    [CHOICE, ["--choice", "4"], /"4" is not one of the choices: 1 red, 2 green, 3 blue/],
    [CHOICE, ["--choice", "1", "--choice", "2"], /accepts one --choice/],
  ];
  for (const [request, flags, message] of table) {
    await using cli = await createWaiting({}, request);
    assert.equal(await cli.run("respond", "1", ...flags), 2, flags.join(" "));
    assert.match(cli.stderr.text, message);
    assert.deepEqual(answers(cli), []);
  }
});

Deno.test("respond asks each kind of question with its own prompt", async () => {
  const table: [Partial<HumanRequest>, unknown[], string[], unknown][] = [
    [{}, [false, "Too risky"], ["confirm", "text"], { approved: false, reason: "Too risky" }],
    [{}, [false, " "], ["confirm", "text"], { approved: false }],
    [{ kind: "input", message: "Your name?" }, ["Zoë"], ["text"], { text: "Zoë" }],
    [CHOICE, ["green"], ["select"], { selected: ["green"] }],
    [{ ...CHOICE, multi: true }, [["red", "blue"]], ["multiselect"], { selected: ["red", "blue"] }],
  ];
  for (const [request, typed, kinds, answer] of table) {
    await using cli = await createWaiting(AT_TERMINAL, request);
    cli.input.answers = typed;
    assert.equal(await cli.drive(cli.run("respond", "1")), 0);
    assert.deepEqual(cli.input.asked.map(({ kind }) => kind), kinds);
    assert.deepEqual(answers(cli), [answer]);
  }
});

Deno.test("respond to a question about a sign-in can only give up", async () => {
  const request = { toolName: "sign_in", toolArgs: { server: "remote" }, message: "Sign in" };
  for (const [typed, code, given] of [[true, 0, [{ approved: false }]], [false, 4, []]] as const) {
    await using cli = await createWaiting(AT_TERMINAL, request);
    cli.input.answers = [typed];
    assert.equal(await cli.drive(cli.run("respond", "1")), code);
    assert.deepEqual(cli.input.asked.map(({ message }) => message), ["Give up?"]);
    assert.deepEqual(answers(cli), given);
  }
  await using cli = await createWaiting({}, request);
  assert.equal(await cli.run("respond", "1"), 2);
  assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), /use --no to give up/);
});

Deno.test("respond asks the next question at a terminal, and exits with 4 elsewhere", async () => {
  for (const options of [AT_TERMINAL, {}]) {
    await using cli = await createWaiting(options);
    const end = cli.runtime.onRespond;
    cli.runtime.onRespond = (id) => {
      cli.runtime.onRespond = end;
      cli.runtime.setStatus(id, "running");
      ask(cli, id, { kind: "input", message: "And your name?" });
    };
    cli.input.answers = ["Zoë"];
    const code = await cli.drive(cli.run("respond", "1", "--yes"));
    if (options === AT_TERMINAL) {
      assert.equal(code, 0);
      assert.deepEqual(answers(cli), [{ approved: true }, { text: "Zoë" }]);
    } else {
      assert.equal(code, 4);
      assert.match(cli.stderr.text, /Answer it with: inkling respond 1 --/);
    }
  }
});

Deno.test("respond reports an earlier answer from elsewhere, and exits with 1", async () => {
  await using cli = await createWaiting(AT_TERMINAL);
  cli.input.answers = [true];
  const { prompter } = cli.input;
  const confirm = prompter.confirm;
  prompter.confirm = (question) => {
    cli.runtime.requests.delete(1);
    return confirm(question);
  };
  assert.equal(await cli.drive(cli.run("respond", "1")), 1);
  assert.match(
    cli.stderr.text,
    /^Error: The question of execution 1 is closed: its status is waiting\.\s"inkling watch 1"/,
  );
});

Deno.test("respond cancels the followed run at Ctrl+C", async () => {
  await using cli = await createWaiting();
  cli.runtime.onRespond = (id) => cli.runtime.setStatus(id, "running");
  cli.runtime.cancel = (id) => {
    cli.runtime.setStatus(id, "aborted");
    return Promise.resolve("cancelling");
  };
  const code = cli.run("respond", "1", "--yes");
  await until(() => cli.runtime.followers === 1, "the run is followed");
  assert.ok(cli.interrupt());
  assert.equal(await cli.drive(code), 130);
});

const GUARD: Partial<HumanRequest> = {
  isGuard: true,
  toolArgs: { path: "note.txt", content: "theirs" },
};
const EDITED = { path: "note.txt", content: "mine" };
const CHANGE = {
  path: "note.txt",
  diff: "@@ -0,0 +1,1 @@\n+mine\n",
  added: 1,
  removed: 0,
  isNewFile: true,
  problem: null,
};

Deno.test("respond asks for the approval of a tool call, with deny preselected", async () => {
  for (
    const [typed, answer] of [
      [["approve"], { approved: true }],
      [["deny", "Not now"], { approved: false, reason: "Not now" }],
    ] as const
  ) {
    await using cli = await createWaiting(AT_TERMINAL, GUARD);
    cli.runtime.previews.set(1, CHANGE);
    cli.input.answers = [...typed];
    assert.equal(await cli.drive(cli.run("respond", "1")), 0);
    assert.deepEqual(cli.input.asked[0], {
      kind: "select",
      message: "Allow file_write?",
      choices: ["approve", "deny", "always", "text content", "edit"],
    });
    assert.match(cli.stdout.text, /^\n\? file_write note\.txt \(new file, \+1\)\n {4}@@/);
    assert.deepEqual(answers(cli), [answer]);
  }
});

Deno.test("respond shows a long change in full on request", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.previews.set(1, { ...CHANGE, diff: `@@ -0,0 +1,50 @@\n${"+x\n".repeat(49)}+last\n` });
  cli.input.answers = ["whole", "approve"];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.deepEqual(cli.input.asked.map(({ choices }) => choices?.at(-1)), ["whole", "edit"]);
  assert.match(cli.stdout.text, /… 41 more lines\n[^]*\+last\n/);
});

Deno.test("respond sends only the edited arguments, after showing their effect", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.previews.set(1, CHANGE);
  const opened: string[] = [];
  const edit = (result: string) => (text: string) => {
    opened.push(text);
    return Promise.resolve(result);
  };
  const typo = '{"path": "note.txt",';
  const text = JSON.stringify(EDITED);
  cli.edits.push(edit(typo), edit(text));
  cli.input.answers = ["edit", "edit", "approve"];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.match(cli.stderr.text, /^Error: The arguments are not valid JSON/);
  // The editor opens again with the user's invalid text.
  assert.deepEqual(opened, [`${JSON.stringify(GUARD.toolArgs, null, 2)}\n`, typo]);
  assert.deepEqual(cli.runtime.edits, [EDITED]);
  assert.deepEqual(answers(cli), [{ approved: true, arguments: EDITED }]);
});

Deno.test("respond opens a text argument unchanged, with the extension of its file", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.previews.set(1, CHANGE);
  const opened: unknown[] = [];
  cli.app.editText = (...all) => {
    opened.push(all);
    // The fake editor adds a line break at the end, as real ones do.
    return Promise.resolve("mine\n");
  };
  cli.input.answers = ["text content", "approve"];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.deepEqual(opened, [["theirs", "text.txt"]]);
  assert.deepEqual(answers(cli), [{ approved: true, arguments: EDITED }]);
});

Deno.test("respond reports why edited arguments are invalid, and restores the original arguments", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.editFailure = new FakeRefusal(
    "invalid",
    'The arguments do not fit: "path" is missing',
  );
  cli.edits.push(() => Promise.resolve("{}"));
  cli.input.answers = ["edit", "approve"];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.match(cli.stderr.text, /^Error: arguments: The arguments do not fit/);
  assert.deepEqual(answers(cli), [{ approved: true }]);
});

Deno.test("respond writes auto_approve after a confirmation, and then approves the call", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.canKeyEdit = true;
  cli.input.answers = ["always", false, "always", true];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.match(cli.stdout.text, /daily\.md\n {4}@@[^]*\n {4}\+auto_approve: \[file_write\]\n/);
  const tool = { agentId: "daily", tool: "file_write", by: { via: "api" } };
  assert.deepEqual(cli.runtime.autoApprovals, [
    { ...tool, write: false },
    { ...tool, write: false },
    { ...tool, write: true },
  ]);
  assert.deepEqual(answers(cli), [{ approved: true }]);
});

Deno.test("respond shows a command with its control characters, and always allows such commands only", async () => {
  const command = "git log -3 # \r\u001b[2Kls";
  const question = {
    ...GUARD,
    ...{ toolName: "shell", toolArgs: { command } },
    message: "Allow shell in the workspace? It may write /work and reach no host.",
  };
  await using cli = await createWaiting(AT_TERMINAL, question);
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.canKeyEdit = true;
  cli.input.answers = ["always", true];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.match(cli.stdout.text, /git log -3 # \\r\\u001b\[2Kls/);
  const call = { agentId: "daily", tool: "shell", command, by: { via: "api" } };
  assert.deepEqual(cli.runtime.autoApprovals, [
    { ...call, write: false },
    { ...call, write: true },
  ]);
});

Deno.test("respond --arguments and --always answer without prompts", async () => {
  await using folder = await createTempDir();
  const file = `${folder.path}/arguments.json`;
  await Deno.writeTextFile(file, JSON.stringify(EDITED));
  for (const given of [JSON.stringify(EDITED), `@${file}`]) {
    await using cli = await createWaiting({}, GUARD);
    cli.runtime.addAgent(fakeAgent("daily"));
    cli.runtime.canKeyEdit = true;
    cli.runtime.previews.set(1, CHANGE);
    const flags = ["--yes", "--always", "--arguments", given];
    assert.equal(await cli.drive(cli.run("respond", "1", ...flags)), 0);
    assert.deepEqual(answers(cli), [{ approved: true, arguments: EDITED }]);
    assert.deepEqual(cli.runtime.autoApprovals.map(({ write }) => write), [true]);
    assert.match(cli.stderr.text, /^\? file_write note\.txt \(new file, \+1\)[^]*\+auto_approve/);
  }
});

Deno.test("respond changes and answers nothing by --always if the key may not change files", async () => {
  await using cli = await createWaiting({}, GUARD);
  cli.runtime.addAgent(fakeAgent("daily"));
  assert.equal(await cli.run("respond", "1", "--yes", "--always"), 1);
  assert.match(cli.stderr.text, /Error: Over TCP, this key may not change files: use a named key/);
  assert.deepEqual([answers(cli), cli.runtime.autoApprovals], [[], []]);
});

Deno.test("respond repeats the question if the key may not change files", async () => {
  await using cli = await createWaiting(AT_TERMINAL, GUARD);
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.input.answers = ["always", "approve"];
  assert.equal(await cli.drive(cli.run("respond", "1")), 0);
  assert.match(cli.stderr.text, /^Error: Over TCP, this key may not change files/);
  assert.deepEqual([answers(cli), cli.runtime.autoApprovals], [[{ approved: true }], []]);
});

Deno.test("respond rejects unfitting --arguments and --always, and neither answers nor writes", async () => {
  const table: [Partial<HumanRequest>, string[], number, RegExp][] = [
    [GUARD, ["--always"], 2, /--always requires --yes/],
    [GUARD, ["--no", "--arguments", "{}"], 2, /--arguments requires --yes/],
    [GUARD, ["--yes", "--arguments", "[1]"], 2, /must be one JSON object/],
    [GUARD, ["--yes", "--arguments", "{"], 2, /not valid JSON/],
    [GUARD, ["--yes", "--arguments", "@/nowhere/x.json"], 2, /Cannot read the arguments/],
    [GUARD, ["--yes", "--always", "--arguments", "{}"], 2, /do not fit/],
    [
      {},
      ["--yes", "--always"],
      2,
      /are for the approval of a tool call, and execution 1 does not ask for one/,
    ],
  ];
  for (const [request, flags, code, message] of table) {
    await using cli = await createWaiting({}, request);
    cli.runtime.addAgent(fakeAgent("daily"));
    cli.runtime.editFailure = new FakeRefusal("invalid", "They do not fit");
    assert.equal(await cli.run("respond", "1", ...flags), code, flags.join(" "));
    assert.match(cli.stderr.text, message);
    assert.deepEqual(answers(cli), []);
    assert.deepEqual(cli.runtime.autoApprovals, []);
  }
});
