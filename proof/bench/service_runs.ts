// Measures runs in the service over HTTP: rate, processor time, added time, memory afterwards, and the delay of schedules.
// The baseline is the smallest possible service, bare_service.ts.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../cli/self_command.ts";
import { SERVICE_VARIABLES } from "../../cli/service/service_environment.ts";
import { programCommand } from "../../tests/support/program.ts";
import { processorMs, residentMb } from "../soak/process_table.ts";
import { sleep } from "../soak/sleep.ts";
import { type Figure, percentile, ratioAtMost, subjectAtMost, timed, toFigure } from "./paired.ts";
import { type ServerProcess, startServer } from "./server_process.ts";

const ROUNDS = 5;
const RUNS = 120;
const WARM_UP = 60;
const CLIENTS = 8;
const PAIRS = 40;
const SCHEDULES = 20;
const SCHEDULED_SECONDS = 20;
const KEY = "bench-0123456789";
const KEYED = { "x-api-key": KEY };

/** Returns the figures of runs without and with a tool call, and of schedules that are due in the same second. */
export async function benchServiceRuns(): Promise<Figure[]> {
  const root = await Deno.makeTempDir({ prefix: "inkling-bench-" });
  try {
    await using model = await startModel();
    const bareScript = fileURLToPath(new URL("./bare_service.ts", import.meta.url));
    await using bare = await startServer(
      [Deno.execPath(), "run", ...PERMISSION_FLAGS, bareScript, model.url],
      { address: /http:\S+/ },
    );
    await using service = await startService(root, model);
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
    return [...figures, ...await schedules(service, join(root, "workspace/agents"), model.url)];
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/**
 * Starts a model that replies with `calls` tool calls, one after another, before the answer. Each reply is delayed by
 * `latencyMs` milliseconds. `call` is the tool call, by default of file_read.
 */
export function startModel(
  { calls = 1, latencyMs = 0, call }: { calls?: number; latencyMs?: number; call?: unknown } = {},
): Promise<ServerProcess> {
  const config = fileURLToPath(new URL("../../tests/deno.json", import.meta.url));
  const script = fileURLToPath(new URL("./instant_model.ts", import.meta.url));
  const flags = ["--no-check", "--config", config, ...PERMISSION_FLAGS];
  return startServer(
    [
      ...[Deno.execPath(), "run", ...flags, script, String(calls), String(latencyMs)],
      ...call === undefined ? [] : [JSON.stringify(call)],
    ],
    { address: /http:\S+/ },
  );
}

/** Starts a service whose agents `asker` and `reader` use the model. Its workspace is in `root`. */
export async function startService(root: string, model: ServerProcess): Promise<ServerProcess> {
  const [agents, configDir] = [join(root, "workspace/agents"), join(root, "config")];
  await Deno.mkdir(agents, { recursive: true });
  await Deno.mkdir(configDir);
  await Deno.writeTextFile(
    join(configDir, "config.yaml"),
    `workspace: ${join(root, "workspace")}\n`,
  );
  await Deno.writeTextFile(join(root, "workspace/note.txt"), "A note.\n");
  const settings = `model: { provider: local, name: test, base_url: ${model.url}/v1 }`;
  for (const [id, task] of [["asker", "Say: DONE."], ["reader", "Read note.txt."]]) {
    await Deno.writeTextFile(join(agents, `${id}.md`), `---\n${settings}\n---\n${task}\n`);
  }
  const service = await startServer([...programCommand(), "start", "--keep-alive", "--port", "0"], {
    env: {
      ...SERVICE_VARIABLES,
      INKLING_CONFIG_DIR: configDir,
      INKLING_STATE_DIR: join(root, "state"),
      INKLING_API_KEY: KEY,
      LOCAL_API_KEY: "key-0123456789",
    },
    address: /tcp:\/\/\S+/,
  });
  return Object.assign(service, { url: service.url.replace("tcp:", "http:") });
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
  agents: string,
  model: string,
): Promise<Figure[]> {
  const settings =
    `model: { provider: local, name: test, base_url: ${model}/v1 }\ntrigger: { type: schedule, every: 1s }`;
  for (let number = 0; number < SCHEDULES; number++) {
    await Deno.writeTextFile(
      join(agents, `every${number}.md`),
      `---\n${settings}\n---\nSay: DONE.\n`,
    );
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
    await Deno.remove(join(agents, `every${number}.md`));
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
