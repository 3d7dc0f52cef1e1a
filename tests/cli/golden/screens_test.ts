// The screen of each command at a terminal. The screens are in __snapshots__; read the changes of a snapshot.
import assert from "node:assert/strict";
import { PROGRAM } from "../../../cli/program.ts";
import { beforeEnding } from "../../../cli/prompting/terminal_signals.ts";
import type { ServiceEventMessage } from "../../../api/client/client.ts";
import { node } from "../../runtime/executions/nodes/fake_nodes.ts";
import { settleQuickly } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { CTRL_D } from "../fake_input.ts";
import { addFiles, addKeys, addPeople, addRecord } from "../exit_code_table.ts";
import { offerServer } from "../fake_server.ts";
import { offerImport } from "./fake_import.ts";
import { offerSkill } from "../fake_skill.ts";
import { offerTests, result } from "../fake_tests.ts";
import { type FakeCli, placesIn } from "../fake_cli.ts";
import type { Installation } from "../../../ops/setup/installation.ts";
import { assertPicture } from "../picture.ts";
import { ask, callTools, finish } from "../waiting_execution.ts";
import { offerRelease } from "../update/release_server.ts";
import { useUnwritableHome } from "./unwritable_home.ts";
import { addAgents, addHistory, createWorld, playDryRun, playRun, type World } from "./world.ts";

interface Screen {
  argv: string[];
  code?: number;
  isRunning?: boolean;
  hasPerson?: boolean;
  /** Prepares the world; by default it adds agents with a history. */
  before?: (world: World) => void;
  /**
   * Creates the files or the server that the command uses. Their work takes real time, which the test clock does not
   * control.
   */
  needs?: (cli: FakeCli) => Promise<AsyncDisposable>;
  /** Acts while the command runs, like a person or the service. */
  meanwhile?: (world: World) => Promise<void>;
}

const EMPTY = () => {};

/** Moves the state folder to a path that is the same on every machine. */
function keepStateAtHome({ cli }: Pick<World, "cli">): void {
  cli.app.places = () => Promise.resolve(placesIn("/home/me/.local/state/inkling"));
}

/** The id of the next execution, because the world's history has four executions. */
const NEW = 5;

/** Acts on the new execution once it is followed. */
function once(act: (cli: FakeCli, id: number) => void): (world: World) => Promise<void> {
  return async ({ cli }) => {
    await until(() => cli.runtime.followers === 1, "the run is followed", settleQuickly);
    act(cli, NEW);
  };
}

const EVENTS: ServiceEventMessage[] = [
  ["execution_started", { trigger: "schedule" }],
  ["execution_waiting", { kind: "confirm", message: "Allow\n\u001b[2Jfile_write?" }],
  ["execution_resumed", {}],
  ["execution_completed", { status: "success", duration_ms: 63_200 }],
  ["execution_completed", { status: "orphaned", duration_ms: null }],
  ["scheduler_changed", { status: "paused" }],
  ["trigger_changed", { status: "paused", reason: "too often" }],
  ["trigger_changed", { status: "running", reason: null }],
  ["heartbeat", {}],
  ["agents_changed", { event: "updated" }],
].map(([event, more]) => ({
  event: String(event),
  payload: { execution_id: 12, agent_id: "reporter", agent_name: "reporter", ...Object(more) },
}));

function callWithLongArgument(cli: FakeCli, id: number): void {
  const content =
    "# Report\nThe tomatoes grow, and they grow well enough to be eaten before the summer is " +
    "over.\n    The roses do not: they want a good deal of water, and there was no rain.\n";
  callTools(cli, id, ["a", "file_write", { path: "report.md", content }]);
}

const REPAIR = {
  event_type: "meta",
  kind: "repair",
  message: "The answer does not fit output.schema, it is asked for once more: /a",
  content: "Your answer\n- /a",
};

