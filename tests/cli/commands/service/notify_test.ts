import assert from "node:assert/strict";
import { createFakeCli } from "../../fake_cli.ts";

Deno.test("notify --test tests the one channel that is named, and shows no escape of an answer", async () => {
  await using cli = await createFakeCli();
  cli.channels = ["phone", "team"].map((name) => ({ name, type: "ntfy", problem: null }));
  cli.trials.set("phone", { name: "phone", delivered: true, reply: "ntfy.sh answered 200" });
  const reply = "the variable TEAM is not set.\u001b[2J\nReally";
  cli.trials.set("team", { name: "team", delivered: false, reply });
  assert.equal(await cli.run("notify", "--test", "phone"), 0);
  assert.equal(cli.stdout.text, "phone: delivered (ntfy.sh answered 200)\n");
  cli.stdout.text = "";
  assert.equal(await cli.run("notify", "--test"), 1);
  assert.match(cli.stdout.text, /^phone: delivered .*\nteam: not delivered \(the variable TEAM/);
  assert.ok(!cli.stdout.text.includes("\u001b"));
  cli.stdout.text = "";
  assert.equal(await cli.run("notify", "--test", "--json"), 1);
  assert.equal(JSON.parse(cli.stdout.text).trials.length, 2);
});
