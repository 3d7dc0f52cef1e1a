// Many followers of one execution while it logs: each must get every frame once, in order, the same bytes.
import { serve } from "../../server/mod.ts";
import { openSocketClient } from "../../api/client/client.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { type Door, openStream, readBytes, type Seen, storedBytes } from "./follow_bytes.ts";
import { writeBusyAgent } from "./many_frames.ts";

/** The service closes the oldest of more than 64 connections of one address that have sent no request yet. */
const CONNECTED_AT_ONCE = 32;

/** The result. */
export interface FollowersReport {
  followers: number;
  /** The number of the execution's frames. */
  frames: number;
  /** The followers that received something else than the stored frames. */
  wrong: Seen[];
  /** Milliseconds from the first frame after all were connected to the end of the last stream. */
  ms: number;
  /** The heartbeats that an idle reader of the events got meanwhile, and the longest silence in milliseconds. */
  events: { received: number; longestSilenceMs: number };
}

/** Runs it with half of the followers on the Unix socket and half on TCP. */
export async function runFollowers(
  options: { followers: number; frames: number; connectMs: number },
): Promise<FollowersReport> {
  await using workspace = await createTestWorkspace();
  const frames = await writeBusyAgent(workspace, {
    frames: options.frames,
    delayMs: options.connectMs,
  });
  await using runtime = await workspace.open();
  const service = await serve(runtime, { tcp: { port: 0, apiKey: "load" } });
  const path = runtime.directories.socketFile;
  using http = Deno.createHttpClient({ proxy: { transport: "unix", path } });
  using client = openSocketClient(path);
  const doors: Door[] = [
    { base: "http://localhost", init: { client: http } },
    { base: `http://127.0.0.1:${service.ports[0]}`, init: { headers: { "x-api-key": "load" } } },
  ];
  const { execution_id } = await client.run("busy");
  const started = Date.now() + options.connectMs;
  const silence = watchSilence(doors[0] as Door);
  const reading: Promise<Seen>[] = [];
  while (reading.length < options.followers) {
    const count = Math.min(CONNECTED_AT_ONCE, options.followers - reading.length);
    const opened = await Promise.all(
      Array.from(
        { length: count },
        (_, n) => openStream(doors[n % doors.length] as Door, execution_id),
      ),
    );
    reading.push(...opened.map(readBytes));
  }
  const seen = await Promise.all(reading);
  const ms = Date.now() - started;
  const stored = await storedBytes(runtime, execution_id);
  await service.shutdown("requested");
  const wrong = seen.filter(({ sha256, frames }) =>
    sha256 !== stored.sha256 || frames !== stored.frames
  );
  if (stored.frames !== frames) {
    throw new Error(`The agent logged ${stored.frames} frames instead of ${frames}`);
  }
  return { followers: options.followers, frames, wrong, ms, events: await silence };
}

/** Reads the service's events to their end and measures the longest silence. */
async function watchSilence(door: Door): Promise<FollowersReport["events"]> {
  const response = await fetch(`${door.base}/events/stream`, door.init);
  if (response.body === null) throw new Error(`Refused: ${response.status}`);
  let last = performance.now();
  const report = { received: 0, longestSilenceMs: 0 };
  for await (const _ of response.body) {
    report.received++;
    report.longestSilenceMs = Math.max(report.longestSilenceMs, performance.now() - last);
    last = performance.now();
  }
  return report;
}
