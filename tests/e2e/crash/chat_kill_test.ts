// A sample of `deno task crash:chat`: a killed service loses no message of a chat, and takes no answer twice.
import assert from "node:assert/strict";
import { CRASH_APPS } from "../../../proof/crash/chat_apps.ts";
import { ChatCrashWorld } from "../../../proof/crash/chat_world.ts";

for (const [app, open] of Object.entries(CRASH_APPS)) {
  Deno.test(`kill -9 in a chat of ${app}: each message has one run, and only a message in the moment of sending is shown twice`, async () => {
    const chat = open();
    await using world = await ChatCrashWorld.open(chat);
    const shown: unknown[] = [];
    for (const { name, ...death } of chat.deaths) {
      if (/message is on|question is shown|stored/.test(name)) {
        shown.push([name, await world.round({ name, ...death })]);
      }
    }
    assert.deepEqual(shown, [
      ["the message is on its way", { questions: 1, results: 1 }],
      ["the question is shown", { questions: 2, results: 1 }],
      ["the answer is stored", { questions: 1, results: 1 }],
    ]);
  });
}
