// Small parts of a client's requests and their answers. On the start-up path of every command.
import { ServiceUnreachable } from "./client_errors.ts";

/** The text of a response. Throws ServiceUnreachable when the connection breaks. */
export async function readText(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ServiceUnreachable("The connection to the service broke", { cause });
  }
}

/** `?name=value&…` of what is defined; empty for nothing. */
export function toQuery(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}