/** Plays rare frames: notices, failed calls, hostile arguments, an estimate. */
function playRareFrames({ cli }: World): void {
  cli.runtime.addExecution({ agentId: "reporter", status: "success" });
  const append = cli.runtime.append.bind(cli.runtime, 1);
  const call = (id: string, name: string, args: string) =>
    append("tool_call", { content: "", tools: [{ id, name, args }] });
  const result = (id: string, name: string, content: string, is_error = false) =>
    append("tool_result", {
      ...{ tool_call_id: id, tool_name: name, content, is_error },
      ...{ message: content, duration_ms: 12 },
    });
  const info = { event_type: "execution_info", model: "demo/echo", trigger: "agent" };
  append("meta", { ...info, parent_execution_id: 5 });
  append("message", {
    event_type: "system",
    content: "<environment>\nNow: Friday\n\nFiles:\n- a\n</environment>\n\n" +
      "<task>\none\ntwo\n\nthree\nfour\n</task>",
  });
  const notice = { event_type: "meta", kind: "notice" };
  append("meta", { ...notice, level: "info", content: 'Starts "a\u001b[2J"' });
  append("meta", { ...notice, level: "warn", content: "The rate limit is reached" });
  append("meta", REPAIR);
  append("meta", { kind: "reasoning", content: "First \u001b[2J\nthen\nlast" });
  append("message", { event_type: "thinking", content: "hm" });
  call("a", "run_agent", '{"agent_id":"translator"}');
  const figures = { execution_id: 13, total_tokens: 1_234, cost_usd: 0.01 };
  result("a", "run_agent", JSON.stringify({ status: "timeout", output: "", ...figures }));
  const content = "echo a\n\u001b]0;touch pwned #\u0007\recho b\n";
  call("b", "file_write", JSON.stringify({ path: "a.sh", content, deep: { x: [1] } }));
  result("b", "file_write", Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join("\n"), true);
  // Text that is not JSON is printed unchanged.
  call("c", "file_read", '{"path\u001b]0;x\u0007');
  result("c", "file_read", "Error: no", true);
  append("meta", { event_type: "stats", message: "30 tokens", warning: "No price" });
  append("final_answer", { content: " \n" });
  const complete = { event_type: "complete", status: "success", usage_estimated: true };
  append("complete", { ...complete, duration_ms: 80, total_tokens: 1_234, cost_usd: 0.0012 });
}

const CHANGE = {
  path: "notes/report.md",
  diff:
    "@@ -1,4 +1,5 @@\n # Report\n-The tomatoes grow.\n+The tomatoes grow, and they grow well enough to " +
    "be eaten before the summer is over.\n+\n     The roses do not.\u001b[2J\n \n@@ -20,1 +21,1 @@\n-old\n" +
    "+new\n\\ No newline at end of file\n",
  added: 3,
  removed: 2,
  isNewFile: false,
  problem: null,
};

/** Makes execution 4 ask for the approval of file_write. */
function askToWrite(world: World): void {
  withPast(world);
  const { runtime } = world.cli;
  const asking = { isGuard: true as const, toolArgs: { path: "notes/report.md", content: "…" } };
  ask(world.cli, 4, asking);
  runtime.previews.set(4, CHANGE);
  runtime.onRespond = (id) => {
    runtime.setStatus(id, "running");
    finish(world.cli, id, "Written.");
  };
}

function askToSend(world: World): void {
  withPast(world);
  ask(world.cli, 4, {
    isGuard: true,
    toolName: "mail__send",
    message: "Allow mail__send?",
    toolArgs: {
      to: "garden@example.com",
      subject: "How the garden grows, and what is to be done in it before the frost comes",
      urgent: false,
      body: "Hello,\n\n    the tomatoes grow.\nBye",
      copies: ["a@example.com"],
    },
  });
}

/** Adds a notification channel that works and one that fails. */
function addChannels({ cli }: World): void {
  const reply = "the variable SLACK_WEBHOOK_URL is not set: add it to the .env file";
  cli.channels = [
    { name: "phone", type: "ntfy", problem: null, isEmpty: false },
    { name: "team", type: "slack", problem: reply, isEmpty: false },
  ];
  cli.trials.set("phone", { name: "phone", delivered: true, reply: "ntfy.sh answered 200" });
  cli.trials.set("team", { name: "team", delivered: false, reply });
}

