// Measures the service's requests a second and its memory, compared with a minimal server in a separate process.
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { type Figure, type Goal, ratioAtMost, timed, toFigure } from "./paired.ts";
import { KEY, startScript, startService } from "./server_process.ts";
import { residentMb } from "../soak/process_table.ts";
import { sleep } from "../soak/sleep.ts";

const REQUESTS = 4_000;
const AT_ONCE = 32;
const PAIRS = 7;
const MEMORY_PAIRS = 3;
/** The time that a new process needs for the work after its first response. */
const SETTLE_MS = 2_000;
const AGENTS = 21;
/** The number of stored executions, more than a page of the list contains. */
const EXECUTIONS = 60;

/** Returns the figures: requests a second for /health and /executions, and the memory of an idle service. */
export async function benchHttp(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  for (let number = 1; number <= AGENTS; number++) {
    const text = "---\nmodel: { provider: demo, name: echo }\n---\nSay hello.\n";
    await place.writeAgent(`echo${number}`, text);
  }
  return [await idleMemory(place), ...await requests(place)];
}

/** Measures the resident memory of a service two seconds after its start, without requests. */
async function idleMemory(place: TestWorkspace): Promise<Figure> {
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair < MEMORY_PAIRS; pair++) {
    await using floor = await startScript("bare_server");
    await using ours = await startService(place);
    await (await fetch(`${floor.url}/`)).body?.cancel();
    await (await fetch(`${ours.url}/health`)).body?.cancel();
    await sleep(SETTLE_MS);
    floors.push(await residentMb(floor.pid));
    subjects.push(await residentMb(ours.pid));
  }
  return toFigure("memory of an idle service", {
    floors,
    subjects,
    unit: "MB",
    goal: ratioAtMost(1.8),
  });
}

async function requests(place: TestWorkspace): Promise<Figure[]> {
  await using floor = await startScript("bare_server");
  await using ours = await startService(place);
  const base = ours.url;
  await fillHistory(base);
  const compare = async (path: string, goal?: Goal) => {
    // The minimal server responds with the same body.
    const answer = await (await fetch(`${base}${path}`, { headers: { "x-api-key": KEY } })).text();
    await (await fetch(floor.url, { method: "PUT", body: answer })).body?.cancel();
    const floors: number[] = [];
    const subjects: number[] = [];
    for (let pair = -1; pair < PAIRS; pair++) {
      const [bare, served] = [await rate(`${floor.url}/`), await rate(`${base}${path}`)];
      // The first pair warms up and is not counted.
      if (pair < 0) continue;
      floors.push(bare);
      subjects.push(served);
    }
    return toFigure(`requests of ${path}`, {
      floors,
      subjects,
      unit: "a second",
      ...(goal !== undefined && { goal }),
    });
  };
  return [
    await compare("/health", { of: "ratio", bound: 0.7, is: "at least" }),
    await compare("/agents", { of: "ratio", bound: 0.5, is: "at least" }),
    await compare("/executions", { of: "ratio", bound: 0.5, is: "at least" }),
  ];
}

async function fillHistory(base: string): Promise<void> {
  const headers = { "x-api-key": KEY };
  for (let run = 0; run < EXECUTIONS; run++) {
    const address = `${base}/agents/echo${1 + run % AGENTS}/run`;
    const { execution_id: id } = await (await fetch(address, { method: "POST", headers })).json();
    await (await fetch(`${base}/executions/${id}/stream`, { headers })).text();
  }
}

async function rate(url: string): Promise<number> {
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) {
      // Read the body to its end, because an unread body closes the connection.
      await (await fetch(url, { headers: { "x-api-key": KEY } })).arrayBuffer();
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, client)));
  return REQUESTS / (ms / 1_000);
}
