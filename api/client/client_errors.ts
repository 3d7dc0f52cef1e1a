// How a call of the API fails, as a client sees it: the service refused, or nobody answers.
import type { ErrorBody } from "../schemas/error_schemas.ts";

/** The service refused: the HTTP status and its `detail`. The message is the detail as a sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(readonly status: number, readonly detail: ErrorBody["detail"]) {
    super(toSentence(detail));
  }
}

/** Nothing answers: no socket, nobody listening, or the connection broke. The technical reason is the `cause`. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

/** The `detail` of a refusal's body; of a body that is not ours, its text. */
export function toDetail(text: string): ErrorBody["detail"] {
  try {
    const body: Partial<ErrorBody> | null = JSON.parse(text);
    if (body?.detail !== undefined) return body.detail;
  } catch {
    // Not our JSON: whatever answers there, its text is all there is to show.
  }
  return text.slice(0, 500) || "The service gave no reason";
}

function toSentence(detail: ErrorBody["detail"]): string {
  if (typeof detail === "string") return detail;
  return detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
}

/** The answer; undefined where the service knows no such thing. */
export async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
