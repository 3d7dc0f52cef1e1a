// Replays every execution of a workspace as `inkling replay` does without a service, and prints the differences as JSON.
// Runs without permission to connect, start or write anything.
import type { Difference } from "../../runtime/replay/difference.ts";
import { loadSettings, openRuntime } from "../../runtime/mod.ts";

/** The numbers of executions and steps, and the differences found. */
export interface Replayed {
  executions: number;
  steps: number;
  /** The number of executions with each status. */
  statuses: Record<string, number>;
  differences: { id: number; agent: string; first: Difference }[];
  elapsedMs: number;
}

/** Replays all executions of a workspace and returns the differences. */
export async function replayAll(
  { shell, home }: { shell: Record<string, string>; home: string },
): Promise<Replayed> {
  await using runtime = await openRuntime({
    settings: await loadSettings({ shell, home }),
    version: "0.0.0-proof",
    mode: "read-only",
    log: { write() {} },
  });
  const replayed: Replayed = {
    executions: 0,
    steps: 0,
    statuses: {},
    differences: [],
    elapsedMs: 0,
  };
  const began = performance.now();
  for (let offset = 0;; offset += 100) {
    const page = await runtime.listExecutions({ limit: 100, offset });
    for (const { id, agentId: agent, status } of page) {
      const { differences: [first], steps } = await runtime.replays.replay(id, {
        withAllTools: false,
      });
      replayed.executions++;
      replayed.steps += steps;
      replayed.statuses[status] = (replayed.statuses[status] ?? 0) + 1;
      if (first !== undefined) replayed.differences.push({ id, agent, first });
    }
    if (page.length < 100) break;
  }
  replayed.elapsedMs = Math.round(performance.now() - began);
  return replayed;
}

if (import.meta.main) {
  console.log(JSON.stringify(await replayAll(JSON.parse(Deno.args[0] ?? "{}"))));
}
