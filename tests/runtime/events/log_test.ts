import assert from "node:assert/strict";
import { Journal } from "../../../runtime/executions/record/journal.ts";
import { RedactedReply } from "../../../runtime/executions/record/redacted_reply.ts";
import { ExecutionLog, type LogItem } from "../../../runtime/events/log.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { onSqlite } from "../../support/test_database.ts";
import { openTestStore } from "../../support/test_store.ts";
import { until } from "../../support/until.ts";

/** Opens a store with one execution and its frames. */
async function openExecution() {
  const store = await openTestStore();
  const execution = await store.accept();
  const journal = new Journal(execution, { ...store, clock: new TestClock() });
  const dispose = () => store[Symbol.asyncDispose]();
  return { store, execution, journal, [Symbol.asyncDispose]: dispose };
}

interface FollowOptions {
  after?: number;
  deltas?: boolean;
  signal?: AbortSignal;
}

/** Opens the log of an execution. */
async function open(
  { executionLog }: { executionLog: ExecutionLog },
  id: number,
  { after = 0, deltas = false, signal = new AbortController().signal }: FollowOptions = {},
) {
  return await executionLog.open(id, { after, deltas, signal }) ??
    assert.fail("The execution is unknown");
}

/** Opens the log of an execution, and yields its items. */
async function* follow(
  on: { executionLog: ExecutionLog },
  id: number,
  options?: FollowOptions,
): AsyncGenerator<LogItem, void, void> {
  yield* (await open(on, id, options)).items;
}

async function collect(items: AsyncIterable<LogItem>): Promise<LogItem[]> {
  const all: LogItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const said = (position: number, content: string) => (
  { position, message: { role: "user", content }, seeded: false } as const
);
const eventOf = (item: LogItem) => item.type === "frame" ? item.frame.event : item.type;

Deno.test("ExecutionLog.open() misses no frame in any interleaving of writers and readers", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  const readers = Array.from({ length: 20 }, async (_, n) => {
    const ids: number[] = [];
    for await (const item of follow(store, execution.id)) {
      if (item.type === "frame") ids.push(item.frame.id);
      // Some followers are slow, so that they have not read all frames when the next one is stored.
      for (let i = 0; i < n % 5; i++) await Promise.resolve();
    }
    return ids;
  });
  for (let position = 0; position < 100; position++) {
    await journal.begin([said(position, `${position}`)]);
    if (position % 7 === 0) await settle();
  }
  await journal.finish({ status: "success", error: null, output: "done" });
  const all = { after: 0, limit: -1, maxBytes: Infinity };
  const expected = (await store.frames.readFrames(execution.id, all)).frames.map(({ id }) => id);
  assert.equal(expected.length, 103);
  for (const ids of await Promise.all(readers)) assert.deepEqual(ids, expected);
});

Deno.test("ExecutionLog.open() misses no frame if the execution ends before the first read", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  const early = await open(store, execution.id);
  await journal.finish({ status: "success", error: null, output: "done" });
  const late = await open(store, execution.id);
  // Both read the same page. The state that `early` has read is not the current one.
  for (const items of await Promise.all([early, late].map((one) => collect(one.items)))) {
    assert.deepEqual(items.map(eventOf), ["meta", "final_answer", "complete"]);
  }
});

Deno.test("ExecutionLog.open() reads the state once, and again only after a change", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  let reads = 0;
  const log = new ExecutionLog({
    onStored: (listener) => store.frames.onStored(listener),
    readHead: (id, cursor) => store.frames.readHead(id, cursor),
    readFrames: (id, page) => store.frames.readFrames(id, page),
    readLogState: (id) => {
      reads++;
      return store.frames.readLogState(id);
    },
  });
  const changed = await open({ executionLog: log }, execution.id);
  await journal.finish({ status: "success", error: null, output: "done" });
  await collect(changed.items);
  assert.equal(reads, 1);
  const { items, identity } = await open({ executionLog: log }, execution.id);
  assert.deepEqual((await collect(items)).map(eventOf), ["meta", "final_answer", "complete"]);
  assert.equal(reads, 1);
  const { executionId, agentId, displayName } = identity;
  assert.deepEqual([executionId, agentId, displayName], [execution.id, "tester", "Tester"]);
});