function addChat({ cli }: World): void {
  const { runtime } = cli;
  cli.channels = [{ name: "phone", type: "chat", problem: null, isEmpty: false }];
  const chat = {
    app: "telegram",
    token: "BOT_TOKEN",
    apiRoot: "",
    people: [],
    groups: [],
  } as const;
  runtime.chats = [{ name: "phone", ...chat }];
  runtime.codeSender = { id: "77", name: "Ada (@ada)" };
  cli.input.answers = [true, "owner"];
  const addPerson = () => Promise.resolve("~/.config/inkling/config.yaml");
  cli.app.openInstallation = () => Promise.resolve({ addPerson } as unknown as Installation);
}

function addPermissions({ cli }: World): void {
  cli.permissions = {
    flags: [
      { flag: "--no-prompt", why: "what no flag allows is refused; nobody is asked" },
      { flag: "--allow-read=/home/me/my notes,/home/me/.config/inkling", why: "the workspace" },
      { flag: "--allow-net=api.openai.com:443", why: "the model openai/gpt-5" },
    ],
    remarks: ["http_request of reporter reaches no host: http.allow in config.yaml is empty"],
    command: ["/usr/bin/deno", "run", "--no-prompt", "--allow-read=/home/me/my notes", "main.ts"],
  };
}

/** Adds a database with several nodes, and a run that waits for another node. */
function addNodes(world: World): void {
  withPast(world);
  const { runtime, clock } = world.cli;
  runtime.storage = { kind: "postgres", place: "postgres://inkling@db.example/inkling" };
  const startedAt = clock.now() - 3_600_000;
  runtime.nodes.push(
    node({
      name: "attic",
      labels: ["gpu", "large-memory"],
      startedAt,
      silentMs: 90_000,
      isAlive: false,
      runs: 2,
    }),
    node({ name: "kitchen", labels: ["linux"], startedAt, silentMs: 1_200, isThis: true }),
    node({ name: "cellar-workstation.example", startedAt, silentMs: 12_000, runs: 3 }),
  );
  const lastExecution = runtime.addExecution({
    agentId: "sorter",
    trigger: "watch",
    waitsForLabels: ["gpu", "large-memory"],
  });
  const sorter = runtime.agents.get("sorter");
  if (sorter !== undefined) {
    runtime.agents.set("sorter", { ...sorter, lastExecution, triggerPaused: null });
  }
}

/** Adds a finding of every kind to `doctor`. */
function addFaults(world: World): void {
  const { cli } = world;
  withPast(world);
  const keys = "/home/me/inkling/agents/_config/.env";
  cli.examination = {
    checks: 31,
    findings: [
      {
        severity: "warning",
        subject: ".env",
        problem: `Other users may open this file with keys: ${keys}`,
        remedy: `chmod 600 ${keys}`,
        repair: () => `${keys} is now readable only by you`,
      },
      {
        severity: "error",
        subject: "reporter, 日本語 ノート",
        problem: "Other users may open the folder with the history: /home/me/state",
        remedy: "chmod 700 /home/me/state",
        repair() {
          throw new Deno.errors.PermissionDenied("Operation not permitted (os error 1)");
        },
      },
    ],
    unchecked: ["Inkling was started without --allow-sys=statfs"],
    notes: ["PostgreSQL 16.4 at postgres://inkling@db.example/inkling: 3 live nodes"],
  };
}

/** Presses Ctrl+C once the page's address is printed. */
async function leavePage({ cli, screen }: World): Promise<void> {
  await until(() => /Ctrl\+C/.test(screen.text), "it says how it ends");
  assert.ok(cli.interrupt());
}

const DRAFT = "---\ndescription: Sums up the day\ntrigger: { type: schedule, every: 1d }\n---\n\n" +
  "Read `notes.md` and sum up the day.\n";

const RESPOND_ALWAYS = ["respond", "4", "--yes", "--always", "--arguments"];

