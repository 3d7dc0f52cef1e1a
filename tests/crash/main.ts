// `deno task crash`: kills at random moments, and at every named point, as often as asked.
import { crashPoints } from "./crash_points.ts";
import { CrashWorld, STEPS } from "./crash_world.ts";

const random = Number(Deno.args[0] ?? 200);
const each = Number(Deno.args[1] ?? 20);

await using world = await CrashWorld.open();
for (let n = 0; n < random; n++) {
  await world.round({ killAfterMs: Math.random() * 400 });
  if ((n + 1) % 20 === 0) console.log(`${n + 1} kills at random moments`);
}
for (let n = 0; n < each; n++) {
  for (const point of crashPoints(1 + n % STEPS)) await world.round({ point });
  console.log(`${n + 1} deaths at each named point`);
}
console.log(
  `held: ${random} random kills, ${each} deaths at each of ${crashPoints(1).length} points`,
);
