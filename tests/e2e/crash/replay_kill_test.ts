// A test of replays: their runs were resumed by a second service with a changed prompt.
import {
  answer,
  call,
  delegate,
  idsOf,
  writeConfig,
} from "../../runtime/executions/executions_of.ts";
import { assertIdentical } from "../../runtime/replay/replayed.ts";
import { programEntry } from "../../runtime/tools/mcp/mcp_world.ts";
import { denoDirectory } from "../../support/repository.ts";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { startAndDie } from "./start_and_die.ts";

const save = (section: string) => call("memory_append", { section, content: "x" });
const confirm = (question: string) => call("ask_user", { question, kind: "confirm" });
const SETTINGS = 'on_restart: resume\nauto_approve: "*"';

/** The runs that the death interrupts: a simple one, one with an MCP server, and one that waits for another run. */
const DEATHS = [
  { agent: "worker", when: "after", method: "startCall", nth: 1 },
  { agent: "client", when: "before", method: "finishCall", nth: 1 },
  { agent: "chief", when: "before", method: "waitForChild", nth: 1 },
] as const;

Deno.test("kill -9: the replays of resumed runs, also with an MCP server and of a family, are identical", async () => {
  await using place = await createTestWorkspace({ shell: { DENO_DIR: denoDirectory() } });
  await place.writeScript("worker", [
    { call: [save("one")] },
    { call: [save("two"), confirm("Go on?")] },
    { call: [confirm("And now?"), save("three")] },
    { say: "Done." },
  ], SETTINGS);
  await writeConfig(place, "mcp-servers.json", JSON.stringify({ fixture: programEntry() }));
  await place.writeScript("client", [
    { call: [call("echo", { text: "hi" }), confirm("?")] },
    { say: "Done." },
  ], `mcp: [fixture]\n${SETTINGS}`);
  await place.writeScript("chief", [
    { call: [save("one")] },
    { call: [save("two"), delegate("asks")] },
    { say: "Done." },
  ], `agents: [asks]\n${SETTINGS}`);
  await place.writeScript("asks", [{ call: [confirm("Go on?")] }, { say: "Asked." }], SETTINGS);
  await startAndDie(place, { start: DEATHS.map(({ agent }) => agent), deaths: [...DEATHS] });
  await using runtime = await place.open();
  for (const agent of [...DEATHS.map(({ agent }) => agent), "asks"]) {
    const [id = 0] = await idsOf(runtime, agent);
    while ((await toEnd(runtime, id)).status === "waiting") {
      await answer(runtime, id, { approved: true });
    }
    await assertIdentical(runtime, id);
  }
});
