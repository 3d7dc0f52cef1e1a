// Tests the list of a server's tools: its validity, and failures to fetch it.
import assert from "node:assert/strict";
import { MAX_TOOLS, ToolList } from "../../../../runtime/tools/mcp/listing/tool_list.ts";
import { TestClock } from "../../../support/test_clock.ts";

const { signal } = new AbortController();
const listed = (...names: string[]): unknown[] =>
  names.map((name) => ({ name, inputSchema: { type: "object" } }));

function createList(fetch: () => AsyncIterable<unknown[]>) {
  const clock = new TestClock();
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const list = new ToolList({ clock, maxAgeMs: 60_000, fetch, onProblem });
  return { clock, problems, list, names: () => list.tools.map(({ name }) => name) };
}

Deno.test("ToolList is stale if the clock was set back", async () => {
  const { clock, list } = createList(async function* () {
    yield await Promise.resolve(listed("read"));
  });
  await list.refresh(signal);
  clock.jump(-3_600_000);
  assert.equal(list.isStale, true);
});

Deno.test("ToolList.refresh() keeps the previous tools after a failure, and stays stale", async () => {
  const answers: (() => Promise<unknown[]>)[] = [
    () => Promise.resolve(listed("read")),
    () => Promise.reject(new Error("it went away")),
    () => Promise.resolve(listed(...Array.from({ length: MAX_TOOLS + 1 }, (_, i) => `t${i}`))),
  ];
  const { list, names } = createList(async function* () {
    yield await (answers.shift() ?? assert.fail)();
  });
  await list.refresh(signal);
  await assert.rejects(list.refresh(signal), { message: "it went away" });
  assert.deepEqual([list.isStale, names()], [true, ["read"]]);
  const refusal = { name: "RangeError", message: `it lists over ${MAX_TOOLS} tools` };
  await assert.rejects(list.refresh(signal), refusal);
  assert.deepEqual([list.isStale, names()], [true, ["read"]]);
});

Deno.test("ToolList is stale again after a change during refresh()", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const { list, names } = createList(async function* () {
    yield await promise;
  });
  const asked = list.refresh(signal);
  list.markStale();
  resolve(listed("old"));
  await asked;
  assert.deepEqual([list.isStale, names()], [true, ["old"]]);
});

Deno.test("ToolList.refresh() refuses an endless list of pages", async () => {
  let pages = 0;
  const { list, problems } = createList(async function* () {
    for (; pages < 2 * MAX_TOOLS; pages++) yield await Promise.resolve([]);
  });
  await assert.rejects(list.refresh(signal), { message: "its list of tools does not end" });
  assert.deepEqual([pages, problems], [MAX_TOOLS, []]);
});

Deno.test("ToolList.refresh() keeps one of several tools with equal names", async () => {
  const { list, problems, names } = createList(async function* () {
    yield await Promise.resolve(listed("read", "write"));
    yield listed("write", "move");
  });
  await list.refresh(signal);
  assert.deepEqual(names(), ["read", "write", "move"]);
  assert.deepEqual(problems, ['Its tool "write" is left out: it is listed twice']);
});
