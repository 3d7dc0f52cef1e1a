// The table of exit_codes_test.ts: command lines, what they end with, and what they print where.
import assert from "node:assert/strict";
import { fakeAgent } from "../support/fake_agent.ts";
import { fakePlan } from "../support/fake_plan.ts";
import { FakeRefusal } from "../support/fake_runtime.ts";
import { offerServer } from "./fake_server.ts";
import { offerSkill } from "./fake_skill.ts";
import { offerTests, result } from "./fake_tests.ts";
import type { FakeCli, FakeProcess } from "./fake_cli.ts";
import { useHome } from "./setup_world.ts";
import { offerRelease } from "./update/release_server.ts";
import { ask, finish } from "./waiting_execution.ts";

/** What a stream holds: exactly this, or a match; nothing when it is left out. */
export type Expected = string | RegExp | undefined;

/** A command line in its world. */
export interface Row {
  argv: string[];
  code: number;
  out?: Expected;
  err?: Expected;
  isRunning?: boolean;
  /** How the world is before the command. */
  before?: (cli: FakeCli) => void;
  /** The files or the server that the command works with, for as long as it does. They take real time. */
  needs?: (cli: FakeCli) => Promise<AsyncDisposable>;
  /** What happens once a run is followed, or once the command waits for Ctrl+C. */
  then?: (cli: FakeCli) => void;
}

/** An agent, an execution that succeeded (1) and one that waits for an answer (2). */
export function addWorld(cli: FakeCli): void {
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.plans.set("daily", fakePlan());
  cli.runtime.addExecution({ agentId: "daily", status: "success", durationMs: 10 });
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 2);
  cli.files = [{ agentId: "daily", path: "agents/daily.md", diagnostics: [] }];
  cli.channels = [{ name: "phone", type: "ntfy", problem: null }];
  cli.trials.set("phone", { name: "phone", delivered: true, reply: "it answered 200" });
  cli.permissions = {
    flags: [{ flag: "--no-prompt", why: "nobody is asked" }],
    remarks: [],
    command: ["deno", "run", "--no-prompt", "main.ts"],
  };
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

