// Why the runtime refuses to start, find or continue an execution.
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { PATHS } from "../../base/plain_path.ts";

/** No execution has this id. */
export class ExecutionNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor() {
    super("Execution not found");
  }
}

/** This execution asks nobody anything. */
export class NoPendingRequest extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor() {
    super("No pending request");
  }
}

/** The conversation that a run would join waits for a person's answer. */
export class SessionWaiting extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(agentId: string) {
    super(`Agent '${agentId}' has a session waiting for a response`);
  }
}

/** A session id that the store cannot return as it was sent. */
export class SessionIdUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
  constructor() {
    super("session_id must not contain NUL characters or lone surrogates");
  }
}

/** The service is going down and takes no new work. */
export class ServiceStopping extends RuntimeError {
  override readonly code: RuntimeErrorCode = "unavailable";
  constructor() {
    super("The service is shutting down");
  }
}

/** This runtime was opened to look at the workspace, not to run anything. */
export class ReadOnlyRuntime extends RuntimeError {
  override readonly code: RuntimeErrorCode = "unavailable";
  constructor() {
    super("No service is running: start one to run agents");
  }
}

/** An idempotency key stands for one request: it came back with another one. */
export class IdempotencyKeyReused extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor() {
    super("Idempotency-Key was used for a different run within the last 24 hours; use a new one");
  }
}

/** An execution cannot continue now: its agent's file exists but cannot be read or parsed. */
export class AgentUnreadable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(agentId: string, problem: Diagnostic) {
    const place = formatDiagnostic({ ...problem, path: PATHS.basename(problem.path) });
    super(`Agent '${agentId}' cannot be read: ${place}; fix the file and try again`);
  }
}
