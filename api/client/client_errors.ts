// Defines the errors of the API client: a refusal of the service, and a service that does not answer.
import type { ErrorBody } from "../schemas/error_schemas.ts";

/** Error: the service refused the request, with an HTTP status and a `detail`. The message is the detail as a sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(readonly status: number, readonly detail: ErrorBody["detail"]) {
    super(toSentence(detail));
  }
}

/** Error: the service does not answer, or the connection broke. The `cause` is the technical reason. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

/** Returns the `detail` of an error body, or the text of a body that is not an error of the API. */
export function toDetail(text: string): ErrorBody["detail"] {
  try {
    const body: Partial<ErrorBody> | null = JSON.parse(text);
    if (body?.detail !== undefined) return body.detail;
  } catch {
    // The text is from another program, such as a proxy, and is shown unchanged.
  }
  return text.slice(0, 500) || "The service returned an error without a reason";
}

function toSentence(detail: ErrorBody["detail"]): string {
  if (typeof detail === "string") return detail;
  // The first part is the place in the request: the body, the query or the path.
  return detail.map(({ loc: [, ...field], msg }) =>
    field.length === 0 ? msg : `${field.join(".")}: ${msg}`
  ).join("; ");
}

/** Returns the result of a request, or undefined if the service responded with 404. */
export async function orMissing<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
