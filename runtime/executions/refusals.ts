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

/** Nothing is stored of what an execution said and was told. */
export class ConversationGone extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(id: number, wish: "fork" | "replay") {
    super(`Cannot ${wish} execution ${id}: its conversation is not stored (any more)`);
  }
}

/** What the calls of a dry run would have done depended on the files of that moment. */
export class DryRunNotPlayed extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(id: number) {
    super(
      `Cannot play execution ${id} again: it was a dry run, whose calls were only described. Play a real run`,
    );
  }
}

/** An execution has fewer steps. */
export class NoSuchStep extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
  constructor(id: number, { step, last }: { step: number; last: number }) {
    super(
      last === 0
        ? `Execution ${id} has no step ${step}: it can be forked at 0, its beginning`
        : `Execution ${id} has no step ${step}: it can be forked at 0 (its beginning) to ${last}`,
    );
  }
}

/** The text of an agent file that came with a fork is none. */
export class AgentTextUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/** The steps that a fork was to take over are gone since they were looked up. */
export class ForkedStepsGone extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor() {
    super("The conversation to fork was removed meanwhile");
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

/** Another machine has what this one had: this one must not write for it any more, nor end it. */
export class LeaseLost extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(what: string) {
    super(`${what} is another machine's now`);
  }
}
