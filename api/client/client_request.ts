// One request of a client: how it is sent, how its answer is read, and how either fails. On the start-up path of every
// command.
import { ApiError, ServiceUnreachable, toDetail } from "./client_errors.ts";
import type { ClientOptions, Transport } from "./client_transport.ts";
import type { PlainAnswer } from "./socket_request.ts";

/** What a client asks. */
export interface ClientRequest {
  method: "GET" | "POST" | "DELETE";
  /** Begins with a slash, encoded. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; absent for none. */
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * The JSON of an answer, which is taken to be a `T`. Throws ApiError for a refusal and for what is no JSON,
 * ServiceUnreachable, and the reason of the signal when that aborts.
 */
export async function askForJson<T>(transport: ClientOptions, request: ClientRequest): Promise<T> {
  const { status, text } = await ask(transport, request);
  try {
    return JSON.parse(text);
  } catch {
    const { method, path } = request;
    throw new ApiError(status, `The service answered ${method} ${path} with no JSON`);
  }
}

/** The response of a request that succeeded; its body is still to be read. Throws as `askForJson` does. */
export async function sendRequest(fetch: Transport, request: ClientRequest): Promise<Response> {
  const { method, path, signal, body } = request;
  const headers = new Headers(request.headers);
  if (body !== undefined) headers.set("content-type", "application/json");
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ServiceUnreachable("The service does not answer", { cause });
  }
  if (response.ok) return response;
  throw new ApiError(response.status, toDetail(await readText(response, signal)));
}

/** The values of a query. Flags that are off and undefined values are left out of its text. */
export type QueryValues = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

/** `?name=value&…`; empty for nothing. */
export function toQuery(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** What the service answers to a request that it does not refuse. */
async function ask({ fetch, read }: ClientOptions, request: ClientRequest): Promise<PlainAnswer> {
  const { method, path, signal } = request;
  if (read === undefined || method !== "GET") {
    const response = await sendRequest(fetch, request);
    return { status: response.status, text: await readText(response, signal) };
  }
  const answer = await read(path, { ...(signal && { signal }) });
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw new ApiError(answer.status, toDetail(answer.text));
}

async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ServiceUnreachable("The connection to the service broke", { cause });
  }
}
