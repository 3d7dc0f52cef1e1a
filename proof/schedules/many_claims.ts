// Many agents that are all due at once, again and again, across a restart: every slot must be claimed once.
import {
  scheduled,
  ScheduledService,
} from "../../tests/runtime/triggers/schedule/scheduled_service.ts";

const EVERY_MS = 5 * 60_000;

export interface ClaimReport {
  /** The number of started runs, and of expected ones. */
  claims: number;
  expected: number;
  /** The agents whose slots differ from the due ones. */
  wrong: string[];
  /** The largest number of timers at one time. */
  timers: number;
}

/** Makes this number of agents due this number of times, half of them by intervals and half by cron. */
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
