// What every command ends with, and what goes where: results to standard output, everything about them to standard
// error. Neither is a terminal here, as in a script.
import assert from "node:assert/strict";
import { fakeAgent } from "../support/fake_agent.ts";
import { FakeRefusal } from "../support/fake_runtime.ts";
import { until } from "../support/until.ts";
import { createFakeCli, type FakeCli } from "./fake_cli.ts";
import { ask, finish } from "./waiting_execution.ts";

/** What a stream holds: exactly this, or a match; nothing when it is left out. */
type Expected = string | RegExp | undefined;

interface Row {
  argv: string[];
  code: number;
  out?: Expected;
  err?: Expected;
  isRunning?: boolean;
  /** How the world is before the command. */
  before?: (cli: FakeCli) => void;
  /** What happens once a run is followed. */
  then?: (cli: FakeCli) => void;
}

/** An agent, an execution that succeeded (1) and one that waits for an answer (2). */
function addWorld(cli: FakeCli): void {
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.addExecution({ agentId: "daily", status: "success", durationMs: 10 });
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 2);
  cli.files = [{ agentId: "daily", path: "agents/daily.md", diagnostics: [] }];
}

const NEW = 3;
const SILENT_MS = 1;

/** Nobody answers on the socket, although somebody listens. */
function beSilent(cli: FakeCli): void {
  cli.transport = (_path, { signal }) =>
    new Promise((_, reject) => {
      const timer = setInterval(() => {
        if (!signal?.aborted) return;
        clearInterval(timer);
        reject(signal.reason);
      }, SILENT_MS);
    });
}

function failRun({ runtime }: FakeCli): void {
  runtime.append(NEW, "complete", { event_type: "complete", status: "timeout", error: "Timeout" });
}

const BROKEN = {
  agentId: "daily",
  path: "agents/daily.md",
  diagnostics: [{
    path: "agents/daily.md",
    line: 2,
    column: 1,
    severity: "error" as const,
    message: "Wrong",
    hint: null,
  }],
};

const ANSWER = (cli: FakeCli) => finish(cli, NEW, "# All *is* well");
const SILENCE = /^Error: The service does not answer on /;
const NOBODY = 'Error: There is no agent "dayly". Did you mean "daily"?\n';
const USAGE = /^Error: [A-Z][^\n]+\n"inkling[a-z ]* --help" shows how it is used\n$/;
/** One line of JSON. */
const JSON_LINE = /^[[{].*[\]}]\n$/;

