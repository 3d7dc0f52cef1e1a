// A sample of `deno task crash:chat`: a killed service loses no message of a chat, and takes no answer twice.
import assert from "node:assert/strict";
import { CHAT_DEATHS, ChatCrashWorld } from "../../../proof/crash/chat_world.ts";

Deno.test("kill -9 in a chat: each message has one run, and only a message in the moment of sending is shown twice", async () => {
  await using world = await ChatCrashWorld.open();
  const shown: unknown[] = [];
  for (const { name, ...death } of CHAT_DEATHS) {
    if (/accepted|question is shown|stored/.test(name)) {
      shown.push([name, await world.round({ name, ...death })]);
    }
  }
  assert.deepEqual(shown, [
    ["the run is accepted", { questions: 1, results: 1 }],
    ["the question is shown", { questions: 2, results: 1 }],
    ["the answer is stored", { questions: 1, results: 1 }],
  ]);
});
