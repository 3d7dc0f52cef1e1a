// How long a frame takes from the log to a follower's hands over HTTP, and what a thousand followers cost.
import type { Runtime } from "../../runtime/runtime.ts";
import { serve } from "../../server/mod.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { runFollowers } from "../load/followers.ts";
import { type Figure, median, subjectAtMost, toFigure } from "./paired.ts";

const RUNS = 5;
const FRAMES = 40;
const FOLLOWERS = 1_000;
const FOLLOWED_FRAMES = 27;

/** Live delivery to one follower, and to a thousand. */
export async function benchDelivery(): Promise<Figure[]> {
  return [await delivery(), await thousand()];
}

/**
 * Each frame's way to a reader over TCP, against the same for a bare stream of events: both from the moment at which
 * somebody in this process has it.
 */
async function delivery(): Promise<Figure> {
  await using place = await createTestWorkspace();
  const steps = Array.from({ length: FRAMES / 4 }, () => ({
    delay_ms: 20,
    call: [{ name: "file_glob", arguments: { pattern: "*.md" } }],
  }));
  await place.writeScript(
    "slow",
    [...steps, { say: "Done." }],
    "settings: { loop_detection: false, max_tool_calls: null }",
  );
  await using runtime = await place.open();
  const service = await serve(runtime, { tcp: { port: 0, apiKey: "bench" } });
  const base = `http://127.0.0.1:${service.ports[0]}`;
  const floors: number[] = [];
  const subjects: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const [floor, subject] = [await bareDelays(), await frameDelays(runtime, base)];
    // The first only warms up.
    if (run === 0) continue;
    floors.push(median(floor));
    subjects.push(median(subject));
  }
  await service.shutdown("requested");
  return toFigure("a frame's way to a follower / a bare stream", {
    floors,
    subjects,
    unit: "ms",
    goal: subjectAtMost(2),
  });
}

async function frameDelays(runtime: Runtime, base: string): Promise<number[]> {
  const { id } = await runtime.run("slow", {});
  const logged: number[] = [];
  const received: number[] = [];
  const { signal } = new AbortController();
  const inside = (async () => {
    for await (const _ of await runtime.follow(id, { after: 0, signal })) {
      logged.push(performance.now());
    }
  })();
  const response = await fetch(`${base}/executions/${id}/stream`, {
    headers: { "x-api-key": "bench" },
  });
  await readEvents(response, () => received.push(performance.now()));
  await inside;
  // The first ones were there before anybody looked.
  return received.map((at, frame) => Math.max(0, at - (logged[frame] ?? at))).slice(5);
}

async function bareDelays(): Promise<number[]> {
  const sent: number[] = [];
  const received: number[] = [];
  const encoder = new TextEncoder();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        sent.push(performance.now());
        controller.enqueue(encoder.encode(`id: ${sent.length}\ndata: {}\n\n`));
        if (sent.length === FRAMES) controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  await readEvents(response, () => received.push(performance.now()));
  await server.shutdown();
  return received.map((at, event) => at - (sent[event] ?? at));
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

/** Microseconds a frame and follower with a thousand of them, against ten; every follower must see every frame. */
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
