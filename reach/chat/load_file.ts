// Loads a file of a message from the servers of a chat app.
import { Buffer } from "node:buffer";
import { AppFailure, type ReceivedFile } from "./chat_app.ts";

/** Loads a file. Throws AppFailure, with `isFinal` if the file is too large or on another server than those of `origins`. */
export async function loadFile(
  { ref, name }: ReceivedFile,
  { maxBytes, origins, headers = {} }: {
    maxBytes: number;
    origins: readonly string[];
    headers?: Record<string, string>;
  },
  signal: AbortSignal,
): Promise<Uint8Array> {
  // Only the app's servers get the token, and a message cannot make the service read another server.
  if (!origins.includes(URL.parse(ref)?.origin ?? "")) {
    throw new AppFailure(`${name} is not stored by the chat app`, { isFinal: true });
  }
  // Without the right to read files, Slack redirects to its page for signing in.
  const response = await fetch(ref, { headers, signal, redirect: "manual" });
  const { status, body } = response;
  if (status !== 200) {
    await body?.cancel();
    throw new AppFailure(`${name} cannot be loaded: status ${status}`, { isFinal: status < 500 });
  }
  const bytes = await readUpTo(body ?? [], maxBytes);
  if (bytes === undefined) throw new AppFailure(`${name} is too large`, { isFinal: true });
  return bytes;
}

/** Returns a body, or undefined if it is larger. The response may name no size. */
async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
