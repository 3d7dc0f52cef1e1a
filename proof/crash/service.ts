// The program of a service that kills itself with SIGKILL at a given point.
import type { JsonObject } from "../../base/json.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
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
  /** The points of the death. A call at a point never returns, and the process dies when each point is reached. */
  points: readonly CrashPoint[];
  /** The arguments that replace the arguments of an agent's approved calls, by agent. */
  edits?: Record<string, JsonObject>;
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

/** Kills this process without cleanup. */
function die(point: CrashPoint): never {
  console.log(toLastLine(point));
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

const opened: { runtime?: Runtime } = {};
let reached = 0;

async function agentOf(executionId: number): Promise<string | undefined> {
  return (await opened.runtime?.getExecution(executionId))?.agentId;
}

/** Makes the store's call at the point last forever. */
function interrupt(point: CrashPoint): void {
  const { method, when, nth, agent } = point;
  const store = STORES.find(({ prototype }) => method in prototype)?.prototype as
    | Record<string, (...args: unknown[]) => Promise<unknown>>
    | undefined;
  const original = store?.[method];
  if (store === undefined || original === undefined) throw new TypeError(`No store has ${method}`);
  let calls = 0;
  const reach = async () => {
    if (++reached === order.points.length) die(point);
    await new Promise(() => {});
  };
  store[method] = async function (this: unknown, ...args: unknown[]) {
    const counts = agent === undefined || await agentOf(args[0] as number) === agent;
    // Keep the number of this call, because other calls are made while this call is awaited.
    const mine = counts ? ++calls : 0;
    if (mine === nth && when === "before") await reach();
    const result = await original.apply(this, args);
    if (mine === nth && when === "after") await reach();
    return result;
  };
}

for (const point of order.points) interrupt(point);

const settings = await loadSettings({ shell: order.shell, home: order.home });
await using service = await openRuntime({
  settings,
  version: "crash",
  mode: "service",
  log: {
    write: (level, message, fields) => {
      if (level === "error") console.error(message, fields);
    },
  },
});
opened.runtime = service;
console.log("ready");

/** Answers a request after a short random delay, in which other requests are answered and parents begin to wait. */
const answer = async (id: number) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_THOUGHT_MS));
  try {
    const { requestId } = await service.pendingRequest(id);
    const edits = order.edits?.[await agentOf(id) ?? ""];
    const answer = { approved: true, ...(edits && { arguments: edits }) };
    await service.respond(id, { requestId, answer });
  } catch (error) {
    // All ancestors of an asking execution show the same question, so only the first answer is accepted.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "conflict" && code !== "not_found") throw error;
  }
};
const answers: Promise<void>[] = [];
service.events.subscribe((event) => {
  if (event.type === "execution_waiting") answers.push(answer(event.executionId));
});
for (
  const { id } of await service.listExecutions({ statuses: ["waiting"], limit: 100, offset: 0 })
) {
  answers.push(answer(id));
}
for (const agent of order.start) await service.run(agent, { ...(order.isDry && { dryRun: true }) });
for (const start = performance.now();;) {
  const { running, waiting, resting } = await service.countExecutions();
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
