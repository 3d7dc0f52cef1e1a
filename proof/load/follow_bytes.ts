// Reads streams as bytes without parsing frames, so that a thousand followers do not slow down the measured service.
import { createHash } from "node:crypto";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { toEvent } from "../../api/streams/server_sent_events.ts";

/** An address of the service with the options for fetch. */
export interface Door {
  base: string;
  init: RequestInit & { client?: Deno.HttpClient };
}

/** The SHA-256 of the bytes that a follower received, and the number of frames. */
export interface Seen {
  frames: number;
  sha256: string;
}

/** Sends the request for an execution's stream and returns the response. */
export function openStream(door: Door, executionId: number): Promise<Response> {
  return fetch(`${door.base}/executions/${executionId}/stream`, door.init);
}

/** Reads a stream to its end and ignores keep-alive comments. */
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

/** Returns the hash and the number of frames that every follower must receive: the stored frames, each once, in order. */
export async function storedBytes(runtime: Runtime, executionId: number): Promise<Seen> {
  const frames = await runtime.readFrames(executionId, { after: 0 });
  const hash = createHash("sha256");
  for (const { event, payload, id } of frames) hash.update(toEvent(event, payload, id));
  return { frames: frames.length, sha256: hash.digest("hex") };
}
