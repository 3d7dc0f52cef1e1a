// Tests of replays: their runs were resumed by a second service with a changed prompt.
import { join } from "node:path";
import { answer } from "../../runtime/executions/executions_of.ts";
import { assertIdentical } from "../../runtime/replay/replayed.ts";
import { programEntry } from "../../runtime/tools/mcp/mcp_world.ts";
import { denoDirectory } from "../../support/repository.ts";
import { createTestWorkspace, type TestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { type DeathOrder, startAndDie } from "./start_and_die.ts";

const call = (name: string, args: object) => ({ name, arguments: args });
const save = (section: string) => call("memory_append", { section, content: "x" });
const confirm = (question: string) => call("ask_user", { question, kind: "confirm" });
const SETTINGS = 'on_restart: resume\nauto_approve: "*"';

const RUNS: readonly {
  name: string;
  write: (place: TestWorkspace) => Promise<void>;
  executions: readonly number[];
  death: Pick<DeathOrder["crash"], "when" | "method">;
}[] = [
  {
    name: "a run that is resumed",
    write: (place) =>
      place.writeScript("worker", [
        { call: [save("one")] },
        { call: [save("two"), confirm("Go on?")] },
        { call: [confirm("And now?"), save("three")] },
        { say: "Done." },
      ], SETTINGS),
    executions: [1],
    death: { when: "after", method: "startCall" },
  },
  {
    name: "a run with an MCP server, which is started again",
    async write(place) {
      await Deno.mkdir(join(place.agentsDir, "_config"));
      const servers = JSON.stringify({ fixture: programEntry() });
      await Deno.writeTextFile(join(place.agentsDir, "_config", "mcp-servers.json"), servers);
      await place.writeScript("worker", [
        { call: [call("echo", { text: "hi" }), confirm("?")] },
        { say: "Done." },
      ], `mcp: [fixture]\n${SETTINGS}`);
    },
    executions: [1],
    death: { when: "before", method: "finishCall" },
  },
  {
    name: "a run that waits for another run",
    async write(place) {
      await place.writeScript("worker", [
        { call: [save("one")] },
        { call: [save("two"), call("run_agent", { agent_id: "asks" })] },
        { say: "Done." },
      ], `agents: [asks]\n${SETTINGS}`);
      const asks = [{ call: [confirm("Go on?")] }, { say: "Asked." }];
      await place.writeScript("asks", asks, SETTINGS);
    },
    executions: [1, 2],
    death: { when: "before", method: "waitForChild" },
  },
];

for (const { name, write, executions, death } of RUNS) {
  Deno.test(`kill -9 ${death.when} ${death.method} of ${name}: its replay is identical`, async () => {
    await using place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory() } });
    await write(place);
    await startAndDie(place, { start: ["worker"], crash: { ...death, nth: 1 } });
    await using runtime = await place.open();
    while ((await toEnd(runtime, 1)).status === "waiting") {
      await answer(runtime, 1, { approved: true });
    }
    for (const id of executions) await assertIdentical(runtime, id);
  });
}
