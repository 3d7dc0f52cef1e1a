// The program of a service process that records runs of the random agents of mix.ts. Another process stops it gracefully or
// kills it.
import { loadSettings, openRuntime } from "../../runtime/mod.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { SkippingClock } from "./skipping_clock.ts";
import type { Draw } from "./mix.ts";
import { attendRuns } from "./people.ts";

/** The argument of the process in JSON. */
export interface RecorderOrder {
  shell: Record<string, string>;
  home: string;
  /** The ids of the agents to start, one run each. */
  agents: readonly string[];
  seed: number;
  /** True for the last process, which finishes all runs. The others leave some runs open. */
  isLast: boolean;
}

/** The line that the process prints when a run is accepted. */
export const ACCEPTED = "accepted";
/** The maximum number of parallel runs. */
const AT_ONCE = 4;

async function record({ shell, home, agents, seed, isLast }: RecorderOrder): Promise<void> {
  const draw = seededRandom(seed);
  await using runtime = await openRuntime({
    settings: await loadSettings({ shell, home }),
    version: "0.0.0-proof",
    mode: "service",
    clock: new SkippingClock(),
    log: { write() {} },
  });
  // The open runs of earlier processes continue and need answers, too.
  const open = new Set(await openRuns(runtime));
  for (const agent of agents) {
    const { id } = await runtime.run(agent, toRequest(draw));
    console.log(ACCEPTED);
    open.add(id);
    while (open.size >= AT_ONCE) await attendRuns(runtime, open, draw);
  }
  while (isLast && open.size > 0) await attendRuns(runtime, open, draw);
}

async function openRuns(runtime: Runtime): Promise<number[]> {
  const found = await runtime.listExecutions({
    statuses: ["running", "waiting"],
    limit: 500,
    offset: 0,
  });
  return found.map(({ id }) => id);
}

function toRequest(draw: Draw): Parameters<Runtime["run"]>[1] {
  return {
    ...(draw() < 0.3 && { message: `Turn ${Math.floor(draw() * 100)}` }),
    ...(draw() < 0.2 && { context: "Some context" }),
    ...(draw() < 0.2 && { args: ["one", "two"] }),
  };
}

if (import.meta.main) await record(JSON.parse(Deno.args[0] ?? ""));