Deno.test("ExecutionLog.open() registers its follower until the items end or the signal aborts", async () => {
  await using on = await openExecution();
  const { store, execution: { id }, journal } = on;
  const registered = () => {
    const ids: number[] = [];
    store.executionLog.recheck((one) => {
      ids.push(one);
      return false;
    });
    return ids;
  };
  const stop = new AbortController();
  const aborted = await open(store, id, { signal: stop.signal });
  assert.deepEqual(registered(), [id]);
  stop.abort();
  assert.deepEqual(registered(), []);
  // The follower of the aborted items must not remove a later one.
  const left = await open(store, id);
  assert.deepEqual(await collect(aborted.items), []);
  assert.deepEqual(registered(), [id]);
  await journal.finish({ status: "success", error: null, output: "done" });
  const frames = await collect(left.items);
  assert.deepEqual(registered(), []);
  const last = frames.at(-1);
  assert.ok(last?.type === "frame");
  const over = await open(store, id, { after: last.frame.id });
  assert.deepEqual([over.isOver, await collect(over.items)], [true, []]);
  const { signal } = new AbortController();
  assert.equal(
    await store.executionLog.open(id + 1, { after: 0, deltas: false, signal }),
    undefined,
  );
  assert.deepEqual(registered(), []);
});

Deno.test("ExecutionLog.open() streams deltas on request, and drops unread deltas of a stored reply", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  const reply = new RedactedReply(execution.id, store);
  const items: LogItem[] = [];
  const finished = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const item of follow(store, execution.id, { deltas: true })) {
      items.push(item);
      // This follower is slow: it waits at the first delta.
      if (item.type === "delta") await finished.promise;
    }
  })();
  const without = collect(follow(store, execution.id));
  await until(() => items.length === 1, "what is stored");
  await settle();
  reply.push("Hel");
  reply.push("lo");
  await until(() => items.length === 2, "what is said");
  assert.deepEqual(items.slice(1), [{ type: "delta", content: "Hello", restart: false }]);
  reply.push(" unread");
  await journal.finish({ status: "success", error: null, output: "Hello unread" });
  finished.resolve();
  await reading;
  assert.deepEqual(items.map(eventOf), ["meta", "delta", "final_answer", "complete"]);
  assert.deepEqual((await without).map(eventOf), ["meta", "final_answer", "complete"]);
});

Deno.test("ExecutionLog.open() yields a reply's text so far to a follower that joins later", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  const reply = new RedactedReply(execution.id, store);
  const join = () => {
    const stop = new AbortController();
    const items: LogItem[] = [];
    const reading = (async () => {
      const options = { deltas: true, signal: stop.signal };
      for await (const item of follow(store, execution.id, options)) items.push(item);
    })();
    const leave = async () => {
      stop.abort();
      await reading;
      return items.filter(({ type }) => type === "delta");
    };
    return { items, leave };
  };
  reply.push("Once ");
  const late = join();
  await until(() => late.items.length === 2, "what is stored, and said so far");
  reply.push("upon");
  await until(() => late.items.length === 3, "what is said");
  assert.deepEqual(await late.leave(), [
    { type: "delta", content: "Once ", restart: true },
    { type: "delta", content: "upon", restart: false },
  ]);
  reply.restart();
  reply.push("Anew");
  const later = join();
  await until(() => later.items.length === 2, "what is stored, and said anew");
  assert.deepEqual(await later.leave(), [{ type: "delta", content: "Anew", restart: true }]);
  await journal.notice("info", "stored");
  const behind = join();
  await until(() => behind.items.length > 0, "what is stored");
  await settle();
  assert.deepEqual(await behind.leave(), []);
});

