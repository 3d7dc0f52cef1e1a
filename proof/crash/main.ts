// `deno task crash`: kills services at random times and at every named point, and checks the database after the restarts.
// Half of the services are killed again during the recovery. Arguments: the number of rounds with kills at random times
// (200), the number of deaths at each point (20), the seed (random).
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { STEPS } from "./crash_agents.ts";
import { ALL_ACCEPTED, crashPoints, recoveryPoints } from "./crash_points.ts";
import { CrashWorld } from "./crash_world.ts";

const random = Number(Deno.args[0] ?? 200);
const each = Number(Deno.args[1] ?? 20);
const seed = Number(Deno.args[2] ?? crypto.getRandomValues(new Uint32Array(1))[0]);
console.log(`Seed ${seed}`);

await using world = await CrashWorld.open();
const draw = seededRandom(seed);
const anyTime = (ms: number) => ({ killAfterMs: draw() * ms });
for (let n = 0; n < random; n++) {
  await world.round(anyTime(400), ...(n % 2 === 0 ? [] : [anyTime(200)]));
  if ((n + 1) % 20 === 0) console.log(`${n + 1} rounds of kills at random moments`);
}
const killsAtRandom = world.kills;
for (let n = 0; n < each; n++) {
  const step = 1 + n % STEPS;
  const again = () => n % 2 === 0 ? [] : [anyTime(200)];
  for (const point of crashPoints(step)) await world.round({ point }, ...again());
  for (const point of recoveryPoints(1 + n % 3)) {
    await world.round({ point: ALL_ACCEPTED }, { point }, ...again());
  }
  console.log(`${n + 1} deaths at each named point`);
}
const points = [...crashPoints(1), ...recoveryPoints(1)].map(({ name }) => name);
const width = Math.max(...points.map((name) => name.length));
for (const name of points) console.log(`${name.padEnd(width)}  ${world.deathsAt.get(name) ?? 0}`);
const missed = each > 0 ? points.filter((name) => !world.deathsAt.has(name)) : [];
if (missed.length > 0) throw new Error(`No service died ${missed.join(", nor ")}`);
if (random > 0 && killsAtRandom === 0) {
  throw new Error("Every kill at a random moment came too late");
}
console.log(
  `held: ${random} rounds of random kills, ${each} deaths at each of ${points.length} points; ` +
    `${killsAtRandom} services killed at random moments, ${
      world.kills - killsAtRandom
    } more after a death at a point`,
);
