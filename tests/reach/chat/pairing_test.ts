// Pairing: the sender of the terminal's code is named to the terminal, and nobody else learns anything.
import assert from "node:assert/strict";
import { createLocalClient } from "../../../app/local_client.ts";
import { Installation } from "../../../ops/setup/installation.ts";
import { PAIRING_MS } from "../../../runtime/vocabulary/pairing.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { createChatWorld, OWNER, STRANGER } from "./chat_world.ts";

Deno.test("the sender of the code is named once; wrong, late and second codes get nothing", async () => {
  await using world = await createChatWorld();
  const clock = new TestClock();
  await using service = await world.open({ clock });
  using client = createLocalClient(service.runtime);
  const { app } = world;
  await assert.rejects(client.pairChat("other"), { message: "Chat not found" });
  const late = await client.pairChat("phone");
  clock.jump(PAIRING_MS);
  app.say(STRANGER, late.code);
  await until(() => app.isRead, "the late code is read");
  const { code } = await client.pairChat("phone");
  app.say(STRANGER, "AAAA-AAAA");
  await until(() => app.isRead, "the wrong code is read");
  assert.deepEqual(app.shown, []);
  assert.deepEqual(await client.pairing("phone"), { sender: null });
  app.say(STRANGER, code.toLowerCase());
  await world.seen(STRANGER, "Confirm it at the terminal");
  app.say(STRANGER + 1, code);
  await until(() => app.isRead, "the second sender is read");
  assert.equal(app.shown.length, 1);
  assert.deepEqual(await client.pairing("phone"), {
    sender: { id: `${STRANGER}`, name: `Person ${STRANGER}` },
  });
});

Deno.test("a paired person is added to config.yaml, and the bot answers at once", async () => {
  await using world = await createChatWorld({ config: "# My comment stays\n" });
  const { place, app } = world;
  await using _service = await world.open();
  const installation = new Installation({
    shell: place.shell,
    home: place.root,
    cwd: place.root,
    clock: new TestClock(),
  });
  const person = { id: `${STRANGER}`, name: "third", may: ["chat"] as const };
  const path = await installation.addPerson("phone", person);
  const text = await Deno.readTextFile(path);
  assert.match(text, /# My comment stays/);
  assert.match(text, /- \{ id: 99, name: third, may: \[ ?chat ?\] \}/);
  await assert.rejects(installation.addPerson("phone", person), /lists the id 99 twice/);
  await until(async () => {
    app.say(STRANGER, "/help");
    await until(() => app.isRead, "read");
    return app.in(STRANGER).length > 0;
  }, "the new person is answered");
  app.say(OWNER, "/help");
  await world.seen(OWNER, "/run");
});
