// Tests of kill -9 between the edit of a call's arguments and the call: the edited call runs at most once, the original one
// never.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, toEnd } from "../../support/test_workspace.ts";
import { resultsOf } from "../../runtime/executions/executions_of.ts";
import { startAndDie } from "./start_and_die.ts";

const edit = (new_text: string) => ({ path: "a.txt", old_text: "end", new_text });

/** The store's methods after which the service is killed, and the number of edited calls at the end. */
const DEATHS = [
  {
    method: "answerRequest",
    times: 1,
    told: /The user changed the arguments of this call before it ran: new_text = "mine\\nend"/,
  },
  // The service cannot know if the call was made, so it does not repeat the call.
  { method: "startCall", times: 0, told: /was not repeated/ },
] as const;

for (const { method, times, told } of DEATHS) {
  Deno.test(`kill -9 after ${method}: an edited call runs at most once, never the original`, async () => {
    await using place = await createTestWorkspace();
    const file = join(place.workspace, "a.txt");
    await Deno.writeTextFile(file, "end\n");
    await place.writeScript(
      "editor",
      [{ call: [{ name: "file_edit", arguments: edit("theirs\nend") }] }, { say: "Done." }],
      "confirm: [file_edit]\non_restart: resume",
    );
    await startAndDie(place, {
      start: ["editor"],
      crash: { method, when: "after", nth: 1 },
      edits: edit("mine\nend"),
    });

    await using runtime = await place.open();
    const [execution] = await runtime.listExecutions({ limit: 1, offset: 0 });
    const { id, status } = await toEnd(runtime, execution?.id ?? 0);
    assert.equal(status, "success");
    assert.equal(await Deno.readTextFile(file), `${"mine\n".repeat(times)}end\n`);
    const [result] = await resultsOf(runtime, id);
    assert.match(String(result?.["content"]), told);
  });
}