const SCREENS: Readonly<Record<string, Screen>> = {
  "setup": {
    argv: ["setup"],
    hasPerson: true,
    isRunning: false,
    needs(cli) {
      const setup = ["~/inkling", "openai", "gpt-5", "sk-0123456789", false, false, true];
      cli.input.answers = [...setup, "later"];
      return useUnwritableHome(cli);
    },
  },
  "setup --yes after a setup": {
    argv: ["setup", "--yes", "--provider", "anthropic"],
    needs: (cli) => useUnwritableHome(cli, { change: "updated" }),
  },
  "new with the model's draft": {
    argv: ["new", "daily"],
    hasPerson: true,
    needs(cli) {
      cli.input.answers = ["describe", "Sum up the day", "save"];
      return useUnwritableHome(cli, { draft: DRAFT });
    },
  },
  "new with questions": {
    argv: ["new", "my agent"],
    hasPerson: true,
    needs(cli) {
      cli.input.answers = ["describe", "", "", "schedule", "5", "1h30m", "wait", "notes", ""];
      cli.input.lines = ["", CTRL_D, "Sum up the notes."];
      return useUnwritableHome(cli);
    },
  },
  "new with options": {
    argv: ["new", "daily", "--prompt", "Sum up the day."],
    needs: (cli) => useUnwritableHome(cli),
  },
  "new without a terminal": {
    argv: ["new", "daily"],
    code: 2,
    needs: (cli) => useUnwritableHome(cli),
  },
  "list": { argv: ["list"] },
  "list without a service": { argv: ["list"], isRunning: false },
  "list without agents": { argv: ["list"], before: EMPTY },
  "logs": { argv: ["logs", "reporter"] },
  "logs of an agent that never ran": { argv: ["logs", "sorter"] },
  "logs of an execution": {
    argv: ["logs", "-e", "1"],
    before({ cli }) {
      addHistory(cli);
      playRun(cli, 1);
    },
  },
  "logs of an execution with rare frames": { argv: ["logs", "-e", "1"], before: playRareFrames },
  "logs -v of an execution with rare frames": {
    argv: ["logs", "-v", "-e", "1"],
    before: playRareFrames,
  },
  "show": { argv: ["show", "nightly backup"] },
  "show --prompt": { argv: ["show", "reporter", "--prompt"] },
  "budget": { argv: ["budget"], before: withBudgets },
  "budget without a configured budget": { argv: ["budget"] },
  "budget after a raise": { argv: ["budget", "reporter", "--raise", "1.00"], before: withBudgets },
  "list with a budget nearly used up": { argv: ["list"], before: withBudgets },
  "key list": { argv: ["key", "list"], before: ({ cli }) => addKeys(cli) },
  "key list without keys": { argv: ["key", "list"] },
  "key add": { argv: ["key", "add", "anna", "--role", "operator", "--expires", "90d"] },
  "key add without a role": { argv: ["key", "add", "anna"], code: 2 },
  "key revoke": { argv: ["key", "revoke", "anna"] },
  "person list": { argv: ["person", "list"], before: ({ cli }) => addPeople(cli) },
  "person list without people": { argv: ["person", "list"] },
  "whoami": { argv: ["whoami"] },
  "audit": { argv: ["audit"], before: ({ cli }) => addRecord(cli) },
  "audit without a record": { argv: ["audit"] },
  "why": { argv: ["why", "reporter"] },
  "why of a paused trigger": { argv: ["why", "sorter"] },
  "recap": { argv: ["recap"] },
  "recap of an empty period": { argv: ["recap", "--since", "1m"] },
  "logs of all agents": { argv: ["logs"], code: 0 },
  "run": { argv: ["run", "reporter"], meanwhile: once(playRun) },
  "run --dry-run": { argv: ["run", "reporter", "--dry-run"], meanwhile: once(playDryRun) },
  "run --dry-run without a change": {
    argv: ["run", "reporter", "--dry-run"],
    meanwhile: once((cli, id) => {
      cli.runtime.append(id, "meta", {
        event_type: "execution_info",
        model: "openai/gpt-5",
        trigger: "manual",
        dry_run: true,
      });
      finish(cli, id, "Nothing to do.");
    }),
  },
  "logs of dry runs": {
    argv: ["logs"],
    before(world) {
      const reporter = { agentId: "reporter", displayName: "Weekly Reporter" };
      world.cli.runtime.addExecution({ ...reporter, isDryRun: true, status: "success" });
      const of = { parentExecutionId: 1, trigger: "agent" as const, isDryRun: true as const };
      world.cli.runtime.addExecution({ ...reporter, ...of, status: "success" });
    },
  },
  "logs -e of a dry run": {
    argv: ["logs", "-e", "1"],
    before(world) {
      const reporter = { agentId: "reporter", displayName: "Weekly Reporter" };
      world.cli.runtime.addExecution({ ...reporter, isDryRun: true, status: "success" });
      playDryRun(world.cli, 1);
    },
  },
  "run -v": { argv: ["run", "reporter", "-v"], meanwhile: once(playRun) },
  "logs -v of a run with a long error": {
    argv: ["logs", "-v", "-e", "1"],
    before({ cli }) {
      addHistory(cli);
      callWithLongArgument(cli, 1);
      cli.runtime.append(1, "complete", {
        status: "error",
        error: "openai does not answer as it should, and did not do so five times in a row: " +
          'look at "inkling logs -e 1" and at the page of its provider',
      });
    },
  },
  "run with a repaired, empty answer": {
    argv: ["run", "reporter"],
    meanwhile: once((cli, id) => {
      cli.runtime.append(id, "meta", REPAIR);
      finish(cli, id, "");
    }),
  },
  "run -q": { argv: ["run", "reporter", "-q"], meanwhile: once(playRun) },
  "run in progress": {
    argv: ["run", "reporter"],
    async meanwhile({ cli, screen }) {
      await until(() => cli.runtime.followers === 1, "the run is followed", settleQuickly);
      cli.runtime.delta(NEW, "# Report\n\nAll is **well** so f");
      await settleQuickly();
      await cli.clock.advance(2_000);
      await settleQuickly();
      // The snapshot is the current screen; the run is not played to its end.
      const picture = screen.text;
      cli.runtime.setStatus(NEW, "success");
      await cli.drive(until(() => cli.runtime.followers === 0, "it is over"));
      screen.write(`\n\n(a moment before)\n${picture}\n`);
    },
  },
  "run that asks without an input": {
    argv: ["run", "reporter"],
    code: 4,
    meanwhile: once((cli, id) => void ask(cli, id)),
  },
  "run that asks a question": {
    argv: ["run", "reporter"],
    hasPerson: true,
    meanwhile: once((cli, id) => {
      cli.input.answers = [true];
      cli.runtime.onRespond = () => finish(cli, id, "Written.");
      ask(cli, id, { toolArgs: { path: "report.md", content: "# Report\nAll is well.\n" } });
    }),
  },
  "run that fails": {
    argv: ["run", "reporter"],
    code: 1,
    meanwhile: once((cli, id) => {
      cli.runtime.append(id, "complete", {
        status: "aborted",
        duration_ms: 63_200,
        total_tokens: 500_123,
        cost_usd: 1.5,
        error: "Aborted: max_execution_tokens (500123 tokens, limit 500000)",
      });
    }),
  },
  "run -d": { argv: ["run", "reporter", "-d"] },
  "chat": {
    argv: ["chat", "reporter", "--session", "garden"],
    hasPerson: true,
    before(world) {
      withPast(world);
      world.cli.input.lines = ["How is the garden?"];
    },
    meanwhile: once((cli, id) => finish(cli, id, "All is **well**:\n\n- roses\n- tomatoes")),
  },
  "pending": { argv: ["pending"] },
  "pending of a file change": { argv: ["pending", "4"], before: askToWrite },
  "pending of another tool's arguments": { argv: ["pending", "4"], before: askToSend },
  "pending of an execution that does not wait": { argv: ["pending", "1"], code: 1 },
  "respond with a file change": {
    argv: [...RESPOND_ALWAYS, '{"path":"report.md","content":"x"}'],
    before(world) {
      askToWrite(world);
      world.cli.runtime.canKeyEdit = true;
    },
  },
  "pending without a question": { argv: ["pending"], before: EMPTY },
  "respond": {
    argv: ["respond", "4", "--yes"],
    meanwhile: once((cli) => finish(cli, 4, "Written.")),
  },
  "watch": {
    argv: ["watch", "1"],
    before(world) {
      withPast(world);
      finish(world.cli, 1, "Written.");
    },
  },
  "watch of a waiting execution": { argv: ["watch", "4"], code: 4 },
  "cancel": { argv: ["cancel", "4"] },
  "wake": { argv: ["wake", "1"] },
  "resume": { argv: ["resume", "sorter"] },
  "status": { argv: ["status"] },
  "status -v": { argv: ["status", "-v"] },
  "status of several nodes": { argv: ["status"], before: addNodes },
  "list with a run that waits for a node": { argv: ["list"], before: addNodes },
  "why a run waits for a node": { argv: ["why", "sorter"], before: addNodes },
  "status of a stopped service": { argv: ["status"], isRunning: false, before: keepStateAtHome },
  "stop": { argv: ["stop"], before: ({ cli }) => void cli.addProcess(["request"]) },
  "stop of a service that ignores the request": {
    argv: ["stop", "--timeout", "0.5"],
    before: ({ cli }) => void cli.addProcess(["SIGTERM"]),
  },
  "start": {
    argv: ["start"],
    isRunning: false,
    before(world) {
      const { cli } = world;
      addHistory(cli);
      addAgents(cli);
      cli.onServe = async ({ onReady, onEvent }) => {
        cli.isRunning = true;
        onReady({
          pid: 77,
          workspace: "/home/me/inkling",
          logFile: "/home/me/.local/state/inkling/inkling.log",
          agents: 4,
          brokenFiles: 1,
          transports: ["unix:/home/me/.local/state/inkling/service.sock"],
        });
        for (const event of EVENTS) onEvent?.(event);
        await until(() => /agent file/.test(world.screen.text), "the last event is told");
        return "signal";
      };
    },
  },
  "start -d": { argv: ["start", "-d"], isRunning: false },
  "start with a port and no key": { argv: ["start", "--port", "80"], code: 2 },
  "info": {
    argv: ["info"],
    before({ cli }) {
      keepStateAtHome({ cli });
      cli.report = {
        ...cli.report,
        defaultModel: "openai/gpt-5",
        defaultModelHasPrice: true,
        providers: [
          { name: "openai", keyVariable: "OPENAI_API_KEY", hasKey: true },
          { name: "anthropic", keyVariable: "ANTHROPIC_API_KEY", hasKey: false },
          { name: "ollama", keyVariable: null, hasKey: true },
        ],
      };
    },
  },
  "import": {
    argv: ["import", "~/shop", "--yes", "--allow", "paths"],
    before: ({ cli }) => offerImport(cli),
  },
  "import without a terminal": {
    argv: ["import", "~/shop"],
    before: ({ cli }) => offerImport(cli),
    code: 2,
  },
  "enable": { argv: ["enable", "reviewer"], before: ({ cli }) => offerImport(cli) },
  "skill add": {
    argv: ["skill", "add", "npm:@acme/skill-pdf", "--yes"],
    before: ({ cli }) => offerSkill(cli),
  },
  "skill add of another version without a terminal": {
    argv: ["skill", "add", "npm:@acme/skill-pdf"],
    code: 2,
    before: ({ cli }) =>
      offerSkill(cli, {
        changes: { changed: ["scripts/fill.py"], added: ["reference/forms.md"], missing: [] },
      }),
  },
  "validate --connect": {
    argv: ["validate", "--connect"],
    before({ cli }) {
      const connected = [{ server: "files", tools: 12 }, { server: "clock", tools: 1 }];
      const path = "/home/me/inkling/agents/_config/mcp-servers.json";
      cli.files = [{ agentId: "mcp-servers.json", path, diagnostics: [], connected }];
    },
  },
  "skill list": { argv: ["skill", "list"], before: ({ cli }) => offerSkill(cli) },
  "skill remove": {
    argv: ["skill", "remove", "pdf", "--yes"],
    before: ({ cli }) => offerSkill(cli),
  },
  "mcp list": { argv: ["mcp", "list"], before: ({ cli }) => offerServer(cli) },
  "mcp remove": {
    argv: ["mcp", "remove", "files", "--yes"],
    before: ({ cli }) => offerServer(cli),
  },
  "mcp add": {
    argv: ["mcp", "add", "files", "npm:@acme/files", "~/notes", "--env", "FILES_TOKEN", "--yes"],
    before: ({ cli }) => offerServer(cli),
  },
  "mail login": { argv: ["mail", "login", "home"], before: ({ cli }) => offerServer(cli) },
  "mail logout": { argv: ["mail", "logout", "home"], before: ({ cli }) => offerServer(cli) },
  "validate": { argv: ["validate"], code: 1, before: ({ cli }) => addFiles(cli) },
  "doctor of a healthy installation": { argv: ["doctor"], before: EMPTY },
  "doctor": { argv: ["doctor"], code: 1, isRunning: false, before: addFaults },
  "doctor --fix": { argv: ["doctor", "--fix"], code: 1, isRunning: false, before: addFaults },
  "validate without agents": { argv: ["validate"], before: EMPTY },
  "test": {
    argv: ["test"],
    before: ({ cli }) => offerTests(cli, { results: [result("reporter/storm"), result("tidy")] }),
  },
  "test with failures": { argv: ["test"], code: 1, before: ({ cli }) => offerTests(cli) },
  "test without cases": {
    argv: ["test"],
    code: 1,
    before: ({ cli }) => offerTests(cli, { results: [] }),
  },
  "test --live": {
    argv: ["test", "--live", "--repeat", "5", "--models", "openai/gpt-5,local/llama", "--yes"],
    code: 1,
    before: ({ cli }) => offerTests(cli),
  },
  "checkpoint": {
    argv: ["checkpoint"],
    before({ cli }) {
      cli.runtime.checkpoints = {
        path: "/home/me/.local/state/inkling/inkling.db",
        sizeBytes: 2_345_678,
        threads: 14,
        agents: [
          { agentId: "reporter", threads: 12, messages: 1_234, bytes: 987_654 },
          { agentId: "日本語 ノート", threads: 2, messages: 9, bytes: 512 },
        ],
      };
    },
  },
  "move-history --to": {
    argv: ["move-history", "--to", "postgres://inkling@db.lan:5432/inkling?sslmode=verify-full"],
    before({ cli }) {
      const { onMove } = cli;
      cli.onMove = async (options) => {
        options.onProgress({ table: "frames", rows: 1_000, step: "copying" });
        return { ...await onMove(options), changedTexts: 1 };
      };
    },
  },
  "notify": { argv: ["notify"], before: addChannels },
  "notify --test": { argv: ["notify", "--test"], code: 1, before: addChannels },
  "notify without channels": { argv: ["notify"] },
  "pair": {
    argv: ["pair", "phone"],
    hasPerson: true,
    before: addChat,
  },
  "pair with an unknown chat": {
    argv: ["pair", "fone"],
    code: 2,
    hasPerson: true,
    before: addChat,
  },
  "service status": { argv: ["service", "status"] },
  "service install without systemd": { argv: ["service", "install"], code: 1 },
  "replay": {
    argv: ["replay", "1"],
    before(world) {
      withPast(world);
      world.cli.runtime.replay = {
        ...world.cli.runtime.replay,
        notes: ["Recorded by an older version: tools and settings are not compared"],
      };
    },
  },
  "replay with a difference": {
    argv: ["replay", "1"],
    code: 1,
    before(world) {
      withPast(world);
      const prompt = (task: string) => `A\nB\nC\nD\nE\n<task>\n${task}\n</task>`;
      world.cli.runtime.replay = {
        steps: 1,
        recordedSteps: 4,
        notes: ["As recorded, because nothing is started: MCP server files"],
        differences: [
          {
            kind: "message",
            call: 2,
            what: "message 1 (the prompt)",
            recorded: prompt("Write a report on the notes of the week, and send it to nobody."),
            today: prompt("Write a report on the notes of the month, and send it to nobody."),
          },
          { kind: "setting", call: 2, what: "temperature", recorded: "0.7", today: "0.2" },
        ],
      };
    },
  },
  "fork -d": { argv: ["fork", "1", "-d", "--at", "2", "--message", "Shorter"] },
  "diff": {
    argv: ["diff", "1", "1"],
    before(world) {
      withPast(world);
      playRun(world.cli, 1);
    },
  },
  "diff with a difference": {
    argv: ["diff", "1", "2"],
    code: 1,
    before(world) {
      withPast(world);
      playRun(world.cli, 1);
      finish(world.cli, 2, "Written, and short.");
    },
  },
  "permissions": { argv: ["permissions"], before: addPermissions },
  "permissions --command": { argv: ["permissions", "--command"], before: addPermissions },
  "permissions of a compiled program": {
    argv: ["permissions"],
    before(world) {
      addPermissions(world);
      world.cli.permissions = { ...world.cli.permissions, command: null };
    },
  },
  "ui": { argv: ["ui"], code: 130, meanwhile: leavePage },
  "ui without a browser or a service": {
    argv: ["ui"],
    code: 130,
    isRunning: false,
    before: ({ cli }) => void (cli.hasBrowser = false),
    meanwhile: leavePage,
  },
  "update": { argv: ["update"], needs: offerRelease },
  "update of a source checkout": { argv: ["update"], code: 1 },
  "schema": { argv: ["schema", "mcp"] },
  "completions": { argv: ["completions", "bash"] },
  "help": { argv: ["help", "completions"] },
  "a wrong option": { argv: ["list", "--jsn"], code: 2 },
};

