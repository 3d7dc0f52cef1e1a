// What each command shows at a terminal. The screens lie in __snapshots__: whoever changes one, reads it.
import assert from "node:assert/strict";
import type { ServiceEventMessage } from "../../../server/client.ts";
import { settle } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { ask, finish } from "../waiting_execution.ts";
import { addAgents, addHistory, createWorld, playRun, type World } from "./world.ts";

interface Screen {
  name: string;
  argv: string[];
  code?: number;
  isRunning?: boolean;
  hasPerson?: boolean;
  /** What is there before the command; by default agents with a past. */
  before?: (world: World) => void;
  /** What happens while it runs. */
  meanwhile?: (world: World) => Promise<void>;
}

const EMPTY = () => {};

/** A state directory of the same name on every machine. */
function keepStateAtHome({ cli }: Pick<World, "cli">): void {
  const stateDir = "/home/me/.local/state/inkling";
  cli.app.places = () =>
    Promise.resolve({
      stateDir,
      socketFile: `${stateDir}/service.sock`,
      pidFile: `${stateDir}/inkling.pid`,
      lockFile: `${stateDir}/inkling.lock`,
      logFile: `${stateDir}/inkling.log`,
    });
}

/** A step of a new execution: the world's past has four. */
const NEW = 5;

async function untilFollowed({ cli }: World): Promise<void> {
  await until(() => cli.runtime.followers === 1, "the run is followed");
}

const EVENTS: ServiceEventMessage[] = [
  ["execution_started", { trigger: "schedule" }],
  ["execution_waiting", { kind: "confirm", message: "Allow file_write?" }],
  ["execution_resumed", {}],
  ["execution_completed", { status: "success", duration_ms: 63_200 }],
  ["agents_changed", { event: "updated" }],
].map(([event, more]) => ({
  event: String(event),
  payload: { execution_id: 12, agent_id: "reporter", agent_name: "reporter", ...Object(more) },
}));

