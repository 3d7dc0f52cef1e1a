// `deno task crash`: kills at random moments, and at every named point, as often as asked; half of them twice, the second
// time while what is left is taken up.
import { STEPS } from "./crash_agents.ts";
import { crashPoints, recoveryPoints } from "./crash_points.ts";
import { CrashWorld } from "./crash_world.ts";

const random = Number(Deno.args[0] ?? 200);
const each = Number(Deno.args[1] ?? 20);

await using world = await CrashWorld.open();
const anyTime = (ms: number) => ({ killAfterMs: Math.random() * ms });
for (let n = 0; n < random; n++) {
  await world.round(anyTime(400), ...(n % 2 === 0 ? [] : [anyTime(200)]));
  if ((n + 1) % 20 === 0) console.log(`${n + 1} kills at random moments`);
}
for (let n = 0; n < each; n++) {
  const step = 1 + n % STEPS;
  for (const point of crashPoints(step)) {
    await world.round({ point }, ...(n % 2 === 0 ? [] : [anyTime(200)]));
  }
  for (const point of recoveryPoints(1 + n % 4)) await world.round(anyTime(300), { point });
  console.log(`${n + 1} deaths at each named point`);
}
const points = crashPoints(1).length + recoveryPoints(1).length;
console.log(
  `held: ${random} random kills, ${each} deaths at each of ${points} points; ${world.deaths} services died`,
);
