// The SQL statements with which the stream of an execution begins. A change that raises a number must also change the
// number in this file.
import assert from "node:assert/strict";
import { Lifecycle } from "../../../api/streams/lifecycle.ts";
import { createApp } from "../../../server/app.ts";
import { countStatements } from "../../runtime/executions/counted_statements.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import { onSqlite } from "../../support/test_database.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

/** The maximum number of attempts. The least number counts, because background work may add statements. */
const ATTEMPTS = 50;
/** The duration of a reply, which no other sleep has. */
const REPLY_MS = 12_345;

/**
 * The executions, and the expected numbers of statements of their streams: from the beginning, and after the last stored
 * frame. One statement reads the row of the execution, and two read a page of frames.
 */
const STREAMS = [
  { agent: "running", steps: [{ delay_ms: REPLY_MS, say: "Done." }], whole: 3, rest: 3 },
  // One more statement reads the question.
  {
    agent: "waiting",
    steps: [{ call: [{ name: "ask_user", arguments: { question: "Well?" } }] }, { say: "Done." }],
    whole: 4,
    rest: 4,
  },
  // After the last frame, the response is 204.
  { agent: "success", steps: [{ say: "Done." }], whole: 3, rest: 1 },
];

onSqlite.test("a stream sends the stored frames with as many SQL statements as expected", async () => {
  await using place = await createTestWorkspace();
  for (const { agent, steps } of STREAMS) await place.writeScript(agent, steps);
  const clock = new TestClock(Date.now());
  await using runtime = await place.open({ clock });
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const app = createApp({ runtime, lifecycle, transports: () => [], caller: { via: "api" } });

  /** Opens a stream after a frame, and returns the number of statements until `expected` frames have arrived. */
  const count = async (id: number, { after, expected }: { after: number; expected: number }) => {
    using counted = countStatements();
    const headers = { "last-event-id": `${after}` };
    const { body } = await app.request(`/executions/${id}/stream`, { headers });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const reading = (async () => {
      while (reader !== undefined) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
      }
    })();
    await until(() => [...text.matchAll(/^id: /gm)].length === expected, "the stored frames");
    await settle();
    const { statements } = counted.counts;
    await reader?.cancel();
    await reading;
    return statements;
  };

  for (const { agent, whole, rest } of STREAMS) {
    const { id } = await runtime.run(agent, {});
    const isReady = async () =>
      agent === "running"
        ? clock.awaits(REPLY_MS)
        : (await runtime.getExecution(id)).status === agent;
    await until(isReady, agent);
    const ids = (await runtime.readFrames(id, { after: 0 })).map((frame) => frame.id);
    const ways = [
      { after: 0, expected: ids.length, statements: whole },
      { after: ids.at(-1) ?? 0, expected: 0, statements: rest },
    ];
    for (const { statements, ...way } of ways) {
      let least = Infinity;
      for (let attempt = 0; attempt < ATTEMPTS && least > statements; attempt++) {
        least = Math.min(least, await count(id, way));
      }
      assert.equal(least, statements, `${agent}, after ${way.after}`);
    }
  }
});
