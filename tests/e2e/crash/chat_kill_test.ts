// A sample of `deno task crash:chat`: a killed service loses no message of a chat, and takes no answer twice.
import assert from "node:assert/strict";
import { CRASH_APPS } from "../../../proof/crash/chat_apps.ts";
import { ChatCrashWorld, type ShownTwice } from "../../../proof/crash/chat_world.ts";

/** The death of each app, and the number of messages that the chat then shows. */
const SAMPLE: Readonly<Record<string, { death: string; shown: ShownTwice }>> = {
  telegram: { death: "the message is on its way", shown: { questions: 1, results: 1 } },
  discord: { death: "the question is shown", shown: { questions: 2, results: 1 } },
};

for (const [app, { death, shown }] of Object.entries(SAMPLE)) {
  Deno.test(`kill -9 in a chat of ${app}: a message has one run, and only a message in the moment of sending is shown twice`, async () => {
    const chat = CRASH_APPS[app]!();
    await using world = await ChatCrashWorld.open(chat);
    const point = chat.deaths.find(({ name }) => name === death);
    assert.ok(point !== undefined);
    assert.deepEqual(await world.round(point), shown);
  });
}
