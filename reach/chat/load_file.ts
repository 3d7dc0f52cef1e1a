// Loads a file of a message from the servers of a chat app.
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
  const size = Number(response.headers.get("content-length") ?? 0);
  if (response.status === 200 && size <= maxBytes) return await response.bytes();
  await response.body?.cancel();
  if (response.status === 200) throw new AppFailure(`${name} is too large`, { isFinal: true });
  throw new AppFailure(`${name} cannot be loaded: status ${response.status}`, {
    isFinal: response.status < 500,
  });
}
