// The command lines of exit_codes_test.ts.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fakeAgent } from "../support/fake_agent.ts";
import { fakePlan } from "../support/fake_plan.ts";
import { SessionWaiting } from "../../runtime/executions/refusals.ts";
import { FakeRefusal } from "../support/fake_runtime.ts";
import { offerServer } from "./fake_server.ts";
import { offerSkill } from "./fake_skill.ts";
import { offerTests, result } from "./fake_tests.ts";
import type { FakeCli } from "./fake_cli.ts";
import { useHome } from "./setup_world.ts";
import { offerRelease } from "./update/release_server.ts";
import { ask, finish } from "./waiting_execution.ts";

/** A command line and its preparation. */
export interface Row {
  /** The words after the command's name, separated by single spaces. */
  words: string;
  isRunning?: boolean;
  /** Prepares the command line. */
  before?: (cli: FakeCli) => void;
  /**
   * Creates the files or the server that the command uses. Their work takes real time, which the test clock does not
   * control.
   */
  needs?: (cli: FakeCli) => Promise<AsyncDisposable>;
  /** Acts once a run is followed, or once the command waits for Ctrl+C. */
  then?: (cli: FakeCli) => void;
}

/** Adds an agent, a successful execution (1) and one that waits for an answer (2). */
export function addWorld(cli: FakeCli): void {
  cli.runtime.addAgent(fakeAgent("daily"));
  cli.runtime.plans.set("daily", fakePlan());
  cli.runtime.addExecution({ agentId: "daily", status: "success", durationMs: 10 });
  cli.runtime.addExecution({ agentId: "daily" });
  ask(cli, 2);
  cli.files = [{ agentId: "daily", path: "agents/daily.md", diagnostics: [] }];
  cli.channels = [{ name: "phone", type: "ntfy", problem: null, isEmpty: false }];
  cli.trials.set("phone", { name: "phone", delivered: true, reply: "it answered 200" });
  cli.permissions = {
    flags: [{ flag: "--no-prompt", why: "nobody is asked" }],
    remarks: [],
    command: ["deno", "run", "--no-prompt", "main.ts"],
  };
}

const NEW = 3;

