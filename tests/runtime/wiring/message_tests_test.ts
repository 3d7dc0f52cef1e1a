// Test messages of a workspace: the stored result, and the link in the message.
import assert from "node:assert/strict";
import { DAY_MS } from "../../../base/time_units.ts";
import type { ChannelSettings } from "../../../runtime/config/notify_schema.ts";
import { MessageTests } from "../../../runtime/notify/message_tests.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { MessageChannels } from "../../../runtime/wiring/message_channels.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { configOf } from "../agents/parsed_file.ts";
import { Receiver } from "../notify/receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

Deno.test("a test message stores its result, and its link confirms the arrival", async () => {
  await using receiver = new Receiver();
  await using place = await createTestWorkspace({ shell: { HOOK: SECRET } });
  await place.configure(
    "public_url: https://inkling.example\n" +
      `notify: { channels: { hook: { type: webhook, url: "${receiver.url}", secret: HOOK } } }\n`,
  );
  await using runtime = await place.open();
  const { tests } = runtime.messages;
  assert.deepEqual(await tests.list(), [{ name: "hook", test: "none" }]);
  const channels = new MessageChannels({
    settings: await place.settings(),
    redactor: new Redactor(() => []),
    clock: new TestClock(Date.now()),
    ownPorts: () => [],
  });
  const plain = await channels.try("hook");
  assert.deepEqual([plain?.delivered, plain?.token], [true, undefined]);
  assert.equal(receiver.received[0]?.body.data.answer_url, null);
  assert.deepEqual(await tests.list(), [{ name: "hook", test: "accepted" }]);

  const { token = "" } = await channels.try("hook", { isLinked: true }) ?? {};
  assert.equal(
    receiver.received[1]?.body.data.answer_url,
    `https://inkling.example/answer/${token}`,
  );
  const file = `${place.stateDir}/message_tests.json`;
  assert.ok(!(await Deno.readTextFile(file)).includes(token));
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  assert.deepEqual([await tests.findLink(token), await channels.isConfirmed(token)], [
    "open",
    false,
  ]);
  assert.equal(await tests.findLink("unknown"), undefined);
  await tests.confirm("unknown");
  await tests.confirm(token);
  assert.equal(await channels.isConfirmed(token), true);

  await channels.reportLost("hook");
  assert.deepEqual(await tests.list(), [{ name: "hook", test: "failed" }]);
  receiver.reply = () => 404;
  assert.equal((await channels.try("hook"))?.delivered, false);
  assert.deepEqual(await tests.list(), [{ name: "hook", test: "failed" }]);
});

Deno.test("a channel counts as untested after its settings change or its test file breaks", async () => {
  await using folder = await createTempDir();
  const clock = new TestClock();
  const phone: ChannelSettings = { type: "ntfy", url: "https://ntfy.sh", topic: "one" };
  const channels: Record<string, ChannelSettings> = { phone };
  const config = { ...configOf(""), notify: { ...configOf("").notify, channels } };
  const directories = { stateDir: folder.path };
  const tests = new MessageTests({ settings: { config, directories }, clock });
  await tests.record("phone", { isAccepted: true, token: "secret" });
  await tests.confirm("secret");
  await tests.record("phone", { isAccepted: true, token: "secret" });
  assert.equal(await tests.findLink("secret"), "confirmed", "the confirmation stays");
  await tests.record("phone", { isAccepted: true, token: "other" });
  await clock.advance(DAY_MS + 1);
  await tests.confirm("other");
  assert.equal(await tests.findLink("other"), "expired");
  channels["phone"] = { ...phone, topic: "two" };
  assert.deepEqual(await tests.list(), [{ name: "phone", test: "none" }]);
  for (const text of ["{", "[]", '{"phone": 1}']) {
    await Deno.writeTextFile(`${folder.path}/message_tests.json`, text);
    assert.deepEqual(await tests.list(), [{ name: "phone", test: "none" }]);
  }
});