Deno.test("ExecutionLog.open() yields a frame that is larger than a page after small ones", async () => {
  await using on = await openExecution();
  const { store, execution, journal } = on;
  await journal.begin([said(0, "small")]);
  await journal.begin([said(1, "x".repeat(300_000))]);
  await journal.finish({ status: "success", error: null, output: "done" });
  const items = await collect(
    follow({ executionLog: new ExecutionLog(store.frames) }, execution.id),
  );
  const events = ["meta", "message", "message", "final_answer", "complete"];
  assert.deepEqual(items.map(eventOf), events);
});

Deno.test("ExecutionLog.open() shares one copy of a large frame between followers", async () => {
  await using store = await openTestStore();
  const execution = await store.accept();
  const log = new ExecutionLog(store.frames);
  const journal = new Journal(execution, { ...store, executionLog: log, clock: new TestClock() });
  await journal.begin([said(0, "x".repeat(100_000))]);
  const held = [];
  for (const deltas of [false, true]) {
    const reader = follow({ executionLog: log }, execution.id, { deltas });
    await reader.next();
    const { value } = await reader.next();
    assert.ok(value?.type === "frame" && value.frame.payload.length > 100_000);
    held.push({ reader, frame: value.frame });
    // The notification makes earlier readings invalid, because they may be incomplete.
    log.notify(execution.id);
  }
  assert.ok(held[0]?.frame === held[1]?.frame, "each holds a copy");
  for (const { reader } of held) await reader.return();
});

Deno.test("ExecutionLog.open() shares a read between followers with equal cursors", async () => {
  await using store = await openTestStore();
  const execution = await store.accept();
  let reads = 0;
  let isBroken = true;
  const log = new ExecutionLog({
    onStored: (listener) => store.frames.onStored(listener),
    readHead: (id, cursor) => store.frames.readHead(id, cursor),
    readLogState: (id) => store.frames.readLogState(id),
    readFrames: (id, page) => {
      reads++;
      return isBroken ? Promise.reject(new Error("broken")) : store.frames.readFrames(id, page);
    },
  });
  const ports = { ...store, executionLog: log, clock: new TestClock() };
  const read = () => collect(follow({ executionLog: log }, execution.id));
  await assert.rejects(read(), /broken/);
  isBroken = false;
  reads = 0;
  const readers = Array.from({ length: 50 }, read);
  await settle();
  assert.ok(reads <= 4, `50 followers made ${reads} reads`);
  await new Journal(execution, ports).finish({ status: "success", error: null, output: "done" });
  for (const seen of await Promise.all(readers)) {
    assert.deepEqual(seen.map(eventOf), ["meta", "final_answer", "complete"]);
  }
});

onSqlite.test("ExecutionLog.open() yields the frames of another process after notify()", async () => {
  await using folder = await createTempDir();
  const path = `${folder.path}/inkling.db`;
  await using store = await openTestStore({ path });
  const execution = await store.accept();
  const own = new Journal(execution, { ...store, clock: new TestClock() });
  const items: LogItem[] = [];
  const reading = (async () => {
    for await (const item of follow(store, execution.id)) items.push(item);
  })();
  await until(() => items.length === 1, "the stored frame");
  await settle();
  await own.notice("info", "from this process");
  await until(() => items.length === 2, "the frame of this process");
  await using other = await openTestStore({ path, instanceId: "instance-2" });
  await new Journal(execution, { ...other, clock: new TestClock() }).notice("info", "from another");
  await settle();
  assert.equal(items.length, 2);
  store.executionLog.notify(execution.id);
  await until(() => items.length === 3, "the frame of the other process");
  await own.finish({ status: "success", error: null, output: "done" });
  await reading;
  assert.deepEqual(items.map(eventOf), ["meta", "meta", "meta", "final_answer", "complete"]);
});