/** Creates an empty home without a setup. */
async function openHome(cli: FakeCli): Promise<AsyncDisposable> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-" }));
  useHome(cli, { home });
  return { [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

/** Creates a home with the file foreign.md of another tool, and with the disabled agent daily. */
async function openForeignFile(cli: FakeCli): Promise<AsyncDisposable> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-" }));
  useHome(cli, { home });
  const files = {
    "inkling/agents/daily.md": "---\nenabled: false\n---\nDo it.\n",
    "foreign.md": "---\nname: foreign\ndescription: d\ntools: Read\n---\nDo it.\n",
    ".config/inkling/config.yaml": "defaults: { provider: demo, model: report }\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(home, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(home, path), text);
  }
  cli.app.agentNames = () => Promise.resolve(["daily"]);
  return { [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
}

function offerPassing(cli: FakeCli): void {
  offerTests(cli, { results: [result("tidy")] });
}

function offerFailing(cli: FakeCli): void {
  offerTests(cli);
}

function failRun({ runtime }: FakeCli): void {
  runtime.append(NEW, "complete", { status: "timeout", error: "Timeout" });
}

const FULL = {
  severity: "error",
  subject: "disk",
  problem: "It is nearly full",
  remedy: "make room",
} as const;

function diagnostic(severity: "error" | "warning", message: string, hint: string | null = null) {
  return { path: "agents/daily.md", line: 2, column: 1, severity, message, hint };
}

/** Adds files of every kind: with errors, with warnings, and two that are no agents. */
export function addFiles(cli: Pick<FakeCli, "files">): void {
  const odd = [diagnostic("warning", "Odd")];
  cli.files = [
    {
      agentId: "daily",
      path: "agents/daily.md",
      diagnostics: [...odd, diagnostic("error", "Wrong", "Do it right")],
    },
    { agentId: "good", path: "agents/good.md", diagnostics: [] },
    { agentId: "odd", path: "agents/odd.md", diagnostics: odd },
    { agentId: ".env", path: "/w/agents/_config/.env", diagnostics: odd },
    { agentId: "pricing.yaml", path: "/w/pricing.yaml", diagnostics: odd },
  ];
}

/** Adds a person with all ways in, and a removed one. */
export function addPeople(cli: Pick<FakeCli, "runtime" | "clock">): void {
  addKeys(cli);
  const openid = [{ issuer: "https://login.example", email: "ada@example.com" }];
  const none = { keys: [], chats: [], mail: [] };
  const { config } = cli.runtime;
  const value = {
    ...config,
    people: [
      {
        ...{ name: "ada", role: "operator", keys: ["anna", "laptop"], standIn: "bob", openid },
        ...{ chats: [{ chat: "phone", id: "77" }], mail: ["ada@example.com"], isRemoved: false },
      },
      { ...none, name: "bob", openid: [], isRemoved: false },
      { ...none, name: "eve", openid, isRemoved: true },
    ],
  };
  Object.defineProperty(cli.runtime, "config", { value });
}

/** Adds two named keys: one for some agents with an end, and one that was never used. */
export function addKeys({ runtime, clock }: Pick<FakeCli, "runtime" | "clock">): void {
  const now = clock.now();
  const day = 86_400_000;
  runtime.namedKeys.list = () =>
    Promise.resolve([
      {
        ...{ name: "anna", role: "operator", agents: ["daily", "reporter"] },
        ...{ createdAt: now - day, usedAt: now - 60_000, expiresAt: now + 90 * day },
      },
      {
        ...{ name: "phone", role: "viewer", agents: null },
        ...{ createdAt: now - day, usedAt: null, expiresAt: null },
      },
    ]);
}

/** Adds a record of a changed file, from an address, and one of an answer without a name. */
export function addRecord({ runtime, clock }: Pick<FakeCli, "runtime" | "clock">): void {
  const at = clock.now() - 60_000;
  runtime.auditRecords.push(
    {
      ...{ id: 2, at, action: "edit_file", via: "page", name: "anna", address: "10.0.0.7" },
      ...{ agentId: "daily", executionId: null, file: "/home/me/agents/daily.md" },
      ...{ isDone: false, detail: {} },
    },
    {
      ...{ id: 1, at, action: "answer", via: "terminal", name: null, address: null },
      ...{ agentId: "daily", executionId: 7, file: null },
      ...{ isDone: true, detail: { tool: "file_write", approved: true } },
    },
  );
}

/** Adds an agent whose file never parsed, one with a warning, and one with a last good definition. */
function addBrokenAgents({ runtime }: FakeCli): void {
  const [odd, wrong, worse] = [
    diagnostic("warning", "Unknown\nkey"),
    ...["Wrong", "Worse"].map((message) => diagnostic("error", message)),
  ].map(({ hint: _, ...one }) => one);
  assert.ok(odd && wrong && worse);
  runtime.broken = [{ id: "bad", path: "agents/bad.md", diagnostics: [odd, wrong, worse] }];
  runtime.addAgent(fakeAgent("odd", { warnings: [odd] }));
  runtime.addAgent(fakeAgent("live", { warnings: [odd, wrong] }));
}

const ANSWER = (cli: FakeCli) => finish(cli, NEW, "# All *is* well");
const INTERRUPT = (cli: FakeCli) => assert.ok(cli.interrupt());
const FAILING_START = (cli: FakeCli) => {
  cli.onSpawn = () => {
    throw new Error("No such program");
  };
};
const STOPPED = { isRunning: false };
const SILENT = { before: (cli: FakeCli) => cli.beSilent() };
const UNSTARTABLE = { ...STOPPED, before: FAILING_START };
const AT_HOME = { needs: openHome };
const FULL_DISK = { before: (cli: FakeCli) => void cli.examination.findings.push(FULL) };
const HELLO = { words: "daily", before: (cli: FakeCli) => void (cli.input.lines = ["Hello"]) };
const BROKEN_AGENTS = { before: addBrokenAgents };

/** The arguments of each command, for success and for failure. */
export const TABLE: Readonly<Record<string, readonly (string | Row)[]>> = {
  "": ["", "--help", "--version", "-V", "-q", "nonsense"],
  help: ["", "list", "lst"],
  setup: [
    { words: "--yes --provider demo", ...AT_HOME, ...STOPPED },
    { words: "--yes --provider demo -q", ...AT_HOME },
    { words: "", ...AT_HOME },
    { words: "--yes", ...AT_HOME },
    "--nonsense",
  ],
  new: [
    ...["daily --prompt Do.", "daily --prompt Do. -q", "daily", "a/b --prompt x"]
      .map((words) => ({ words, ...AT_HOME })),
    "",
  ],
  import: [
    ...["foreign.md --yes", "foreign.md --yes -q", "foreign.md", "nowhere --yes"]
      .map((words) => ({ words, needs: openForeignFile })),
    "",
  ],
  enable: [
    ...["daily", "daily -q", "dayly"].map((words) => ({ words, needs: openForeignFile })),
    "",
  ],
  skill: [
    { words: "add npm:pdf --yes", before: offerSkill },
    { words: "add npm:pdf", before: offerSkill },
    { words: "remove haiku -y -q", before: offerSkill },
    "update pdf",
  ],
  mcp: [
    { words: "add files npm:@acme/files --yes", before: offerServer },
    { words: "add files npm:@acme/files", before: offerServer },
    { words: "remove nowhere", before: offerServer },
    "add files",
  ],
  mail: [
    ...["login home", "login home --no-browser", "logout home", "logout home -q"]
      .map((words) => ({ words, before: offerServer })),
    "login",
  ],
  list: [
    ...["", "--json", "-q", "--quiet extra"],
    ...[SILENT, STOPPED, BROKEN_AGENTS].map((more) => ({ words: "", ...more })),
    { words: "-q", ...BROKEN_AGENTS },
  ],
  status: [
    ...["", "-q", "--json"].flatMap((words) => [words, { words, ...STOPPED }]),
    { words: "", ...SILENT },
    "--jsn",
  ],
  stop: [
    { words: "", ...STOPPED },
    { words: "-q", ...STOPPED },
    { words: "", before: (cli) => void cli.addProcess(["request"]) },
    { words: "--timeout 0.5", before: (cli) => void cli.addProcess(["SIGKILL"]) },
    { words: "--timeout 0.5", before: (cli) => void cli.addProcess([]) },
    "--timeout x",
  ],
  start: [
    ...["-d", "-d -q", ""].map((words) => ({ words, ...STOPPED })),
    "-d",
    "--port 80",
    "--port x",
    { words: "-d", ...UNSTARTABLE },
  ],
  run: [
    ...["daily", "daily -q", "daily --json"]
      .flatMap((words) => [{ words, then: ANSWER }, { words, then: failRun }]),
    ...["daily -d", "daily -d -q", "daily -d --json", "daily --dry-run -d"],
    ...["dayly", "", "daily --nonsense"],
    { words: "daily", then: (cli) => void ask(cli, NEW) },
    {
      words: "daily",
      before: (cli) => void (cli.runtime.runFailure = new SessionWaiting("daily")),
    },
    { words: "daily", ...SILENT },
  ],
  chat: [
    ...["daily", "daily -q", "dayly", "daily --continue", "daily --session ", ""],
    { ...HELLO, then: ANSWER },
    { ...HELLO, then: failRun },
  ],
  watch: [
    { words: "1", before: (cli) => finish(cli, 1, "Done.") },
    { words: "1 --json", before: (cli) => finish(cli, 1, "Done.") },
    ...["2", "99", ""],
    { words: "1", ...SILENT },
  ],
  replay: ["1", "1 --json", "99", ""],
  fork: ["1 -d", "1 -d --at 2 --message Shorter", "1 --at x", "99 -d", ""],
  diff: ["1 1", "1 99", ""],
  cancel: ["2", "1", "99 2 --json", "99", "x", "", { words: "2", ...SILENT }],
  wake: ["1", "1 --json", "99", "x", "", { words: "1", ...SILENT }],
  resume: ["daily", "daily --json", "dayly", ""],
  pending: ["", "--json", "extra", { words: "", ...SILENT }, { words: "", ...STOPPED }],
  respond: [
    ...[{}, STOPPED].map((more): Row => ({
      ...{ words: "2 --yes", then: (cli) => finish(cli, 2, "Done."), ...more },
    })),
    ...["2", "2 --text x", "1 --yes", "99 --yes", "two --yes", ""],
  ],
  logs: [
    ...["daily", "daily --json", "-e 1 --json", "-e 2", "-e 2 -q", "dayly", ""],
    ...["--search nothing", "--since soon", "-e 99", "daily -n 0", "weekly -e 1", "--search ab"],
    ...["--status done", "-e 1 --since 2h", "-e 0", "-n 1.5 daily", "-f -e 1 -n 2", "-f --json"],
  ],
  show: ["daily", "daily --prompt --json", "daily --json", "dayly"],
  why: ["daily", "daily --json", "dayly"],
  budget: [
    ...["", "daily --json", "daily --raise 1", "daily --raise none", "--tokens", "--period month"],
  ],
  audit: [
    ...["", "--json", "nosuch", "--since soon"],
    ...["", "--json"].map((words) => ({ words, before: addRecord })),
  ],
  recap: ["", "--json", "--check", "--since soon"],
  checkpoint: [
    ...["", "--stats", "--json", "--purge", "--purge --json", "--force", "--purge --stats"],
    ...["--stats --force", "--agent dayly"],
  ],
  "move-history": [
    ...["--to postgres://u@h/d", "--from postgres://u@h/d --json", ""],
    {
      words: "--from postgres://u@h/d",
      before: (cli) =>
        cli.onMove = () => Promise.reject(new FakeRefusal("conflict", "a history already")),
    },
    ...["--to mysql://u:secret@h/d", "--to a --from b"],
  ],
  validate: [
    ...["", "-q", "--json", "dayly"],
    ...["", "-q", "--json", "odd"].map((words) => ({ words, before: addFiles })),
  ],
  doctor: [
    ...["", "-q", "extra"],
    {
      words: "",
      before: (cli) => void cli.examination.findings.push({ ...FULL, severity: "warning" }),
    },
    { words: "-q", ...FULL_DISK },
    { words: "--json", ...FULL_DISK },
  ],
  test: [
    ...["", "-q", "--json"].map((words) => ({ words, before: offerPassing })),
    ...["--record 7", "", "--json", "tidi", "reportr"].map((words) => ({
      words,
      before: offerFailing,
    })),
    ...["--as x", "--repeat 2", "--models a/b", "--yes", "--record 1 --live", "--watch --json"],
  ],
  info: ["", "--json", "extra"],
  notify: [
    ...["", "--json", "--test", "--test phone --json", "--test phon", "extra"],
    { words: "--test", before: (cli) => void (cli.channels = []) },
    {
      words: "--json -q",
      before: ({ channels }) =>
        void channels.push({ name: "home", type: "chat", problem: null, isEmpty: true }),
    },
    {
      words: "--test",
      before: (cli) =>
        void cli.trials.set("phone", {
          name: "phone",
          delivered: false,
          reply: "it answered 404.\u001b[2J\nReally",
        }),
    },
  ],
  key: [
    ...["list", "list --json", "add anna --role operator", "add anna -q --role viewer"],
    ...["renew", "revoke anna", "revoke anna -q", "add anna", "add --role viewer", "revoke", ""],
    ...["add anna --role viewer --expires soon", "list anna", "renew --json"],
    "add anna --role viewer --agents ,",
    { words: "list", before: addKeys },
    { words: "list --json", before: addKeys },
    {
      words: "revoke nobody",
      before: ({ runtime }) => {
        const refusal = new FakeRefusal("not_found", 'There is no key "nobody"');
        runtime.namedKeys.revoke = () => Promise.reject(refusal);
      },
    },
  ],
  person: ["list", "list --json", "list ada", "remove ada", "remove", "", "remove ada --json"],
  whoami: ["", "--json", "extra", { words: "", ...SILENT }],
  service: ["", "status", "status --json", "status --system", "install", "uninstall", "restart"],
  permissions: [
    ...["", "-q", "--json", "--command", "extra"],
    {
      words: "--command",
      before: (cli) => void (cli.permissions = { ...cli.permissions, command: null }),
    },
  ],
  ui: [
    { words: "", then: INTERRUPT },
    { words: "-q", then: INTERRUPT },
    { words: "", ...UNSTARTABLE },
    { words: "--background", before: FAILING_START },
    ...["extra", "--stop", "--stop --no-open"],
  ],
  update: [
    { words: "", ...STOPPED, needs: offerRelease },
    { words: "-q", ...STOPPED, needs: offerRelease },
    { words: "--check", needs: offerRelease },
    ...["", "--check --force"],
  ],
  schema: ["agent", "config", "mcp", "agents", ""],
  completions: ["bash", "zsh", "fish", "bsh", ""],
  complete: ["bash -- lis", "bsh"],
};
