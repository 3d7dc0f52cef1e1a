// Readers that disconnect at a random frame and return with Last-Event-ID. Together they must read the stored
// sequence.
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { readFrames, type StreamFrame } from "../../api/client/client_stream.ts";
import type { Door } from "./follow_bytes.ts";

/**
 * Reads an execution to its end while cutting the connection every few frames. Returns the number of cuts and the
 * frames; throws when the stream ends early.
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

/** Returns sentences about the differences between the frames and the stored ones; empty when there are none. */
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
