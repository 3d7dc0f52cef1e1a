// Measures the time that the product adds to the time of the model, for a run with one tool call.
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { createTestWorkspace, toEnd } from "../../tests/support/test_workspace.ts";
import { type Figure, subjectAtMost, timed, toFigure } from "./paired.ts";
import { startModel } from "./server_process.ts";

const PAIRS = 60;
/** The number of runs before the measurement, in which modules are loaded and V8 compiles frequently used code. */
const WARM_UP = 60;
const RUNS = 30;
const AT_ONCE = 16;
const ROUNDS = 3;

const MESSAGES = [{ role: "system", content: "You are an agent." }, {
  role: "user",
  content: "Execute your task",
}];

/** Returns the figures: the added time of a run, and runs a second. */
export async function benchRuns(): Promise<Figure[]> {
  await using model = await startModel();
  await using place = await createTestWorkspace({ shell: { LOCAL_API_KEY: "key-0123456789" } });
  await Deno.writeTextFile(`${place.workspace}/note.txt`, "A note.\n");
  await place.writeAgent(
    "reader",
    `---\nmodel: { provider: local, name: test, base_url: ${model.url}/v1 }\n---\nRead note.txt.\n`,
  );
  await using runtime = await place.open();
  const floor = async () => {
    await ask(model.url, MESSAGES);
    await ask(model.url, [...MESSAGES, { role: "tool", content: "A note." }]);
  };
  for (let run = 0; run < WARM_UP; run++) {
    await floor();
    await runOnce(runtime);
  }
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const floorMs = await timed(floor);
    floors.push(floorMs);
    subjects.push(await timed(() => runOnce(runtime)) - floorMs);
  }
  const added = toFigure("a run with a tool call: time added to its two fetches", {
    floors,
    subjects,
    unit: "ms",
    goal: subjectAtMost(5),
  });
  return [added, await throughput({ floor, subject: () => runOnce(runtime) })];
}

async function throughput(
  { floor, subject }: { floor: () => Promise<void>; subject: () => Promise<void> },
): Promise<Figure> {
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await rate(floor));
    subjects.push(await rate(subject));
  }
  return toFigure("runs with a tool call / pairs of bare fetches", {
    floors,
    subjects,
    unit: "a second",
    goal: { of: "subject", bound: 150, is: "at least" },
  });
}

async function rate(work: () => Promise<void>): Promise<number> {
  let left = RUNS;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, worker)));
  return RUNS / (ms / 1_000);
}

async function runOnce(runtime: Runtime): Promise<void> {
  const { id } = await runtime.run("reader", {});
  const { status } = await toEnd(runtime, id);
  if (status !== "success") throw new Error(`The run ended with ${status}`);
}

/** Sends a request as the adapter of the model does, and reads the reply to its end. */
async function ask(url: string, messages: readonly unknown[]): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "test", messages, stream: true }),
  });
  await response.text();
}
