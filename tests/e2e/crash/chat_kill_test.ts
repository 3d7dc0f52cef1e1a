// A sample of `deno task crash:chat`: a killed service loses no message of a chat, and takes no answer twice.
import assert from "node:assert/strict";
import { CRASH_APPS } from "../../../proof/crash/chat_apps.ts";
import { ChatCrashWorld, type ShownTwice } from "../../../proof/crash/chat_world.ts";

/** The points of the deaths by app, and the number of messages that the chat then shows. */
const SAMPLE: Readonly<Record<string, Readonly<Record<string, ShownTwice>>>> = {
  telegram: {
    "the message is on its way": { questions: 1, results: 1 },
    "the answer is stored": { questions: 1, results: 1 },
  },
  discord: {
    "the message is on its way": { questions: 1, results: 1 },
    "the question is shown": { questions: 2, results: 1 },
  },
};

for (const [app, expected] of Object.entries(SAMPLE)) {
  Deno.test(`kill -9 in a chat of ${app}: each message has one run, and only a message in the moment of sending is shown twice`, async () => {
    const chat = CRASH_APPS[app]!();
    await using world = await ChatCrashWorld.open(chat);
    const shown: Record<string, ShownTwice> = {};
    for (const death of chat.deaths) {
      if (death.name in expected) shown[death.name] = await world.round(death);
    }
    assert.deepEqual(shown, expected);
  });
}
