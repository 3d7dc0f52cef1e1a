// The SQL statements and transactions of runs. A change that raises a number must also change the number in this file.
import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { onSqlite } from "../../support/test_database.ts";
import { settle, TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";

interface Counts {
  statements: number;
  transactions: number;
}

/** Counts the statements of all databases of this process until the disposal. */
function countStatements(): { counts: Counts; [Symbol.dispose](): void } {
  const counts: Counts = { statements: 0, transactions: 0 };
  const observed = new DisposableStack();
  const observe = (
    prototype: object,
    name: string,
    textOf: (on: object, first: unknown) => unknown,
  ) => {
    const original: unknown = Reflect.get(prototype, name);
    assert.ok(typeof original === "function");
    Reflect.set(prototype, name, function (this: object, ...args: unknown[]): unknown {
      counts.statements++;
      if (String(textOf(this, args[0])).startsWith("BEGIN")) counts.transactions++;
      return Reflect.apply(original, this, args);
    });
    observed.defer(() => void Reflect.set(prototype, name, original));
  };
  for (const name of ["run", "get", "all"]) {
    observe(StatementSync.prototype, name, (on) => Reflect.get(on, "sourceSQL"));
  }
  observe(DatabaseSync.prototype, "exec", (_on, text) => text);
  return { counts, [Symbol.dispose]: () => observed.dispose() };
}

const READ = { call: [{ name: "file_read", arguments: { path: "a.txt" } }] };
const ASK = { call: [{ name: "ask_user", arguments: { question: "Go on?", kind: "confirm" } }] };
const DELEGATE = { call: [{ name: "run_agent", arguments: { agent_id: "says" } }] };
const DONE = { say: "Done." };

interface Case {
  name: string;
  /** The steps of the agent `one`. */
  steps: unknown[];
  settings?: string;
  /** Writes further agents before the run. */
  prepare?: (place: TestWorkspace) => Promise<void>;
  /** The number of executions that end. */
  ends?: number;
  /** True if the test answers the run's question. */
  answers?: boolean;
  follows?: boolean;
  expected: Counts;
}

const says = (place: TestWorkspace, settings = "") => place.writeScript("says", [DONE], settings);

const CASES: readonly Case[] = [
  { name: "a reply", steps: [DONE], expected: { statements: 25, transactions: 4 } },
  { name: "one tool call", steps: [READ, DONE], expected: { statements: 38, transactions: 6 } },
  {
    name: "one tool call, and a follower of the log",
    steps: [READ, DONE],
    follows: true,
    expected: { statements: 42, transactions: 6 },
  },
  {
    name: "one tool call, within a budget",
    steps: [READ, DONE],
    settings: "budget: { tokens: { per_day: 1000000 } }",
    expected: { statements: 56, transactions: 10 },
  },
  {
    name: "a delegation",
    steps: [DELEGATE, DONE],
    settings: "agents: [says]",
    prepare: says,
    ends: 2,
    expected: { statements: 70, transactions: 10 },
  },
  {
    name: "a question and its answer",
    steps: [ASK, DONE],
    answers: true,
    expected: { statements: 66, transactions: 8 },
  },
  {
    name: "a run whose end starts another agent",
    steps: [DONE],
    prepare: (place) => says(place, "after: one"),
    ends: 2,
    expected: { statements: 55, transactions: 8 },
  },
];

async function runOnce(on: { place: TestWorkspace; runtime: Runtime }, one: Case): Promise<void> {
  const { place, runtime } = on;
  const has = (message: string, count: number) => () =>
    place.logged.filter((line) => line.message === message).length === count;
  place.logged.length = 0;
  const { id } = await runtime.run("one", {});
  if (one.follows) {
    const { signal } = new AbortController();
    for await (const _ of await runtime.follow(id, { after: 0, signal })) { /* to the end */ }
  }
  if (one.answers) {
    await until(has("Execution waits for an answer", 1), "the question");
    await settle();
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: { approved: true } });
  }
  await until(has("Execution ended", one.ends ?? 1), "the end");
  await settle();
}

for (const one of CASES) {
  onSqlite.test(`${one.name} makes ${one.expected.statements} SQL statements`, async () => {
    await using place = await createTestWorkspace();
    await Deno.writeTextFile(`${place.workspace}/a.txt`, "text");
    await place.writeScript("one", one.steps, one.settings);
    await one.prepare?.(place);
    await using runtime = await place.open({ clock: new TestClock(Date.now()) });
    // The first run prepares statements and stores the terms of its calls.
    await runOnce({ place, runtime }, one);
    using counted = countStatements();
    await runOnce({ place, runtime }, one);
    assert.deepEqual(counted.counts, one.expected);
  });
}
