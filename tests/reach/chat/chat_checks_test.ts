// The checks of `validate` and `doctor` for chats, and the chats that count as a way to reach a person.
import assert from "node:assert/strict";
import { tryChat } from "../../../app/chats.ts";
import { createLocalClient } from "../../../app/local_client.ts";
import { SystemClock } from "../../../base/clock.ts";
import { examine } from "../../../ops/doctor/examine.ts";
import { findMissingConditions } from "../../../present/readiness.ts";
import { createChatWorld } from "./chat_world.ts";

type World = Awaited<ReturnType<typeof createChatWorld>>;

/** Returns the findings of `doctor` about config.yaml and the chats, one line each. */
async function doctor({ place }: World): Promise<string[]> {
  const { findings } = await examine({ shell: place.shell, home: place.root }, {
    version: "0.0.0-test",
    isRunning: false,
    tryChat: (chat, { environment }) => tryChat(chat, { environment, clock: new SystemClock() }),
  });
  return findings.filter(({ subject }) => subject === "config.yaml" || subject.startsWith("chat"))
    .map(({ severity, problem, remedy }) => `${severity}: ${problem} (${remedy})`);
}

async function rewrite({ place }: World, change: (text: string) => string): Promise<void> {
  const path = `${place.configDir}/config.yaml`;
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}

Deno.test("doctor finds nothing in a chat that works, and names an unknown agent at its place", async () => {
  await using world = await createChatWorld({ lines: "    agents: [writer, wrter]\n" });
  for (const id of ["concierge", "writer"]) await world.place.writeScript(id, [{ say: "Done." }]);
  const found = await doctor(world);
  assert.equal(found.length, 1);
  assert.match(found[0] ?? "", /^warning: .*unknown agent: "wrter" \(did you mean "writer"\?\)$/);
  assert.deepEqual(world.app.calls, ["getMe"]);
});

Deno.test("doctor reports a token that is missing, and one that the app refuses", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("concierge", [{ say: "Done." }]);
  world.place.shell["BOT_TOKEN"] = "111:another-token";
  const [refused = "", ...others] = await doctor(world);
  assert.deepEqual(others, []);
  assert.match(refused, /^error: Telegram refused getMe: Unauthorized \(check the value of BOT_/);
  assert.doesNotMatch(refused, /another-token/);
  delete world.place.shell["BOT_TOKEN"];
  const [missing = "", ...more] = await doctor(world);
  assert.deepEqual(more, []);
  assert.match(missing, /cannot work: BOT_TOKEN is not set \(add the line BOT_TOKEN=.*\.env\)$/);
});

Deno.test("only a chat in which somebody may answer counts as a way to reach a person", async () => {
  await using world = await createChatWorld();
  await world.place.writeScript("concierge", [{ say: "Done." }]);
  const missing = async () => {
    await using service = await world.open();
    using client = createLocalClient(service.runtime);
    const [info, agents] = await Promise.all([client.info(), client.agents()]);
    const unit = { isEnabled: true, isLingering: true };
    return findMissingConditions({ unit, isConfined: false, isRunning: false, info, agents })
      .map(({ code }) => code).filter((code) => code.startsWith("channel_"));
  };
  assert.deepEqual(await missing(), ["channel_untested"]);
  await rewrite(world, (text) => text.replaceAll(", answer", ""));
  assert.deepEqual(await missing(), ["channel_missing"]);
  assert.match((await doctor(world)).join("\n"), /Nobody in the chat phone may answer.*add answer/);
  await rewrite(world, (text) => text.replace(/people:\n(.*\n){2}/, "people: []\n"));
  assert.match((await doctor(world)).join("\n"), /has no people.*inkling pair phone/);
});
