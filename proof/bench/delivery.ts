// Measures the delay of a frame from the log to a follower over HTTP, and the cost of a thousand followers.
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { serve } from "../../server/mod.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { runFollowers } from "../load/followers.ts";
import { type Figure, median, percentile, ratioAtMost, subjectAtMost, toFigure } from "./paired.ts";
import { sleep } from "../soak/sleep.ts";

const RUNS = 5;
const FRAMES = 40;
const CROWD = 500;
const OPENED_AT_ONCE = 32;
const OPENING_MS = 5_000;
/** The approximate size of the frame of a tool call in bytes. */
const FRAME_BYTES = 300;
const FOLLOWERS = 1_000;
const FOLLOWED_FRAMES = 27;

/** Returns the figures for one, five hundred and a thousand followers. */
export async function benchDelivery(): Promise<Figure[]> {
  return [...await delivery(), await thousand()];
}

/**
 * Measures the delay of each frame to a reader over TCP, compared with an event stream that does nothing else. The delay
 * begins when this process has the frame.
 */
async function delivery(): Promise<Figure[]> {
  await using place = await createTestWorkspace();
  const steps = Array.from({ length: FRAMES / 4 }, () => ({
    delay_ms: 100,
    call: [{ name: "file_glob", arguments: { pattern: "*.md" } }],
  }));
  await place.writeScript(
    "slow",
    [...steps, { say: "Done." }],
    "settings: { loop_detection: false, max_tool_calls: null }",
  );
  const [first, ...more] = steps;
  await place.writeScript(
    "crowd",
    [{ ...first, delay_ms: OPENING_MS }, ...more, { say: "Done." }],
    "settings: { loop_detection: false, max_tool_calls: null }",
  );
  await using runtime = await place.open();
  const service = await serve(runtime, { tcp: { port: 0, apiKey: "bench" } });
  const base = `http://127.0.0.1:${service.ports[0]}`;
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const [floor, subject] = [
      await bareDelays(1),
      await frameDelays(runtime, { base, agent: "slow", followers: 1 }),
    ];
    // The first run warms up and is not counted.
    if (run === 0) continue;
    floors.push(median(floor));
    subjects.push(median(subject));
  }
  const [floor, subject] = [
    await bareDelays(CROWD),
    await frameDelays(runtime, { base, agent: "crowd", followers: CROWD }),
  ];
  await service.shutdown("requested");
  return [
    toFigure("a frame's way to a follower / a bare stream", {
      floors,
      subjects,
      unit: "ms",
      goal: subjectAtMost(2),
    }),
    ...[0.5, 0.99].map((part) =>
      toFigure(`a frame's way to ${CROWD} followers, ${part * 100} of 100 / a bare stream`, {
        floors: [percentile(floor, part)],
        subjects: [percentile(subject, part)],
        unit: "ms",
        goal: ratioAtMost(2),
      })
    ),
  ];
}

/**
 * Returns the delays in milliseconds of all frames that were logged while the followers were reading, for all followers.
 */
async function frameDelays(
  runtime: Runtime,
  { base, agent, followers }: { base: string; agent: string; followers: number },
): Promise<number[]> {
  const { id } = await runtime.run(agent, {});
  const logged: number[] = [];
  const { signal } = new AbortController();
  const inside = (async () => {
    for await (const _ of (await runtime.follow(id, { after: 0, signal })).items) {
      logged.push(performance.now());
    }
  })();
  const opened: { response: Response; looked: number }[] = [];
  while (opened.length < followers) {
    // Open the connections in groups, because the service closes unused connections when there are many.
    const group = Math.min(OPENED_AT_ONCE, followers - opened.length);
    opened.push(
      ...await Promise.all(Array.from({ length: group }, async () => {
        const response = await fetch(`${base}/executions/${id}/stream`, {
          headers: { "x-api-key": "bench" },
        });
        return { response, looked: performance.now() };
      })),
    );
  }
  const delays = await Promise.all(opened.map(async ({ response, looked }) => {
    const received: number[] = [];
    await readEvents(response, () => received.push(performance.now()));
    // The delay of a frame that existed before the follower connected is not measured.
    return received.flatMap((at, frame) => {
      const from = logged[frame] ?? 0;
      return from < looked ? [] : [at - from];
    });
  }));
  await inside;
  return delays.flat();
}

/** Returns the delays of a server that only sends each event to every client. */
async function bareDelays(followers: number): Promise<number[]> {
  const sent: number[] = [];
  const delays: number[] = [];
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void open.add(controller),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const readers = Array.from({ length: followers }, async () => {
    let event = 0;
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
    await readEvents(response, () => delays.push(performance.now() - (sent[event++] ?? 0)));
  });
  while (open.size < followers) await sleep(5);
  for (let event = 0; event < FRAMES; event++) {
    await sleep(followers === 1 ? 5 : 100);
    sent.push(performance.now());
    const bytes = encoder.encode(`id: ${event}\ndata: ${"x".repeat(FRAME_BYTES)}\n\n`);
    for (const controller of open) controller.enqueue(bytes);
  }
  for (const controller of open) controller.close();
  await Promise.all(readers);
  await server.shutdown();
  return delays;
}

async function readEvents(response: Response, onEvent: () => void): Promise<void> {
  if (response.body === null) throw new Error(`Refused: ${response.status}`);
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (!part.startsWith(":")) onEvent();
  }
}

/**
 * Measures the microseconds for each frame and follower with a thousand followers, compared with ten. Throws if a follower
 * misses a frame.
 */
async function thousand(): Promise<Figure> {
  const floors: number[] = [];
  const subjects: number[] = [];
  const measure = async (followers: number) => {
    const report = await runFollowers({ followers, frames: FOLLOWED_FRAMES, connectMs: 4_000 });
    if (report.wrong.length > 0) {
      throw new Error(`${report.wrong.length} followers saw something else`);
    }
    return report.ms;
  };
  floors.push(await measure(10));
  subjects.push(await measure(FOLLOWERS));
  return toFigure(`${FOLLOWED_FRAMES} frames at 1,000 followers / at 10`, {
    floors,
    subjects,
    unit: "ms",
  });
}
