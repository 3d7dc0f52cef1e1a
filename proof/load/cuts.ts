// Reads an execution's stream with many disconnections, each resumed with Last-Event-ID. The frames of all connections
// together must be the stored frames.
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { readFrames, type StreamFrame } from "../../api/client/client_stream.ts";
import type { Door } from "./follow_bytes.ts";

/**
 * Reads an execution's stream to its end and disconnects after a random number of frames, up to `mostFrames`. Returns the
 * number of disconnections and all frames.
 */
export async function readWithCuts(
  door: Door,
  executionId: number,
  options: { random: () => number; mostFrames: number },
): Promise<{ cuts: number; frames: StreamFrame[] }> {
  const frames: StreamFrame[] = [];
  for (let cuts = 0;; cuts++) {
    const left = Math.floor(options.random() * options.mostFrames);
    const headers = new Headers(door.init.headers);
    headers.set("last-event-id", String(frames.at(-1)?.id ?? 0));
    const url = `${door.base}/executions/${executionId}/stream`;
    const response = await fetch(url, { ...door.init, headers });
    let read = 0;
    for await (const frame of readFrames(response)) {
      frames.push(frame);
      if (frame.event === "complete") return { cuts, frames };
      if (read++ >= left) break;
    }
  }
}

/** Returns sentences about the differences between the received and the stored frames; empty if there are none. */
export async function differences(
  runtime: Runtime,
  executionId: number,
  frames: readonly StreamFrame[],
): Promise<string[]> {
  const stored = await runtime.readFrames(executionId, { after: 0 });
  const problems = stored.flatMap((frame, n) => {
    const read = frames[n];
    return read?.id === frame.id && read.data === frame.payload && read.event === frame.event
      ? []
      : [`frame ${n} is ${read?.event} ${read?.id} instead of ${frame.event} ${frame.id}`];
  });
  if (frames.length !== stored.length) problems.push(`${frames.length} of ${stored.length} frames`);
  return problems;
}
