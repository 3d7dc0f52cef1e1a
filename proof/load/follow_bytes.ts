// Reads a stream as bytes, so that a thousand followers cost little compared with the measured service.
import { createHash } from "node:crypto";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { toEvent } from "../../api/streams/server_sent_events.ts";

/** A way to reach the service: an address and the options for fetch. */
export interface Door {
  base: string;
  init: RequestInit & { client?: Deno.HttpClient };
}

/** The bytes that a follower received. */
export interface Seen {
  frames: number;
  sha256: string;
}

/** Opens the stream of an execution. */
export function openStream(door: Door, executionId: number): Promise<Response> {
  return fetch(`${door.base}/executions/${executionId}/stream`, door.init);
}

/** Reads a stream to its end; keep-alive comments do not count. */
export async function readBytes(response: Response): Promise<Seen> {
  if (!response.ok || response.body === null) throw new Error(`Refused: ${response.status}`);
  const hash = createHash("sha256");
  let frames = 0;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      if (part.startsWith(":")) continue;
      frames++;
      hash.update(`${part}\n\n`);
    }
  }
  return { frames, sha256: hash.digest("hex") };
}

/** Returns the bytes that every follower must receive: the stored frames, each once, in order. */
export async function storedBytes(runtime: Runtime, executionId: number): Promise<Seen> {
  const frames = await runtime.readFrames(executionId, { after: 0 });
  const hash = createHash("sha256");
  for (const { event, payload, id } of frames) hash.update(toEvent(event, payload, id));
  return { frames: frames.length, sha256: hash.digest("hex") };
}
