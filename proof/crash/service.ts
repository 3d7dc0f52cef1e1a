// The program of a service that kills itself with SIGKILL at a given point.
import type { JsonObject } from "../../base/json.ts";
import { loadSettings, openRuntime } from "../../runtime/mod.ts";
import { SqlAcceptanceStore } from "../../runtime/storage/executions/acceptance.ts";
import { SqlConversationStore } from "../../runtime/storage/executions/conversations.ts";
import { SqlEndingStore } from "../../runtime/storage/executions/endings.ts";
import { SqlFamilyStore } from "../../runtime/storage/executions/families.ts";
import { SqlRecoveryStore } from "../../runtime/storage/executions/recovery.ts";
import { SqlRequestStore } from "../../runtime/storage/executions/requests.ts";
import { SqlRestStore } from "../../runtime/storage/executions/rests.ts";
import { type CrashPoint, toLastLine } from "./crash_points.ts";

interface Order {
  shell: Record<string, string>;
  home: string;
  /** The agents to start, in order. The process runs their executions, and all stored executions, to their ends. */
  start: string[];
  /** True if the runs are dry runs. */
  isDry?: true;
  crash: CrashPoint | null;
  /** The arguments that replace the arguments of approved calls; absent if they stay unchanged. */
  edits?: JsonObject;
}

/** The stores that contain every method by which a run changes the database. */
const STORES: readonly { prototype: object }[] = [
  SqlAcceptanceStore,
  SqlConversationStore,
  SqlEndingStore,
  SqlFamilyStore,
  SqlRecoveryStore,
  SqlRequestStore,
  SqlRestStore,
];

const LONGEST_THOUGHT_MS = 10;
/** The time limit for all runs together; a run that takes longer hangs. */
const PATIENCE_MS = 60_000;

const order = JSON.parse(Deno.args[0] ?? "") as Order;

const APPROVAL = { approved: true, ...(order.edits && { arguments: order.edits }) };

/** Kills this process without cleanup. */
function die(point: CrashPoint): never {
  console.log(toLastLine(point));
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

if (order.crash !== null) {
  const point = order.crash;
  const { method, when, nth } = point;
  const store = STORES.find(({ prototype }) => method in prototype)?.prototype as
    | Record<string, (...args: unknown[]) => Promise<unknown>>
    | undefined;
  const original = store?.[method];
  if (store === undefined || original === undefined) throw new TypeError(`No store has ${method}`);
  let calls = 0;
  store[method] = async function (this: unknown, ...args: unknown[]) {
    // Keep the number of this call, because other calls are made while this call is awaited.
    const mine = ++calls;
    if (mine === nth && when === "before") die(point);
    const result = await original.apply(this, args);
    if (mine === nth && when === "after") die(point);
    return result;
  };
}

const settings = await loadSettings({ shell: order.shell, home: order.home });
await using runtime = await openRuntime({
  settings,
  version: "crash",
  mode: "service",
  log: {
    write: (level, message, fields) => {
      if (level === "error") console.error(message, fields);
    },
  },
});
console.log("ready");

/** Answers a request after a short random delay, in which other requests are answered and parents begin to wait. */
const answer = async (id: number) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_THOUGHT_MS));
  try {
    const { requestId } = await runtime.pendingRequest(id);
    await runtime.respond(id, { requestId, answer: APPROVAL });
  } catch (error) {
    // All ancestors of an asking execution show the same question, so only the first answer is accepted.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "conflict" && code !== "not_found") throw error;
  }
};
const answers: Promise<void>[] = [];
runtime.events.subscribe((event) => {
  if (event.type === "execution_waiting") answers.push(answer(event.executionId));
});
for (
  const { id } of await runtime.listExecutions({ statuses: ["waiting"], limit: 100, offset: 0 })
) {
  answers.push(answer(id));
}
for (const agent of order.start) await runtime.run(agent, { ...(order.isDry && { dryRun: true }) });
for (const start = performance.now();;) {
  const { running, waiting, resting } = await runtime.countExecutions();
  if (running + waiting + resting === 0) break;
  if (performance.now() - start > PATIENCE_MS) {
    throw new Error(
      `${running} executions run, ${waiting} wait, ${resting} rest, and nothing happens`,
    );
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}
await Promise.all(answers);
console.log("done");
