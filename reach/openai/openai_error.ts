// The errors of the OpenAI-compatible endpoint, and their responses.
import { ApiError, ServiceUnreachable } from "../../api/client/client.ts";

/** The body of an error in OpenAI's shape. */
export interface ErrorShape {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** Error: the request is refused. `param` is the place in the request, such as `messages[2].content`. */
export class OpenAiError extends Error {
  override readonly name = "OpenAiError";
  readonly status: number;
  readonly shape: ErrorShape;

  constructor(
    message: string,
    { status = 400, code = null, param = null, type = "invalid_request_error" }: {
      status?: number;
      code?: string | null;
      param?: string | null;
      type?: string;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.shape = { message, type, param, code };
  }
}

/** Converts any error to an OpenAiError. Errors that are a bug are passed to `onBug` and get a general message. */
export function toOpenAiError(error: unknown, onBug: (error: unknown) => void): OpenAiError {
  if (error instanceof OpenAiError) return error;
  if (error instanceof ServiceUnreachable) {
    return new OpenAiError(error.message, { status: 503, type: "server_error" });
  }
  // A refusal of the request itself, such as a body that is too large, has the fields of an ApiError.
  const { status, detail } = error as Partial<ApiError>;
  if (!(error instanceof Error) || status === undefined || detail === undefined) {
    onBug(error);
    return new OpenAiError("Internal error", { status: 500, type: "server_error" });
  }
  const message = new ApiError(status, detail).message;
  const code = status === 404 ? "not_found" : status === 409 ? "conflict" : null;
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return new OpenAiError(message, { status, code, type });
}

/** Returns the response for an error. Only errors that pass by themselves may be retried. */
export function toErrorResponse({ status, shape }: OpenAiError): Response {
  const mayRetry = status === 503 || status === 408;
  return Response.json({ error: shape }, {
    status,
    headers: { "x-should-retry": `${mayRetry}` },
  });
}