/** A home of its own, in which nothing is set up. */
async function openHome(cli: FakeCli): Promise<AsyncDisposable> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-" }));
  useHome(cli, { home });
  return { [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

/** The process of the service, which ends on some of what it is sent. */
function addService(cli: FakeCli, endsOn: FakeProcess["endsOn"]): void {
  cli.processes.set(Deno.pid, { signals: [], endsOn, isAlive: true });
}

function offerPassing(cli: FakeCli): void {
  offerTests(cli, { results: [result("tidy")] });
}

function failRun({ runtime }: FakeCli): void {
  runtime.append(NEW, "complete", { event_type: "complete", status: "timeout", error: "Timeout" });
}

const FULL = {
  severity: "error",
  subject: "disk",
  problem: "It is nearly full",
  remedy: "make room",
} as const;

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
const USAGE = /^Error: [A-Z][^\n]+\n"inkling[a-z -]* --help" shows how it is used\n$/;
/** One line of JSON. */
const JSON_LINE = /^[[{].*[\]}]\n$/;

const INTERRUPT = (cli: FakeCli) => assert.ok(cli.interrupt());
const FAILING_START = (cli: FakeCli) => {
  cli.onSpawn = () => {
    throw new Error("No such program");
  };
};
const START_FAILED =
  /^(Starting the service\n)?Error: The service could not be started: No such program\n$/;
const PAGE = "http://127.0.0.1:4711/open?token=once\n";
const UPDATED = "Inkling 1.3.0 is installed (it was 1.2.3)\n";
const SETUP = ["setup", "--yes", "--provider", "demo"];
const SHOWN_HELP = /^Usage: inkling list /;

/** Every command, in success and in failure. */
export const ROWS: readonly Row[] = [
  { argv: [], code: 0, out: /^Usage: inkling / },
  { argv: ["--help"], code: 0, out: /^Usage: inkling / },
  { argv: ["--version"], code: 0, out: "1.2.3\n" },
  { argv: ["-q"], code: 2, err: /^Usage: inkling / },
  { argv: ["nonsense"], code: 2, err: USAGE },

  { argv: ["help", "list"], code: 0, out: SHOWN_HELP },
  { argv: ["help"], code: 0, out: /^Usage: inkling / },
  { argv: ["help", "lst"], code: 2, err: USAGE },

  {
    argv: SETUP,
    code: 0,
    out: /^✔ [^]*config\.yaml created\n\nYour first agent: /,
    needs: openHome,
    isRunning: false,
  },
  { argv: [...SETUP, "-q"], code: 0, needs: openHome },
  { argv: ["setup"], code: 2, err: /^Error: There is nobody to ask: /, needs: openHome },
  { argv: ["setup", "--yes"], code: 2, err: /^Error: Choose a model provider /, needs: openHome },
  { argv: ["setup", "--nonsense"], code: 2, err: USAGE },

  {
    argv: ["new", "daily", "--prompt", "Do it."],
    code: 0,
    out: /^✔ \/.*\/daily\.md\n\nRun it: inkling run daily\n$/,
    err:
      "Warning: line 2: No model is configured (give the agent a model, set defaults.provider and defaults.model in config.yaml, or run inkling setup)\n",
    needs: openHome,
  },
  {
    argv: ["new", "daily", "--prompt", "Do it.", "-q"],
    code: 0,
    out: /^\/.*\/daily\.md\n$/,
    needs: openHome,
  },
  { argv: ["new", "daily"], code: 2, err: /^Error: There is nobody to ask: /, needs: openHome },
  {
    argv: ["new", "a/b", "--prompt", "x"],
    code: 2,
    err: /^Error: The id "a\/b" /,
    needs: openHome,
  },
  { argv: ["new"], code: 2, err: USAGE },
  {
    argv: ["skill", "add", "npm:pdf", "--yes"],
    code: 0,
    out: /Name it in an agent: skills: \[pdf\]\n$/,
    before: offerSkill,
  },
  {
    argv: ["skill", "add", "npm:pdf"],
    code: 2,
    out: /From/,
    err: /^Error: There is nobody to ask: /,
    before: offerSkill,
  },
  { argv: ["skill", "remove", "pdf"], code: 2, err: USAGE },
  {
    argv: ["mcp", "add", "files", "npm:@acme/files", "--yes"],
    code: 0,
    out: /Name it in an agent: mcp: \[files\]\n$/,
    before: offerServer,
  },
  {
    argv: ["mcp", "add", "files", "npm:@acme/files"],
    code: 2,
    out: /From/,
    err: /^Error: There is nobody to ask: /,
    before: offerServer,
  },
  { argv: ["mcp", "add", "files"], code: 2, err: USAGE },

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
  {
    argv: ["stop"],
    code: 0,
    out: /^Inkling has stopped \(PID \d+\)\n$/,
    before: (cli) => addService(cli, ["request"]),
  },
  {
    argv: ["stop"],
    code: 1,
    err: /sending SIGTERM\n.*sending SIGKILL\nError: Process \d+ is still running/,
    before: (cli) => addService(cli, []),
  },
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
    err: START_FAILED,
    before: FAILING_START,
  },
  { argv: ["start"], isRunning: false, code: 0, out: "Stopped on request\n" },

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
    err: /^1 turn · 42 tokens · 0ms\nGo on with: inkling chat daily --session [0-9a-f-]{36}\n$/,
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
  { argv: ["chat", "daily", "--continue"], code: 1, err: /^Error: There is no conversation/ },
  { argv: ["chat", "daily", "--session", ""], code: 2, err: /^Error: --session/ },
  { argv: ["chat"], code: 2, err: /^Error: Name the agent: inkling chat <agent>/ },

  {
    argv: ["watch", "1"],
    code: 0,
    out: "Done.\n",
    err: /^✔ success/,
    before: (cli) => finish(cli, 1, "Done."),
  },
  { argv: ["watch", "2"], code: 4, err: /inkling respond 2 --yes/ },
  { argv: ["watch", "99"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["watch"], code: 2, err: USAGE },
  { argv: ["watch", "1"], code: 3, err: SILENCE, before: beSilent },

  { argv: ["replay", "1"], code: 0, out: /identical/i },
  { argv: ["replay", "1", "--json"], code: 0, out: JSON_LINE },
  { argv: ["replay", "99"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["replay"], code: 2, err: USAGE },

  { argv: ["fork", "1", "-d"], code: 0, out: /./ },
  { argv: ["fork", "99", "-d"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["fork"], code: 2, err: USAGE },

  { argv: ["diff", "1", "1"], code: 0, out: /./ },
  { argv: ["diff", "1", "99"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["diff"], code: 2, err: USAGE },

  { argv: ["cancel", "2"], code: 0, out: "Execution 2 of daily is cancelled\n" },
  { argv: ["cancel", "1"], code: 0, out: "Execution 1 of daily has ended before: success\n" },
  { argv: ["cancel", "2", "--json"], code: 0, out: JSON_LINE },
  { argv: ["cancel", "99"], code: 2, err: /^Error: There is no execution 99\./ },
  { argv: ["cancel"], code: 2, err: /^Error: Which execution\?/ },
  { argv: ["cancel", "2"], code: 3, err: SILENCE, before: beSilent },

  { argv: ["pending"], code: 0, out: /^Id +Agent.*\n +2 +daily +confirm / },
  { argv: ["pending", "--json"], code: 0, out: JSON_LINE },
  { argv: ["pending", "extra"], code: 2, err: USAGE },
  { argv: ["pending"], code: 3, err: SILENCE, before: beSilent },

  {
    argv: ["respond", "2", "--yes"],
    code: 0,
    out: "Done.\n",
    err: /^\? file_write\n[^]*✔ success/,
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
  { argv: ["show", "daily"], code: 0, out: /^daily\n/ },
  { argv: ["show", "daily", "--prompt", "--json"], code: 0, out: JSON_LINE },
  { argv: ["show", "dayly"], code: 2, err: NOBODY },
  { argv: ["why", "daily"], code: 0, out: /^daily / },
  { argv: ["why", "daily", "--json"], code: 0, out: JSON_LINE },
  { argv: ["budget"], code: 0, out: /No budgets are set/ },
  { argv: ["budget", "daily", "--json"], code: 0, out: /^\[\]$/m },
  { argv: ["budget", "daily", "--raise", "1"], code: 1, err: /There is no such budget/ },
  { argv: ["budget", "daily", "--raise", "none"], code: 2, err: /It must be an amount/ },
  { argv: ["budget", "--tokens"], code: 2, err: /they go with it/ },
  { argv: ["why", "dayly"], code: 2, err: NOBODY },
  { argv: ["recap"], code: 0, out: /^Since / },
  { argv: ["recap", "--json"], code: 0, out: JSON_LINE },
  { argv: ["recap", "--check"], code: 1, out: /^Since / },
  { argv: ["recap", "--since", "soon"], code: 2, err: /^Error: --since soon is not understood/ },
  { argv: ["logs"], code: 0, out: /^Id +Agent/ },
  { argv: ["logs", "--search", "nothing like it"], code: 0, out: "No execution matches\n" },
  { argv: ["logs", "--since", "soon"], code: 2, err: /^Error: --since soon is not understood/ },
  { argv: ["logs", "-e", "99"], code: 2, err: /^Error: There is no execution 99/ },
  { argv: ["logs", "daily", "-n", "0"], code: 2, err: USAGE },

  { argv: ["checkpoint"], code: 0, out: /No conversations are stored\n$/ },
  { argv: ["checkpoint", "--json"], code: 0, out: JSON_LINE },
  { argv: ["checkpoint", "--purge"], code: 0, out: /^Removed 0 conversations\n/ },
  { argv: ["checkpoint", "--purge", "--json"], code: 0, out: '{"purged":0}\n' },
  { argv: ["checkpoint", "--force"], code: 2, err: /^Error: --force says what --purge removes/ },
  { argv: ["checkpoint", "--purge", "--stats"], code: 2, err: USAGE },
  { argv: ["checkpoint", "--agent", "dayly"], code: 2, err: NOBODY },

  {
    argv: ["move-history", "--to", "postgres://u@h/d"],
    code: 0,
    out: /^Table +Rows\n[^]* is unchanged[^]*\ndatabase: postgres:\/\/u@h\/d\n$/,
  },
  { argv: ["move-history", "--from", "postgres://u@h/d", "--json"], code: 0, out: JSON_LINE },
  {
    argv: ["move-history", "--from", "postgres://u@h/d"],
    code: 1,
    err: "Error: a history already\n",
    before: (cli) =>
      cli.onMove = () => Promise.reject(new FakeRefusal("conflict", "a history already")),
  },
  { argv: ["move-history"], code: 2, err: /^Error: --to and --from take the address/ },
  { argv: ["move-history", "--to", "mysql://u:secret@h/d"], code: 2, err: /^((?!secret)[^])*$/ },
  { argv: ["move-history", "--to", "a", "--from", "b"], code: 2, err: USAGE },

  { argv: ["validate"], code: 0, out: /^✔ daily\n/ },
  { argv: ["validate", "-q"], code: 0 },
  { argv: ["validate", "--json"], code: 0, out: JSON_LINE },
  { argv: ["validate"], code: 1, out: /^✖ daily/, before: (cli) => cli.files = [BROKEN] },
  { argv: ["validate", "--json"], code: 1, out: JSON_LINE, before: (cli) => cli.files = [BROKEN] },
  { argv: ["validate", "dayly"], code: 2, err: NOBODY },

  { argv: ["doctor"], code: 0, out: /^\d+ checks, nothing to mend\n$/ },
  { argv: ["doctor", "-q"], code: 0 },
  {
    argv: ["doctor"],
    code: 0,
    out: /^! disk: It is nearly full\n {4}make room\n\d+ checks: 0 errors, 1 warning\n$/,
    before: (cli) => cli.examination.findings.push({ ...FULL, severity: "warning" }),
  },
  {
    argv: ["doctor", "-q"],
    code: 1,
    out: "✖ disk: It is nearly full\n    make room\n",
    before: (cli) => cli.examination.findings.push(FULL),
  },
  {
    argv: ["doctor", "--json"],
    code: 1,
    out: JSON_LINE,
    before: (cli) => cli.examination.findings.push(FULL),
  },
  { argv: ["doctor", "extra"], code: 2, err: USAGE },
  { argv: ["test"], code: 0, out: /^✔ tidy\n1 passed, 0 failed\n$/, before: offerPassing },
  { argv: ["test", "-q"], code: 0, before: offerPassing },
  { argv: ["test", "--json"], code: 0, out: JSON_LINE, before: offerPassing },
  { argv: ["test", "--record", "7"], code: 0, out: /^✔ \/.*\.yaml\n$/, before: offerTests },
  { argv: ["test"], code: 1, out: /\n1 passed, 2 failed\n$/, before: offerTests },
  { argv: ["test", "tidi"], code: 2, err: /^Error: There is no agent/, before: offerTests },
  { argv: ["test", "--as", "x"], code: 2, err: /^Error: --as needs --record\n$/ },

  { argv: ["info"], code: 0, out: /^ {2}Version +1\.2\.3\n/ },
  { argv: ["info", "--json"], code: 0, out: JSON_LINE },
  { argv: ["info", "extra"], code: 2, err: USAGE },

  { argv: ["notify"], code: 0, out: /^Channel .*\nphone .* ready\n$/ },
  { argv: ["notify", "--json"], code: 0, out: JSON_LINE },
  { argv: ["notify", "--test"], code: 0, out: "phone: delivered (it answered 200)\n" },
  { argv: ["notify", "--test", "phone", "--json"], code: 0, out: JSON_LINE },
  {
    argv: ["notify", "--test"],
    code: 1,
    out: "phone: not delivered (it answered 404)\n",
    before: (cli) => {
      cli.trials.set("phone", { name: "phone", delivered: false, reply: "it answered 404." });
    },
  },
  {
    argv: ["notify", "--test", "fax"],
    code: 2,
    err: 'Error: config.yaml has no channel "fax"\n',
  },
  { argv: ["notify", "extra"], code: 2, err: USAGE },

  {
    argv: ["permissions"],
    code: 0,
    out: /^--no-prompt {2}# nobody/,
    err: /^"inkling permissions /,
  },
  { argv: ["permissions", "-q"], code: 0, out: "--no-prompt\n" },
  { argv: ["permissions", "--json"], code: 0, out: JSON_LINE },
  { argv: ["permissions", "--command"], code: 0, out: "deno run --no-prompt main.ts start\n" },
  {
    argv: ["permissions", "--command"],
    code: 1,
    err: /^Error: This program is compiled: /,
    before: (cli) => cli.permissions = { ...cli.permissions, command: null },
  },
  { argv: ["permissions", "extra"], code: 2, err: USAGE },

  { argv: ["ui"], code: 130, out: PAGE, err: /^The address works once\. /, then: INTERRUPT },
  { argv: ["ui", "-q"], code: 130, out: PAGE, then: INTERRUPT },
  { argv: ["ui"], isRunning: false, code: 3, err: START_FAILED, before: FAILING_START },
  { argv: ["ui", "extra"], code: 2, err: USAGE },
  {
    argv: ["ui", "--background"],
    code: 1,
    err: /^Error: The page could not be started/,
    before: FAILING_START,
  },
  { argv: ["ui", "--stop"], code: 0, out: /^No page is served in the background\n$/ },
  { argv: ["ui", "--stop", "--no-open"], code: 2, err: USAGE },

  {
    argv: ["update"],
    isRunning: false,
    code: 0,
    out: UPDATED,
    err: "Fetching Inkling 1.3.0\n",
    needs: offerRelease,
  },
  { argv: ["update", "-q"], isRunning: false, code: 0, out: UPDATED, needs: offerRelease },
  { argv: ["update", "--check"], code: 0, out: /^Inkling 1\.3\.0 is avail/, needs: offerRelease },
  { argv: ["update"], code: 1, err: /^Error: This Inkling runs from its sources in / },
  { argv: ["update", "--check", "--force"], code: 2, err: USAGE },

  { argv: ["completions", "bash"], code: 0, out: /\ncomplete -F _inkling inkling\n$/ },
  { argv: ["completions", "zsh"], code: 0, out: /^#compdef inkling\n/ },
  { argv: ["completions", "fish"], code: 0, out: /\ncomplete -c inkling / },
  { argv: ["completions", "bsh"], code: 2, err: USAGE },
  { argv: ["completions"], code: 2, err: USAGE },

  { argv: ["complete", "bash", "--", "lis"], code: 0, out: "list\n:none\n" },
  { argv: ["complete", "bsh"], code: 2, err: USAGE },
];

/** What a command ends with that did what it was asked for: only `ui` has to be interrupted. */
export function successOf(name: string): number {
  return name === "ui" ? 130 : 0;
}