function withPast({ cli }: World): void {
  addHistory(cli);
  addAgents(cli);
}

function withBudgets(world: World): void {
  withPast(world);
  const { runtime, clock } = world.cli;
  runtime.budgetFigures = [
    {
      ...{ budget: "per_day", unit: "usd", period: "day", agentId: "reporter", executionId: null },
      ...{ limit: 3, raised: 1, used: 2.61, reserved: 0.12, left: 0.27 },
      resetsAt: clock.now() + 5 * 3_600_000,
    },
    {
      ...{ budget: "tokens.per_month", unit: "tokens", period: "month", agentId: null },
      ...{ executionId: null, limit: 5_000_000, raised: 0, used: 1_234_567, reserved: 0 },
      ...{ left: 3_765_433, resetsAt: clock.now() + 20 * 86_400_000 },
    },
    {
      ...{ budget: "tree", unit: "usd", period: "tree", agentId: "reporter", executionId: 4 },
      ...{ limit: 1, raised: 0, used: 0.004, reserved: 0, left: 0.996, resetsAt: null },
    },
  ];
}

// The first use of the terminal adds listeners for signals, which stay until the process ends.
beforeEnding(EMPTY)[Symbol.dispose]();

for (const columns of [80, 40]) {
  Deno.test(`screen of every command at ${columns} columns`, async (t) => {
    for (const [name, screen] of Object.entries(SCREENS)) {
      const { argv, code = 0, before = withPast, needs, meanwhile, ...options } = screen;
      await t.step(name, async (t) => {
        await using world = await createWorld({ columns, ...options });
        before(world);
        await using _ = await needs?.(world.cli);
        const exit = world.cli.run(...argv);
        await meanwhile?.(world);
        const ended = needs === undefined ? world.cli.drive(exit) : exit;
        assert.equal(await ended, code, world.screen.text);
        // The code of `pair` is random.
        const picture = world.picture.replace(/\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/, "K7QM-9XDA");
        const screen = `$ inkling ${argv.join(" ")}\n${picture}\n`;
        await assertPicture(t, screen, import.meta.url);
      });
    }
  });
}

Deno.test("every command has a snapshot of a success", () => {
  // `ui` succeeds with 130, because it runs until Ctrl+C. Hidden commands are called by shells, not by people.
  const isMain = ({ argv: [name], code = 0 }: Screen) => code === (name === "ui" ? 130 : 0);
  const shown = new Set(Object.values(SCREENS).filter(isMain).map(({ argv: [name] }) => name));
  // `acp` has no screen: an editor reads its output.
  const commands = PROGRAM.commands.filter(({ name, isHidden }) => !isHidden && name !== "acp")
    .map(({ name }) => name);
  assert.deepEqual([...shown].sort(), commands.sort());
});
