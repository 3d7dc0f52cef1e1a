// Measures ten thousand resting runs: an idle hour, and the memory of the service.
import { createRestingWorkspace, REST_MS } from "../../tests/runtime/executions/runs/many_rests.ts";
import { comparePaired, type Figure, ratioAtMost, subjectAtMost, toFigure } from "./paired.ts";
import { heapBytes } from "./schedules.ts";

const RESTS = 10_000;
const PAIRS = 5;
const HOUR_MS = 3_600_000;
const MB = 1024 ** 2;

/** Returns the figures of resting runs. */
export async function benchRests(): Promise<Figure[]> {
  return [await idle(), await memory()];
}

/** Measures an idle hour of a service with ten thousand resting runs, compared with one. */
async function idle(): Promise<Figure> {
  await using one = await createRestingWorkspace(1);
  await using many = await createRestingWorkspace(RESTS);
  if ((2 * PAIRS + 2) * HOUR_MS > REST_MS) throw new TypeError("the rests end too early");
  await using _one = await one.place.open({ clock: one.clock });
  await using _many = await many.place.open({ clock: many.clock });
  return await comparePaired("rests: an idle hour, 10,000 resting runs / 1", {
    floor: () => one.clock.advance(HOUR_MS),
    subject: () => many.clock.advance(HOUR_MS),
    pairs: PAIRS,
    goal: ratioAtMost(1.2),
  });
}

/** Measures the heap of a started service with ten thousand resting runs, compared with one. */
async function memory(): Promise<Figure> {
  await using one = await createRestingWorkspace(1);
  await using many = await createRestingWorkspace(RESTS);
  const measure = async ({ place, clock }: typeof one) => {
    const before = await heapBytes();
    await using runtime = await place.open({ clock });
    await clock.advance(HOUR_MS);
    const { resting } = await runtime.countExecutions();
    if (resting === 0) throw new TypeError("nothing rests");
    return (await heapBytes() - before) / MB;
  };
  // The first round loads the modules.
  await measure(one);
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    floors.push(await measure(one));
    subjects.push(await measure(many));
  }
  return toFigure("rests: memory of a service, 10,000 resting runs / 1", {
    floors,
    subjects,
    unit: "MB",
    goal: subjectAtMost(50),
  });
}
