// The cost of ten thousand scheduled agents: idle, all due at once, all missed at once, and in memory.
import { setImmediate } from "node:timers/promises";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { insertSlot, isSlotTaken } from "../../runtime/storage/slots.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import {
  scheduled,
  ScheduledService,
} from "../../tests/runtime/triggers/schedule/scheduled_service.ts";
import { comparePaired, type Figure, subjectAtMost, toFigure } from "./paired.ts";

const AGENTS = 10_000;
const PAIRS = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** The figures of ten thousand scheduled agents. */
export async function benchSchedules(): Promise<Figure[]> {
  const due = await allDue();
  return [await idle(), due, shareOfCore(due), await allMissed(), await memory()];
}

/** Half of them with intervals and half with cron, none due within a day. */
function createAgents(count: number): Agent[] {
  return Array.from({ length: count }, (_, number) => {
    const cron = `${number % 60} ${Math.floor(number / 60) % 24} 29 2 *`;
    const trigger = number % 2 === 0 ? { every: `${10 + number}d` } : { cron };
    return scheduled(`agent ${number}`, trigger);
  });
}

async function openService(agents: readonly Agent[]): Promise<ScheduledService> {
  const service = new ScheduledService("2026-01-01T00:00:00.000Z");
  await service.open(agents);
  return service;
}

/** A timer that visits every agent would take thousands of times as long for them as for one. */
async function idle(): Promise<Figure> {
  await using one = await openService(createAgents(1));
  await using many = await openService(createAgents(AGENTS));
  return await comparePaired("schedules: an idle day, 10,000 agents / 1", {
    floor: () => one.advance(DAY_MS),
    subject: () => many.advance(DAY_MS),
    pairs: PAIRS,
  });
}

/** Runs are only recorded here, so the scheduler and its claims are measured. */
async function allDue(): Promise<Figure> {
  await using service = await openService(
    Array.from({ length: AGENTS }, (_, number) => scheduled(`agent ${number}`, { every: "10m" })),
  );
  using db = SqliteDatabase.open(":memory:");
  let time = 0;
  return await comparePaired("schedules: 10,000 due at once / bare claims", {
    floor: () => {
      const scheduledFor = time++;
      for (let number = 0; number < AGENTS; number++) {
        db.transaction("process", () => {
          const agentId = `agent ${number}`;
          if (db.perform(isSlotTaken(agentId, scheduledFor))) return;
          const row = { agentId, scheduledFor, reason: null, executionId: null, count: 1 };
          db.perform(insertSlot({ ...row, outcome: "run" }));
        });
      }
      return Promise.resolve();
    },
    async subject() {
      await service.advance(10 * MINUTE_MS);
      await service.clock.idle();
    },
    pairs: PAIRS,
  });
}

/** Ten thousand agents that are due every ten minutes, as a share of the time between. */
function shareOfCore({ subject, floor, pairs, ratio }: Figure): Figure {
  const percent = (ms: number) => ms / (10 * MINUTE_MS) * 100;
  return {
    name: "schedules: 10,000 agents, each due every ten minutes",
    ratio,
    pairs,
    subject: percent(subject),
    floor: percent(floor),
    unit: "% of a core",
    goal: subjectAtMost(1),
  };
}

/** A month of missed minutes, compared with one minute: the slots must be counted without stepping through them. */
async function allMissed(): Promise<Figure> {
  const agents = Array.from(
    { length: AGENTS / 10 },
    (_, number) => scheduled(`agent ${number}`, { cron: "* * * * *" }),
  );
  await using service = await openService(agents);
  return await comparePaired("schedules: a month missed / five minutes missed", {
    floor: () => service.restart(agents, 5 * MINUTE_MS),
    subject: () => service.restart(agents, 30 * DAY_MS),
    pairs: PAIRS,
  });
}

/** Bytes for each agent, compared with the agent itself. */
async function memory(): Promise<Figure> {
  const floors: number[] = [];
  const subjects: number[] = [];
  // One round to warm up.
  for (let pair = -1; pair < PAIRS; pair++) {
    const { agent, schedule } = await measureMemory();
    if (pair < 0) continue;
    floors.push(agent);
    subjects.push(schedule);
  }
  return toFigure("schedules: memory, a schedule / its agent", { floors, subjects, unit: "bytes" });
}

async function measureMemory(): Promise<{ agent: number; schedule: number }> {
  const empty = await heapBytes();
  const agents = createAgents(AGENTS);
  const before = await heapBytes();
  await using service = await openService(agents);
  const full = await heapBytes();
  // Keeps both in use until here.
  if (service.nextRun(agents[0]?.id ?? "") === null) throw new TypeError("no schedule");
  return { agent: (before - empty) / AGENTS, schedule: (full - before) / AGENTS };
}

async function heapBytes(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new TypeError("run with --v8-flags=--expose-gc");
  for (let time = 0; time < 3; time++) {
    await setImmediate();
    gc();
  }
  return Deno.memoryUsage().heapUsed;
}
