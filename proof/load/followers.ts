// Connects many followers to a running execution: each must receive every frame once, in order.
import { serve } from "../../server/mod.ts";
import { openSocketClient } from "../../api/client/client.ts";
import { openHttpClient } from "../../api/client/http_client.ts";
import { createTestWorkspace } from "../../tests/support/test_workspace.ts";
import { type Door, openStream, readBytes, type Seen, storedBytes } from "./follow_bytes.ts";
import { writeBusyAgent } from "./many_frames.ts";

/**
 * The number of followers that connect in parallel. The service closes the oldest connection if more than 64 connections of
 * one address have sent no request.
 */
const CONNECTED_AT_ONCE = 32;

/** The result of one run with many followers. */
export interface FollowersReport {
  followers: number;
  /** The number of frames that the execution logged. */
  frames: number;
  /** The received data of the followers that did not receive exactly the stored frames. */
  wrong: Seen[];
  /**
   * The milliseconds from the first frame of the agent, when all followers are connected, to the end of the last stream.
   */
  ms: number;
  /**
   * The chunks that an idle reader of the event stream received meanwhile, and the longest time between two of them in
   * milliseconds.
   */
  events: { received: number; longestSilenceMs: number };
}

/** Runs the agent with half of the followers on the Unix socket and half on TCP, and returns the report. */
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
  using http = openHttpClient(path);
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

/**
 * Reads the service's event stream to its end, and returns the number of chunks and the longest time between two of them.
 */
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
