// Runs of which the tests count the statements, with the expected numbers.
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { settle } from "../../support/test_clock.ts";
import type { TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const READ = { call: [{ name: "file_read", arguments: { path: "a.txt" } }] };
const ASK = { call: [{ name: "ask_user", arguments: { question: "Go on?", kind: "confirm" } }] };
const DELEGATE = { call: [{ name: "run_agent", arguments: { agent_id: "says" } }] };
const DONE = { say: "Done." };

/** A run whose statements are counted. */
export interface CountedRun {
  name: string;
  agent: string;
  /** The steps of the agent. */
  steps: unknown[];
  settings?: string;
  /** Writes further agents before the run. */
  prepare?: (place: TestWorkspace) => Promise<void>;
  /** The number of executions that end. */
  ends?: number;
  /** True if the test answers the run's question. */
  answers?: boolean;
  follows?: boolean;
  /** The expected numbers. */
  sqlite: { statements: number; transactions: number };
  postgres: { roundTrips: number; statements: number; transactions: number };
}

/**
 * The runs, with the numbers of a later run in the same service. The delegation is last: with PostgreSQL, the service then
 * fetches from the queue of delegated runs, too.
 */
export const COUNTED_RUNS: readonly CountedRun[] = [
  {
    name: "a question and its answer",
    agent: "asker",
    steps: [ASK, DONE],
    answers: true,
    sqlite: { statements: 61, transactions: 7 },
    postgres: { roundTrips: 48, statements: 93, transactions: 9 },
  },
  {
    name: "one tool call, and a follower of the log",
    agent: "reader",
    steps: [READ, DONE],
    follows: true,
    sqlite: { statements: 37, transactions: 5 },
    // In most runs, the log changes between the follower's registration and its first read, which adds a statement.
    postgres: { roundTrips: 26, statements: 58, transactions: 6 },
  },
  {
    name: "one tool call, within a budget",
    agent: "bounded",
    steps: [READ, DONE],
    settings: "budget: { tokens: { per_day: 1000000 } }",
    sqlite: { statements: 52, transactions: 9 },
    postgres: { roundTrips: 34, statements: 82, transactions: 10 },
  },
  {
    name: "a delegation",
    agent: "lead",
    steps: [DELEGATE, DONE],
    settings: "agents: [says]",
    prepare: (place) => place.writeScript("says", [DONE]),
    ends: 2,
    sqlite: { statements: 59, transactions: 8 },
    postgres: { roundTrips: 50, statements: 100, transactions: 10 },
  },
];

/** Runs the agent until all executions have ended. */
export async function runOnce(
  { place, runtime }: { place: TestWorkspace; runtime: Runtime },
  one: CountedRun,
): Promise<void> {
  const has = (message: string, count: number) => () =>
    place.logged.filter((line) => line.message === message).length === count;
  place.logged.length = 0;
  const { id } = await runtime.run(one.agent, {});
  if (one.follows) {
    const { signal } = new AbortController();
    const { items } = await runtime.follow(id, { after: 0, signal });
    for await (const _ of items) { /* to the end */ }
  }
  if (one.answers) {
    await until(has("Execution waits for an answer", 1), "the question");
    await settle();
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: { approved: true } });
  }
  await until(has("Execution ended", one.ends ?? 1), "the end");
}

/** Writes the agent and everything else that the run needs. */
export async function prepareRun(place: TestWorkspace, one: CountedRun): Promise<void> {
  await Deno.writeTextFile(`${place.workspace}/a.txt`, "text");
  await place.writeScript(one.agent, one.steps, one.settings);
  await one.prepare?.(place);
}