const SCREENS: Screen[] = [
  { name: "list", argv: ["list"] },
  { name: "list without a service", argv: ["list"], isRunning: false },
  { name: "list of nothing", argv: ["list"], before: EMPTY },
  {
    name: "list while the scheduler is paused",
    argv: ["list", "-w", "notes"],
    before(world) {
      addAgents(world.cli);
      world.cli.runtime.schedulerStatus = "paused";
    },
  },
  { name: "logs", argv: ["logs", "reporter"] },
  { name: "logs of an agent that never ran", argv: ["logs", "sorter"] },
  {
    name: "logs of an execution",
    argv: ["logs", "-e", "1"],
    before({ cli }) {
      addHistory(cli);
      playRun(cli, 1);
    },
  },
  { name: "logs of nobody", argv: ["logs", "reportr"], code: 2 },
  { name: "logs without an agent", argv: ["logs"], code: 2 },
  {
    name: "run",
    argv: ["run", "reporter"],
    async meanwhile(world) {
      await untilFollowed(world);
      playRun(world.cli, NEW);
    },
  },
  {
    name: "run -v",
    argv: ["run", "reporter", "-v"],
    async meanwhile(world) {
      await untilFollowed(world);
      playRun(world.cli, NEW);
    },
  },
  {
    name: "run -q",
    argv: ["run", "reporter", "-q"],
    async meanwhile(world) {
      await untilFollowed(world);
      playRun(world.cli, NEW);
    },
  },
  {
    name: "run that goes on",
    argv: ["run", "reporter"],
    async meanwhile({ cli, screen }) {
      await untilFollowed({ cli } as World);
      cli.runtime.delta(NEW, "# Report\n\nAll is **well** so f");
      await settle();
      await cli.clock.advance(2_000);
      await settle();
      // What stands there now is the screen; the rest of the run is not of interest.
      const picture = screen.text;
      cli.runtime.setStatus(NEW, "success");
      await cli.drive(until(() => cli.runtime.followers === 0, "it is over"));
      screen.write(`\n\n(a moment before)\n${picture}\n`);
    },
  },
  {
    name: "run that waits for an answer",
    argv: ["run", "reporter"],
    code: 4,
    async meanwhile({ cli }) {
      await untilFollowed({ cli } as World);
      ask(cli, NEW);
    },
  },
  {
    name: "run that asks",
    argv: ["run", "reporter"],
    hasPerson: true,
    async meanwhile({ cli }) {
      await untilFollowed({ cli } as World);
      cli.input.answers = [true];
      cli.runtime.onRespond = (id) => finish(cli, id, "Written.");
      ask(cli, NEW, { toolArgs: { path: "report.md", content: "# Report\nAll is well.\n" } });
    },
  },
  {
    name: "run that fails",
    argv: ["run", "reporter"],
    code: 1,
    async meanwhile({ cli }) {
      await untilFollowed({ cli } as World);
      cli.runtime.append(NEW, "complete", {
        event_type: "complete",
        status: "aborted",
        duration_ms: 63_200,
        total_tokens: 500_123,
        cost_usd: 1.5,
        error: "Aborted: max_execution_tokens (500123 tokens, limit 500000)",
      });
    },
  },
  { name: "run -d", argv: ["run", "reporter", "-d"] },
  { name: "run of nobody", argv: ["run", "reportr"], code: 2 },
  { name: "run without an agent", argv: ["run"], code: 2 },
  {
    name: "chat",
    argv: ["chat", "reporter"],
    hasPerson: true,
    async meanwhile({ cli }) {
      cli.input.lines = ["How is the garden?"];
      await untilFollowed({ cli } as World);
      finish(cli, NEW, "All is **well**:\n\n- roses\n- tomatoes");
    },
  },
  { name: "pending", argv: ["pending"] },
  { name: "pending of nothing", argv: ["pending"], before: EMPTY },
  {
    name: "respond",
    argv: ["respond", "4", "--yes"],
    async meanwhile({ cli }) {
      await untilFollowed({ cli } as World);
      finish(cli, 4, "Written.");
    },
  },
  { name: "respond without an answer", argv: ["respond", "4"], code: 2 },
  { name: "respond to what does not wait", argv: ["respond", "1", "--yes"], code: 1 },
  { name: "respond to nothing", argv: ["respond", "99", "--yes"], code: 2 },
  { name: "status", argv: ["status"] },
  { name: "status -v", argv: ["status", "-v"] },
  {
    name: "status of a stopped service",
    argv: ["status"],
    isRunning: false,
    before: keepStateAtHome,
  },
  { name: "stop of a stopped service", argv: ["stop"], isRunning: false },
  {
    name: "start",
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
  { name: "start -d", argv: ["start", "-d"], isRunning: false },
  { name: "start -d twice", argv: ["start", "-d"], code: 1 },
  { name: "start with a port and no key", argv: ["start", "--port", "80"], code: 2 },
  {
    name: "info",
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
  {
    name: "validate",
    argv: ["validate"],
    code: 1,
    before({ cli }) {
      addAgents(cli);
      cli.files = [
        ...cli.runtime.broken.map(({ id, path, diagnostics }) => ({
          agentId: id,
          path,
          diagnostics: diagnostics.map((one) => ({ ...one, hint: "did you mean 5m?" })),
        })),
        { agentId: "reporter", path: "/home/me/inkling/agents/reporter.md", diagnostics: [] },
        {
          agentId: "sorter",
          path: "/home/me/inkling/agents/sorter.md",
          diagnostics: [{
            path: "/home/me/inkling/agents/sorter.md",
            line: 4,
            column: 12,
            severity: "warning",
            message: "The watched path does not exist yet: /home/me/inkling/outbox",
            hint: null,
          }],
        },
      ];
    },
  },
  { name: "validate of nothing", argv: ["validate"], before: EMPTY },
  {
    name: "checkpoint",
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
  { name: "checkpoint of nothing", argv: ["checkpoint"] },
  { name: "checkpoint --force alone", argv: ["checkpoint", "--force"], code: 2 },
  { name: "a wrong command", argv: ["lst"], code: 2 },
  { name: "a wrong option", argv: ["list", "--jsn"], code: 2 },
];

function withPast({ cli }: World): void {
  addHistory(cli);
  addAgents(cli);
}

for (const columns of [80, 40]) {
  Deno.test(`screen of every command at ${columns} columns`, async (t) => {
    for (const { name, argv, code = 0, before = withPast, meanwhile, ...options } of SCREENS) {
      await t.step(name, async (t) => {
        await using world = await createWorld({ columns, ...options });
        before(world);
        const exit = world.cli.run(...argv);
        await meanwhile?.(world);
        assert.equal(await world.cli.drive(exit), code, world.screen.text);
        const screen = `$ inkling ${argv.join(" ")}\n${world.picture}\n`;
        await t.assertSnapshot(screen, { serializer: (text) => text });
      });
    }
  });
}
