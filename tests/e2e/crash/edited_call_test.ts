// A test of kill -9 between the edit of a call's arguments and the call.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { resultsOf } from "../../runtime/executions/executions_of.ts";
import { startAndDie } from "./start_and_die.ts";

const edit = (agent: string, new_text: string) => (
  { path: `${agent}.txt`, old_text: "end", new_text }
);

/** The store's methods after which the service is killed, and the number of edited calls at the end. */
const DEATHS = [
  {
    ...{ agent: "answered", method: "answerRequest", times: 1 },
    told: /The user changed the arguments of this call before it ran: new_text = "mine\\nend"/,
  },
  // The service cannot know if the call was made, so it does not repeat the call.
  { agent: "began", method: "startCall", times: 0, told: /was not repeated/ },
] as const;

Deno.test("kill -9 before an edited call: it runs at most once, the original never", async () => {
  // Each death has a service of its own. With PostgreSQL, a service that lived on would continue the answered run.
  for (const { agent, method, times, told } of DEATHS) {
    await using place = await createTestWorkspace();
    const file = join(place.workspace, `${agent}.txt`);
    await Deno.writeTextFile(file, "end\n");
    const change = { name: "file_edit", arguments: edit(agent, "theirs\nend") };
    const lines = "confirm: [file_edit]\non_restart: resume";
    await place.writeScript(agent, [{ call: [change] }, { say: "Done." }], lines);
    await startAndDie(place, {
      start: [agent],
      deaths: [{ agent, method, when: "after", nth: 1 }],
      edits: { [agent]: edit(agent, "mine\nend") },
    });
    await using runtime = await place.open();
    const { id, status } = await toEnd(runtime, 1);
    assert.equal(status, "success", agent);
    assert.equal(await Deno.readTextFile(file), `${"mine\n".repeat(times)}end\n`);
    const [result] = await resultsOf(runtime, id);
    assert.match(String(result?.["content"]), told);
  }
});
