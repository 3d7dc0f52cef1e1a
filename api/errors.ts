// Translates thrown errors to HTTP responses, which never contain a stack trace or a cause.
import { RuntimeError, type RuntimeErrorCode } from "../base/errors.ts";
import type { ServiceLog } from "../runtime/service_log/service_log.ts";
import type { ErrorBody } from "./schemas/error_schemas.ts";

/** Error: the service refuses the request before it runs it, for example for its method, size, JSON or schema. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    readonly detail: ErrorBody["detail"],
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(typeof detail === "string" ? detail : "The request does not fit its schema", {
      cause: options.cause,
    });
    this.headers = options.headers ?? {};
  }
}

const STATUS_OF: Readonly<Record<RuntimeErrorCode, number>> = {
  not_found: 404,
  conflict: 409,
  outdated: 412,
  invalid: 422,
  forbidden: 403,
  unavailable: 503,
  storage: 500,
};

/**
 * Returns the response for an error, without secrets. Logs the errors that are not the client's fault, with the `cause` of
 * each error.
 */
export function toErrorResponse(
  error: unknown,
  { log, redact }: { log: ServiceLog; redact: (text: string) => string },
): Response {
  if (error instanceof RequestRefused) {
    return toResponse(error.status, error.detail, error.headers);
  }
  if (error instanceof RuntimeError) {
    const { retryAfterSeconds: seconds } = error;
    // A message may quote a value of a file.
    const msg = redact(error.message);
    if (seconds !== undefined) return toResponse(503, msg, { "Retry-After": String(seconds) });
    const status = STATUS_OF[error.code];
    if (status === 500) log.write("error", "A request failed", { error, cause: error.cause });
    // The detail of every 422 is a list, as for a request that does not match its schema.
    const issue = { type: error.code, loc: ["body"], msg, input: null };
    return toResponse(status, status === 422 ? [issue] : msg);
  }
  log.write("error", "A request failed unexpectedly", { error });
  return toResponse(500, "Internal error");
}

function toResponse(
  status: number,
  detail: ErrorBody["detail"],
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ detail } satisfies ErrorBody, { status, headers: { ...headers } });
}
