// `deno task schedules`: runs a thousand random schedules, each through three simulated weeks with restarts, pauses,
// daylight saving changes and clocks set by two hours. Compares every slot with a minute-by-minute oracle. Then makes
// 10,000 agents due at the same time. Exits with 1 when a slot has a wrong outcome. Arguments: the number of worlds, the
// number of the first world.
import { clockChanges, createRandomWorld } from "./random_world.ts";
import { compareWorld } from "./comparison.ts";
import { runManyClaims } from "./many_claims.ts";

const WORLDS = Number(Deno.args[0] ?? 1_000);
const FIRST = Number(Deno.args[1] ?? 0);
/** The number of worlds that are compared at the same time. */
const AT_ONCE = 100;

const totals = { run: 0, skipped: 0, missed: 0, wakes: 0 };
let wrong = 0;
const begin = performance.now();
let next = FIRST;
/** Compares one world after the other. A world mostly waits for its timers, so several compare at the same time. */
async function compareWorlds(): Promise<void> {
  while (next < FIRST + WORLDS) {
    const number = next++;
    const script = createRandomWorld(number);
    const { differences, counts, wakes } = await compareWorld(script);
    totals.run += counts.run;
    totals.skipped += counts.skipped;
    totals.missed += counts.missed;
    totals.wakes += wakes;
    if (differences.length === 0) continue;
    wrong++;
    const { every, cron } = script.trigger;
    console.error(`World ${number} (${every ?? cron}, ${script.zone}): ${differences.join("; ")}`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, compareWorlds));
const withChange = Math.max(0, Math.min(clockChanges().length - FIRST, WORLDS));
const seconds = Math.round((performance.now() - begin) / 1_000);
console.log(
  `${WORLDS} worlds of three weeks (${withChange} with a clock change in their middle), ` +
    `${totals.wakes} wakes, in ${seconds} s: ${totals.run} slots run, ${totals.skipped} skipped, ` +
    `${totals.missed} missed; ${wrong} worlds went wrong`,
);

const claimBegin = performance.now();
const claims = await runManyClaims({ agents: 10_000, times: 20 });
console.log(
  `10,000 agents due at once, 20 times, over a restart: ${claims.claims} slots claimed of ` +
    `${claims.expected}, ${claims.wrong.length} agents wrong, ${claims.timers} timer, in ` +
    `${Math.round((performance.now() - claimBegin) / 1_000)} s`,
);
const isExact = claims.claims === claims.expected && claims.wrong.length === 0;
Deno.exit(wrong === 0 && isExact && claims.timers === 1 ? 0 : 1);
