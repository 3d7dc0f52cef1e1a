// Makes many agents due at the same times, with a restart halfway: every slot must be claimed exactly once.
import {
  scheduled,
  ScheduledService,
} from "../../tests/runtime/triggers/schedule/scheduled_service.ts";

const EVERY_MS = 5 * 60_000;

export interface ClaimReport {
  /** The number of started runs; `expected` is the required number. */
  claims: number;
  expected: number;
  /** The ids of the agents whose slots are not exactly the due times. */
  wrong: string[];
  /** The largest number of timers at one time. */
  timers: number;
}

/** Makes `agents` agents due `times` times, half of them by intervals and half by cron, and returns the claims. */
export async function runManyClaims(
  { agents: count, times }: { agents: number; times: number },
): Promise<ClaimReport> {
  await using service = new ScheduledService("2026-01-01T00:00:00.000Z");
  const begin = service.clock.real;
  const agents = Array.from({ length: count }, (_, number) => {
    const trigger = number % 2 === 0 ? { every: "5m" } : { cron: "*/5 * * * *" };
    return scheduled(`agent ${number}`, trigger);
  });
  await service.open(agents);
  let timers = 0;
  for (let time = 1; time <= times; time++) {
    if (time === Math.ceil(times / 2)) await service.restart(agents, 10_000);
    await service.clock.runUntil(begin + time * EVERY_MS);
    await service.clock.idle();
    timers = Math.max(timers, service.clock.sleeping);
  }
  const expected = Array.from({ length: times }, (_, time) => begin + (time + 1) * EVERY_MS);
  const wrong: string[] = [];
  for (const { id } of agents) {
    const rows = service.db.all<{ at: number }>(
      "SELECT scheduled_for AS at FROM slots WHERE agent_id = ? AND outcome = 'run' ORDER BY at",
      id,
    );
    if (JSON.stringify(rows.map(({ at }) => at)) !== JSON.stringify(expected)) wrong.push(id);
  }
  return { claims: service.runs.length, expected: count * times, wrong, timers };
}
