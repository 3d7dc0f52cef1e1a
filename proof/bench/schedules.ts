// Measures ten thousand scheduled agents: idle, all due at the same time, all missed for a month, and in memory.
import { setImmediate } from "node:timers/promises";
import { SqliteDatabase } from "../../runtime/storage/sqlite/sqlite_database.ts";
import { insertSlot, isSlotTaken } from "../../runtime/triggers/schedule/slots.ts";
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

/** Returns the figures of the schedules. */
export async function benchSchedules(): Promise<Figure[]> {
  const due = await allDue();
  return [await idle(), due, shareOfCore(due), await allMissed(), await memory()];
}

/** Returns agents with schedules, half of them with intervals and half with cron expressions. None is due within a day. */
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

/**
 * Measures an idle day with ten thousand agents, compared with one agent. A timer that checks every agent would make the
 * ratio thousands.
 */
async function idle(): Promise<Figure> {
  await using one = await openService(createAgents(1));
  await using many = await openService(createAgents(AGENTS));
  return await comparePaired("schedules: an idle day, 10,000 agents / 1", {
    floor: () => one.advance(DAY_MS),
    subject: () => many.advance(DAY_MS),
    pairs: PAIRS,
  });
}

/**
 * Measures the start of ten thousand runs that are due at the same time. The baseline only stores their due times, each in
 * one transaction. The runs are recorded but not executed.
 */
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

/**
 * Returns the time for starting the runs of ten thousand due agents, as a percentage of the ten minutes between their due
 * times.
 */
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

/**
 * Measures a restart after a missed month, compared with five missed minutes. Slots must be counted without a loop over
 * them.
 */
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

/** Measures the bytes of each agent's schedule, compared with the bytes of the agent itself. */
async function memory(): Promise<Figure> {
  const floors: number[] = [];
  const subjects: number[] = [];
  // The first round warms up and is not counted.
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
  // Uses the agents and the service, so that neither is collected before the measurement.
  if (service.nextRun(agents[0]?.id ?? "") === null) throw new TypeError("no schedule");
  return { agent: (before - empty) / AGENTS, schedule: (full - before) / AGENTS };
}

/** Returns the used bytes of the heap after a collection. */
export async function heapBytes(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new TypeError("run with --v8-flags=--expose-gc");
  for (let time = 0; time < 3; time++) {
    await setImmediate();
    gc();
  }
  return Deno.memoryUsage().heapUsed;
}
