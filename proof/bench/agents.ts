// Measures the first load of ten thousand agent files and a reload after one edit.
import { AgentRegistry } from "../../runtime/agents/registry.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { type Figure, subjectAtMost, timed, toFigure } from "./paired.ts";

const AGENTS = 10_000;
const PAIRS = 3;
/**
 * The modification time of the agent files. The service reads recently changed files again, because file systems store
 * times coarsely.
 */
const OLD = new Date("2026-01-01T00:00:00Z");

/** Measures loading and reloading, compared with only reading the same files. */
export async function benchAgents(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  const ids = Array.from({ length: AGENTS }, (_, number) => `agent-${number}`);
  for (const id of ids) {
    await place.writeAgent(id, text("Do it."));
    await Deno.utime(`${place.agentsDir}/${id}.md`, OLD, OLD);
  }
  const loads = { floors: [] as number[], subjects: [] as number[] };
  const reloads = { floors: [] as number[], subjects: [] as number[] };
  for (let pair = 0; pair < PAIRS; pair++) {
    loads.floors.push(await timed(() => readAll(place, ids)));
    const registry = await createRegistry(place);
    const loadMs = await timed(() => registry.load());
    loads.subjects.push(loadMs);
    await place.writeAgent("agent-7", text(`Do it ${pair} times.`));
    const reloadMs = await timed(async () => {
      const { updated } = await registry.load();
      if (updated.length !== 1) throw new Error(`Updated: ${updated.join(", ")}`);
    });
    reloads.floors.push(loadMs);
    reloads.subjects.push(reloadMs);
  }
  return [
    toFigure("10,000 agents loaded / their files read", {
      ...{ ...loads, unit: "ms" as const },
      goal: subjectAtMost(2_000),
    }),
    toFigure("one of 10,000 edited: reload / load", { ...reloads, unit: "ms" }),
  ];
}

function text(task: string): string {
  return "---\nname: One of many\nmodel: { provider: demo, name: echo }\n" +
    "trigger: { type: schedule, every: 1d }\n---\n" + `${task}\n`;
}

async function readAll(place: TestWorkspace, ids: readonly string[]): Promise<void> {
  for (const id of ids) await Deno.readFile(`${place.agentsDir}/${id}.md`);
}

async function createRegistry(place: TestWorkspace): Promise<AgentRegistry> {
  const { directories, config, home } = await place.settings();
  return new AgentRegistry({ directories, config, home });
}
