// Measures runs in the service over HTTP: rate, processor time, added time, memory afterwards, and the delay of schedules.
// The baseline is the smallest possible service, bare_service.ts.
import { join } from "node:path";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { processorMs, residentMb } from "../soak/process_table.ts";
import { sleep } from "../soak/sleep.ts";
import { type Figure, percentile, ratioAtMost, subjectAtMost, timed, toFigure } from "./paired.ts";
import {
  KEY,
  type ServerProcess,
  startModel,
  startScript,
  startService,
} from "./server_process.ts";

const ROUNDS = 5;
const RUNS = 120;
const WARM_UP = 60;
const CLIENTS = 8;
const PAIRS = 40;
const SCHEDULES = 20;
const SCHEDULED_SECONDS = 20;
const KEYED = { "x-api-key": KEY };

/** Returns the figures of runs without and with a tool call, and of schedules that are due in the same second. */
export async function benchServiceRuns(): Promise<Figure[]> {
  await using model = await startModel();
  await using bare = await startScript("bare_service", [model.url]);
  await using place = await createTestWorkspace();
  await writeAgents(place, model);
  await using service = await startService(place);
  const figures: Figure[] = [];
  for (const agent of ["asker", "reader"] as const) {
    figures.push(...await compare(agent, { service, bare }));
  }
  const floors = [await residentMb(bare.pid)];
  figures.push(toFigure("memory after these runs / the bare service", {
    floors,
    subjects: [await residentMb(service.pid)],
    unit: "MB",
    goal: ratioAtMost(2),
  }));
  return [...figures, ...await schedules(service, place, model)];
}

/** Returns the front matter of an agent that uses the model. */
const usesModel = ({ url }: ServerProcess) =>
  `model: { provider: local, name: test, base_url: ${url}/v1 }`;

/** Writes the agents `asker` and `reader`, which use the model. */
export async function writeAgents(place: TestWorkspace, model: ServerProcess): Promise<void> {
  await Deno.writeTextFile(join(place.workspace, "note.txt"), "A note.\n");
  for (const [id, task] of [["asker", "Say: DONE."], ["reader", "Read note.txt."]] as const) {
    await place.writeAgent(id, `---\n${usesModel(model)}\n---\n${task}\n`);
  }
}

async function compare(
  agent: "asker" | "reader",
  { service, bare }: { service: ServerProcess; bare: ServerProcess },
): Promise<Figure[]> {
  const floor = () => runOnce(bare.url, agent);
  const subject = () => runOnce(service.url, agent);
  await repeat(subject, WARM_UP);
  await repeat(floor, WARM_UP);
  const rates: Samples = { floors: [], subjects: [] };
  const cpu: Samples = { floors: [], subjects: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const [bareBefore, before] = [await processorMs(bare.pid), await processorMs(service.pid)];
    rates.floors.push(RUNS / (await timed(() => repeat(floor, RUNS)) / 1_000));
    cpu.floors.push((await processorMs(bare.pid) - bareBefore) / RUNS);
    rates.subjects.push(RUNS / (await timed(() => repeat(subject, RUNS)) / 1_000));
    cpu.subjects.push((await processorMs(service.pid) - before) / RUNS);
  }
  const added: Samples = { floors: [], subjects: [] };
  for (let pair = 0; pair < PAIRS; pair++) {
    added.floors.push(await timed(floor));
    added.subjects.push(await timed(subject));
  }
  const what = agent === "asker" ? "a run without a tool call" : "a run with a tool call";
  return [
    toFigure(`${what}: ${CLIENTS} clients`, {
      ...rates,
      unit: "a second",
      goal: { of: "ratio", bound: 0.4, is: "at least" },
    }),
    toFigure(`${what}: processor time`, { ...cpu, unit: "ms", goal: ratioAtMost(3) }),
    toFigure(`${what}: time, one client`, { ...added, unit: "ms", goal: ratioAtMost(2.5) }),
  ];
}

interface Samples {
  floors: number[];
  subjects: number[];
}

async function repeat(work: () => Promise<void>, times: number): Promise<void> {
  let left = times;
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Runs an agent. Throws Error if it does not succeed. */
export async function runOnce(url: string, agent: string): Promise<void> {
  const started = await fetch(`${url}/agents/${agent}/run`, { method: "POST", headers: KEYED });
  const { execution_id: id } = await started.json();
  const stream = await fetch(`${url}/executions/${id}/stream`, { headers: KEYED });
  const text = await stream.text();
  if (!text.includes('"status":"success"')) throw new Error(`The run did not succeed: ${text}`);
}

/**
 * Measures agents that are due every second: the percentage that start within 50 ms, and the delay of the slowest
 * hundredth.
 */
async function schedules(
  service: ServerProcess,
  { agentsDir, writeAgent }: TestWorkspace,
  model: ServerProcess,
): Promise<Figure[]> {
  const settings = `${usesModel(model)}\ntrigger: { type: schedule, every: 1s }`;
  for (let number = 0; number < SCHEDULES; number++) {
    await writeAgent(`every${number}`, `---\n${settings}\n---\nSay: DONE.\n`);
  }
  await fetch(`${service.url}/agents/reload`, { method: "POST", headers: KEYED });
  const floors: number[] = [];
  for (let second = 0; second < SCHEDULED_SECONDS; second++) {
    const due = Math.ceil(Date.now() / 1_000) * 1_000;
    await sleep(due - Date.now());
    floors.push(Math.max(0, Date.now() - due));
  }
  const late: number[] = [];
  for (let number = 0; number < SCHEDULES; number++) {
    late.push(...await lateness(service.url, `every${number}`));
    await Deno.remove(join(agentsDir, `every${number}.md`));
  }
  const inTime = late.filter((ms) => ms <= 50).length / late.length * 100;
  return [
    toFigure(`${SCHEDULES} schedules a second: begun within 50 ms`, {
      floors: [100],
      subjects: [inTime],
      unit: "%",
      goal: { of: "subject", bound: 99, is: "at least" },
    }),
    toFigure(`${SCHEDULES} schedules a second: 99 of 100 begin after / a timer`, {
      floors: [percentile(floors, 0.99)],
      subjects: [percentile(late, 0.99)],
      unit: "ms",
      goal: subjectAtMost(50),
    }),
  ];
}

/** Returns the milliseconds from each due time of an agent to the start of its run. */
async function lateness(url: string, agent: string): Promise<number[]> {
  const get = async (path: string) =>
    await (await fetch(`${url}${path}`, { headers: KEYED })).json();
  const slots = await get(`/agents/${agent}/slots`) as Slot[];
  const runs = await get(`/executions?agent=${agent}&limit=500`) as Run[];
  const starts = new Map(runs.map(({ id, started_at: at }) => [id, Date.parse(at)]));
  return slots.flatMap(({ execution_id: id, scheduled_for: due }) => {
    const start = id === null ? undefined : starts.get(id);
    return start === undefined ? [] : [start - Date.parse(due)];
  });
}

interface Slot {
  scheduled_for: string;
  execution_id: number | null;
}

interface Run {
  id: number;
  started_at: string;
}
