import assert from "node:assert/strict";
import { join } from "node:path";
import { Database } from "../../runtime/storage/database.ts";
import { createTestWorkspace, payloadsOf, runToEnd } from "../support/test_workspace.ts";

Deno.test("a key is kept out of frames and conversations, whatever its variable is called", async () => {
  await using place = await createTestWorkspace({
    shell: {
      LLM_ACCESS: "key-0123456789",
      A_TOKEN: "key-abcdefghij",
      OPENAI_API_KEY: "key-abcdefghij",
    },
  });
  await Deno.writeTextFile(join(place.workspace, "leak.txt"), "key-0123456789 key-abcdefghij");
  await place.writeAgent(
    "keyed",
    "---\nmodel: { provider: elsewhere, name: m, base_url: 'http://127.0.0.1:9', " +
      "api_key_env: LLM_ACCESS }\n---\nWork.\n",
  );
  await place.writeScript("leaky", [
    { call: [{ name: "file_read", arguments: { path: "leak.txt" } }] },
    { say: "Both." },
  ]);
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "leaky", { message: "key-0123456789" });
  assert.equal(status, "success");
  const shown = JSON.stringify([await payloadsOf(runtime, id), place.logged]);
  assert.match(shown, /\[redacted:LLM_ACCESS\] \[redacted:OPENAI_API_KEY\]/);
  await runtime.stop({ graceMs: 0 });
  using db = Database.open(join(place.stateDir, "inkling.db"), { readOnly: true });
  const stored = JSON.stringify(db.all("SELECT body FROM messages"));
  assert.ok(!stored.includes("key-0123456789") && !stored.includes("key-abcdefghij"), stored);
});