const ROWS: Row[] = [
  { argv: [], code: 0, out: /^Usage: inkling / },
  { argv: ["--help"], code: 0, out: /^Usage: inkling / },
  { argv: ["--version"], code: 0, out: "1.2.3\n" },
  { argv: ["-q"], code: 2, err: /^Usage: inkling / },
  { argv: ["nonsense"], code: 2, err: USAGE },
  { argv: ["help", "list"], code: 0, out: /^Usage: inkling list / },

  { argv: ["list"], code: 0, out: /^Id +Display Name.*\ndaily .*\n$/ },
  { argv: ["list", "--json"], code: 0, out: JSON_LINE },
  { argv: ["list", "-q"], code: 0, out: /\ndaily / },
  { argv: ["list", "--quiet", "extra"], code: 2, err: USAGE },
  { argv: ["list"], code: 3, err: SILENCE, before: beSilent },

  { argv: ["status"], code: 0, out: /^Inkling is running\n/, err: /^"inkling pending"/ },
  { argv: ["status", "-q"], code: 0, out: "Inkling is running\n" },
  { argv: ["status", "--json"], code: 0, out: JSON_LINE },
  { argv: ["status"], isRunning: false, code: 0, out: /^Inkling is not/, err: /^"inkling start/ },
  { argv: ["status", "-q"], isRunning: false, code: 0, out: "Inkling is not running\n" },
  { argv: ["status", "--json"], isRunning: false, code: 0, out: '{"running":false}\n' },
  { argv: ["status"], code: 3, err: SILENCE, before: beSilent },
  { argv: ["status", "--jsn"], code: 2, err: USAGE },

  { argv: ["stop"], isRunning: false, code: 0, out: "Inkling is not running\n" },
  { argv: ["stop", "-q"], isRunning: false, code: 0 },
  { argv: ["stop", "--timeout", "x"], code: 2, err: USAGE },

  { argv: ["start", "-d"], isRunning: false, code: 0, out: /^Inkling is running \(PID \d+\)\n/ },
  { argv: ["start", "-d", "-q"], isRunning: false, code: 0 },
  { argv: ["start", "-d"], code: 1, err: /^Error: Inkling is already running for / },
  { argv: ["start", "--port", "80"], code: 2, err: /^Error: --port needs --api-key/ },
  { argv: ["start", "--port", "x"], code: 2, err: USAGE },
  {
    argv: ["start", "-d"],
    isRunning: false,
    code: 3,
    err: /^Error: The service could not be started: No such program\n$/,
    before(cli) {
      cli.onSpawn = () => {
        throw new Error("No such program");
      };
    },
  },

  { argv: ["run", "daily"], code: 0, out: "# All *is* well\n", err: /^✔ success/, then: ANSWER },
  { argv: ["run", "daily", "-q"], code: 0, out: "# All *is* well\n", then: ANSWER },
  { argv: ["run", "daily", "--json"], code: 0, out: /^(\{.*\}\n){3}$/, then: ANSWER },
  { argv: ["run", "daily", "-d"], code: 0, out: /^Execution 3 of daily is running/ },
  { argv: ["run", "daily", "-d", "-q"], code: 0, out: "3\n" },
  { argv: ["run", "daily", "-d", "--json"], code: 0, out: JSON_LINE },
  { argv: ["run", "daily"], code: 1, err: /^✖ timeout\nError: Timeout\n$/, then: failRun },
  { argv: ["run", "daily", "-q"], code: 1, err: "Error: Timeout\n", then: failRun },
  { argv: ["run", "daily", "--json"], code: 1, out: JSON_LINE, then: failRun },
  {
    argv: ["run", "daily"],
    code: 4,
    err: /^Execution 3 waits for an answer: .*\nAnswer it with: inkling respond 3 --yes/,
    then: (cli) => void ask(cli, NEW),
  },
  { argv: ["run", "dayly"], code: 2, err: NOBODY },
  {
    argv: ["run"],
    code: 2,
    err: /^Error: Name the agent: inkling run <agent>\. There are: daily\n$/,
  },
  { argv: ["run", "daily", "--nonsense"], code: 2, err: USAGE },
  {
    argv: ["run", "daily"],
    code: 1,
    err: "Error: Agent 'daily' has a session waiting for a response. " +
      '"inkling pending" shows what waits for you\n',
    before(cli) {
      cli.runtime.runFailure = new FakeRefusal(
        "conflict",
        "Agent 'daily' has a session waiting for a response",
      );
    },
  },
  { argv: ["run", "daily"], code: 3, err: SILENCE, before: beSilent },

  { argv: ["chat", "daily"], code: 0, err: "0 turns · 0 tokens · 0ms\n" },
  { argv: ["chat", "daily", "-q"], code: 0 },
  {
    argv: ["chat", "daily"],
    code: 0,
    out: "# All *is* well\n",
    err: "1 turn · 42 tokens · 0ms\n",
    before: (cli) => cli.input.lines = ["Hello"],
    then: ANSWER,
  },
  {
    argv: ["chat", "daily"],
    code: 1,
    err: /^✖ timeout\nError: Timeout\n1 turn/,
    before: (cli) => cli.input.lines = ["Hello"],
    then: failRun,
  },
  { argv: ["chat", "dayly"], code: 2, err: NOBODY },
  { argv: ["chat"], code: 2, err: /^Error: Name the agent: inkling chat <agent>/ },

  { argv: ["pending"], code: 0, out: /^Id +Agent.*\n +2 +daily +confirm / },
  { argv: ["pending", "--json"], code: 0, out: JSON_LINE },
  { argv: ["pending", "extra"], code: 2, err: USAGE },
  { argv: ["pending"], code: 3, err: SILENCE, before: beSilent },

  {
    argv: ["respond", "2", "--yes"],
    code: 0,
    out: "Done.\n",
    err: /^✔ success/,
    then: (cli) => finish(cli, 2, "Done."),
  },
  { argv: ["respond", "2"], code: 2, err: /^Error: There is no terminal to ask at/ },
  { argv: ["respond", "2", "--text", "x"], code: 2, err: /^Error: Execution 2 is answered with/ },
  { argv: ["respond", "1", "--yes"], code: 1, err: /^Error: Execution 1 does not wait/ },
  { argv: ["respond", "99", "--yes"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["respond"], code: 2, err: USAGE },

  { argv: ["logs", "daily"], code: 0, out: /^Id +Started/ },
  { argv: ["logs", "daily", "--json"], code: 0, out: JSON_LINE },
  { argv: ["logs", "-e", "1", "--json"], code: 0, out: "[]\n" },
  {
    argv: ["logs", "-e", "2"],
    code: 0,
    err: "Execution 2 is waiting: there may be more to come\n",
  },
  { argv: ["logs", "-e", "2", "-q"], code: 0 },
  { argv: ["logs", "dayly"], code: 2, err: NOBODY },
  { argv: ["logs"], code: 2, err: /^Error: Name the agent: inkling logs/ },
  { argv: ["logs", "-e", "99"], code: 2, err: /^Error: There is no execution 99/ },
  { argv: ["logs", "daily", "-n", "0"], code: 2, err: USAGE },

  { argv: ["checkpoint"], code: 0, out: /No conversations are stored\n$/ },
  { argv: ["checkpoint", "--json"], code: 0, out: JSON_LINE },
  { argv: ["checkpoint", "--purge"], code: 0, out: /^Removed 0 conversations\n/ },
  { argv: ["checkpoint", "--purge", "--json"], code: 0, out: '{"purged":0}\n' },
  { argv: ["checkpoint", "--force"], code: 2, err: /^Error: --force says what --purge removes/ },
  { argv: ["checkpoint", "--purge", "--stats"], code: 2, err: USAGE },
  { argv: ["checkpoint", "--agent", "dayly"], code: 2, err: NOBODY },

  { argv: ["validate"], code: 0, out: /^✔ daily\n/ },
  { argv: ["validate", "-q"], code: 0 },
  { argv: ["validate", "--json"], code: 0, out: JSON_LINE },
  { argv: ["validate"], code: 1, out: /^✖ daily/, before: (cli) => cli.files = [BROKEN] },
  { argv: ["validate", "--json"], code: 1, out: JSON_LINE, before: (cli) => cli.files = [BROKEN] },
  { argv: ["validate", "dayly"], code: 2, err: NOBODY },

  { argv: ["info"], code: 0, out: /^ {2}Version +1\.2\.3\n/ },
  { argv: ["info", "--json"], code: 0, out: JSON_LINE },
  { argv: ["info", "extra"], code: 2, err: USAGE },
];

function matches(text: string, expected: Expected, name: string): void {
  if (expected instanceof RegExp) assert.match(text, expected, name);
  else assert.equal(text, expected ?? "", name);
}

for (const { argv, code, out, err, isRunning = true, before, then } of ROWS) {
  const state = isRunning ? "" : ", while no service runs,";
  const name = `inkling ${argv.join(" ")}${state} exits with ${code}`;
  Deno.test(`${name}: ${describe(out)} on standard output, ${describe(err)} on standard error`, async () => {
    await using cli = await createFakeCli({ isRunning });
    addWorld(cli);
    before?.(cli);
    const exit = cli.run(...argv);
    if (then !== undefined) {
      await until(() => cli.runtime.followers === 1, "the run is followed");
      then(cli);
    }
    assert.equal(await cli.drive(exit), code, cli.stderr.text);
    matches(cli.stdout.text, out, "standard output");
    matches(cli.stderr.text, err, "standard error");
  });
}

function describe(expected: Expected): string {
  return expected === undefined ? "nothing" : "something";
}

/** Commands with tables of their own. */
const ELSEWHERE = ["setup", "new", "update", "ui", "completions", "permissions", "help"];

Deno.test("every command stands in the table, in success and in failure", async () => {
  await using cli = await createFakeCli();
  await cli.run("--help");
  const [, listed = ""] = /\nCommands:\n([^]*?)\n\n/.exec(cli.stdout.text) ?? [];
  const commands = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name)
    .filter((name) => !ELSEWHERE.includes(name));
  assert.ok(commands.length > 10);
  for (const name of commands) {
    const codes = ROWS.filter(({ argv }) => argv[0] === name).map(({ code }) => code);
    assert.ok(codes.includes(0), `${name} in success`);
    assert.ok(codes.some((code) => code !== 0), `${name} in failure`);
  }
});

Deno.test("every command ends with 141 and says nothing when nobody reads its output", async () => {
  for (const { argv, out, code, isRunning = true, before, then } of ROWS) {
    if (out === undefined || code !== 0) continue;
    await using cli = await createFakeCli({ isRunning });
    addWorld(cli);
    before?.(cli);
    cli.stdout.isClosed = true;
    cli.stderr.isClosed = true;
    const exit = cli.run(...argv);
    if (then !== undefined) {
      await until(() => cli.runtime.followers === 1, "the run is followed");
      then(cli);
    }
    assert.equal(await cli.drive(exit), 141, argv.join(" "));
  }
});
