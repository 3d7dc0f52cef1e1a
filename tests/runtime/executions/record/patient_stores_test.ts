import assert from "node:assert/strict";
import type { RunSpec } from "../../../../runtime/executions/runs/acceptance.ts";
import { StorageUnavailable } from "../../../../runtime/database/database.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import {
  openTestRunner,
  questionIn,
  statusIn,
  type TestRunner,
} from "../../../support/test_runner.ts";
import { until } from "../../../support/until.ts";

const WISH: RunSpec = { trigger: "manual", sessionId: null, request: { args: [] } };

/** Starts an agent that asks, and waits for its question. */
async function ask({ runner, store }: TestRunner): Promise<{ id: number; requestId: string }> {
  const { id } = await runner.start(createTestAgent(), WISH);
  return { id, requestId: await questionIn(store, id) };
}

/** Makes the store refuse ends, as a full disk does. */
function refuseEnds({ endings }: TestRunner["store"]): { tries: () => number; allow: () => void } {
  const original = endings.finishExecution.bind(endings);
  let tries = 0;
  let isFull = true;
  endings.finishExecution = (...args) => {
    tries++;
    if (isFull) return Promise.reject(new StorageUnavailable("Cannot store anything: no room."));
    return original(...args);
  };
  return { tries: () => tries, allow: () => void (isFull = false) };
}

Deno.test("a run's end and output are stored as soon as a full disk has space", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { id, requestId } = await ask(on);
  const ends = refuseEnds(on.store);
  await on.runner.respond(id, { requestId, answer: { text: "Red." } });
  await until(() => on.clock.awaits(500), "the second try");
  assert.equal(await statusIn(on.store, id), "running");
  await on.clock.advance(500);
  await until(() => on.clock.awaits(1_000), "the third try");
  ends.allow();
  await on.clock.advance(1_000);
  await until(async () => await statusIn(on.store, id) === "success", "the end");
  const stored = await on.store.executions.readExecution(id);
  assert.equal(stored?.output, "Done.");
  assert.equal(ends.tries(), 3);
  const page = { after: 0, limit: 100, maxBytes: 100_000 };
  const { frames } = await on.store.frames.readFrames(id, page);
  assert.equal(frames.filter(({ event }) => event === "complete").length, 1);
});

Deno.test("a stop retries once to store a run's end, and otherwise leaves the run running", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { id, requestId } = await ask(on);
  const ends = refuseEnds(on.store);
  await on.runner.respond(id, { requestId, answer: { text: "Red." } });
  await until(() => on.clock.awaits(500), "the second try");
  await on.runner.stop({ graceMs: 0 });
  assert.equal(ends.tries(), 2);
  assert.equal(await statusIn(on.store, id), "running");
});

Deno.test("Database.transaction() reports the cause of each kind of storage failure", () => {
  const words = {
    "database is locked": /another program holds the database.*Stop that program/,
    "database or disk is full": /disk that holds the state directory is full/,
    "attempt to write a readonly database": /is read-only. Make it and its folder writable/,
    "disk I/O error": /refuses to write/,
    "unable to open database file": /refuses to write/,
  };
  using db = SqliteDatabase.open(":memory:");
  for (const [text, sentence] of Object.entries(words)) {
    const fail = () => {
      throw new Error(text);
    };
    const refusal = { name: "StorageUnavailable", message: sentence };
    assert.throws(() => db.transaction("process", fail), refusal);
  }
  assert.throws(() =>
    db.transaction("process", () => {
      throw new TypeError("a bug");
    }), TypeError);
});

Deno.test("a run whose reads fail continues from the stored state once reads succeed", async () => {
  await using on = await openTestRunner([createTestAgent()]);
  const { id, requestId } = await ask(on);
  const { conversations } = on.store;
  const original = conversations.readConversation.bind(conversations);
  let isAway = true;
  conversations.readConversation = (...args) =>
    isAway ? Promise.reject(new StorageUnavailable("It is away.")) : original(...args);
  await on.runner.respond(id, { requestId, answer: { text: "Red." } });
  await until(() => on.clock.awaits(500), "the second try");
  assert.equal(await statusIn(on.store, id), "running");
  isAway = false;
  await on.clock.advance(500);
  await until(async () => await statusIn(on.store, id) === "success", "the end");
});
