// Sends one request of the client, reads its response, and translates its errors. Every command loads this file at
// start-up.
import { ApiError, ServiceUnreachable, toDetail } from "./client_errors.ts";
import type { ClientOptions, PlainAnswer } from "./client_transport.ts";

/** A request of the client. */
export interface ClientRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The encoded path, with a leading slash. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** The value to send as JSON, if any. */
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Sends a request and returns the JSON of its response, unchecked. Throws ApiError for an error response or a response
 * without JSON, ServiceUnreachable if the service does not answer, and the reason of an aborted signal.
 */
export async function requestJson<T>(transport: ClientOptions, request: ClientRequest): Promise<T> {
  const { status, text } = await requestText(transport, request);
  try {
    return JSON.parse(text);
  } catch {
    const { method, path } = request;
    throw new ApiError(status, `The service's response to ${method} ${path} is not JSON`);
  }
}

/** Sends a request and returns its successful response with an unread body. Throws the errors of requestJson(). */
export async function sendRequest(
  transport: Pick<ClientOptions, "fetch" | "headers">,
  request: ClientRequest,
): Promise<Response> {
  const { method, path, signal, body } = request;
  const headers = new Headers({ ...transport.headers, ...request.headers });
  if (body !== undefined) headers.set("content-type", "application/json");
  let response: Response;
  try {
    response = await transport.fetch(path, {
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

/** The values of a query. `false` and undefined are omitted from the query's text. */
export type QueryValues = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

/** Returns `?name=value&…`, or an empty text for no values. */
export function toQuery(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the text of a successful response. Throws the errors of requestJson(). */
async function requestText(
  transport: ClientOptions,
  request: ClientRequest,
): Promise<PlainAnswer> {
  const { method, path, signal } = request;
  const { read } = transport;
  if (read === undefined || method !== "GET") {
    const response = await sendRequest(transport, request);
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
