// The errors of refused requests to start, find or continue an execution.
import { type Diagnostic, formatDiagnostic } from "../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { formatDuration } from "../../base/durations.ts";
import { basename } from "../../base/plain_path.ts";
import type { Execution } from "./execution.ts";

/** Error: no execution has this id. */
export class ExecutionNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor() {
    super("Execution not found");
  }
}

/** Error: the execution does not rest. */
export class NotResting extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(execution: Pick<Execution, "id" | "status" | "finishedAt">, now: number) {
    super(`Execution ${execution.id} ${describeState(execution, now)}; it does not rest`);
  }
}

function describeState(
  { status, finishedAt }: Pick<Execution, "status" | "finishedAt">,
  now: number,
): string {
  if (status === "running") return "is running";
  if (status === "waiting") return "waits for an answer";
  const ago = finishedAt === null ? "" : ` ${formatDuration(now - finishedAt)} ago`;
  return `ended with ${status}${ago}`;
}

/** Error: the execution has no open question. */
export class NoPendingRequest extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor() {
    super("No pending request");
  }
}

/** Error: the conversation that the run would join is waiting for a person's answer. */
export class SessionWaiting extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(agentId: string) {
    super(`Agent '${agentId}' has a session waiting for a response`);
  }
}

/** Error: the request is from an agent that was itself called by as many agents as may call each other. */
export class CalledTooDeep extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(agentId: string, maxAgentDepth: number) {
    super(
      `Agent "${agentId}" cannot be called from here: agents may call each other ${maxAgentDepth} deep ` +
        "(defaults.max_agent_depth)",
    );
  }
}

/** Error: the store cannot return this session id unchanged. */
export class SessionIdUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
  constructor() {
    super("session_id must not contain NUL characters or lone surrogates");
  }
}

/** Error: the service is shutting down and accepts no new work. */
export class ServiceStopping extends RuntimeError {
  override readonly code: RuntimeErrorCode = "unavailable";
  constructor() {
    super("The service is shutting down");
  }
}

/** Error: this runtime was opened read-only and runs nothing. */
export class ReadOnlyRuntime extends RuntimeError {
  override readonly code: RuntimeErrorCode = "unavailable";
  constructor() {
    super("No service is running: start one to run agents");
  }
}

/** Error: the conversation of an execution is not stored. */
export class ConversationGone extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(id: number, wish: "fork" | "replay" | "continue") {
    super(`Cannot ${wish} execution ${id}: its conversation is not stored (any more)`);
  }
}

/** Error: the execution has not ended, so its conversation cannot be the history of another one. */
export class ConversationOpen extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(id: number) {
    super(`Cannot continue execution ${id}: it has not ended yet`);
  }
}

/** Error: a picture of the request is no picture of a known format. */
export class PictureUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
  constructor() {
    super("A picture must be a PNG, JPEG, GIF or WebP file in base64");
  }
}

/**
 * Error: a dry run cannot be replayed. The results of its calls describe changes to the files of that time, and these files
 * may differ now.
 */
export class DryRunNotPlayed extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(id: number) {
    super(
      `Cannot play execution ${id} again: it was a dry run, whose calls were only described. Play a real run`,
    );
  }
}

/** Error: the execution has no step with the requested number. */
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

/** Error: the text that came with a fork is not a valid agent file. */
export class AgentTextUnusable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "invalid";
}

/** Error: the steps to fork were removed from the store after they had been read. */
export class ForkedStepsGone extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor() {
    super("The conversation to fork was removed meanwhile");
  }
}

/** Error: an idempotency key was reused for a different request. */
export class IdempotencyKeyReused extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor() {
    super("Idempotency-Key was used for a different run within the last 24 hours; use a new one");
  }
}

/** Error: an execution cannot continue now, because its agent's file exists but cannot be read or parsed. */
export class AgentUnreadable extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
  constructor(agentId: string, problem: Diagnostic) {
    const place = formatDiagnostic({ ...problem, path: basename(problem.path) });
    super(`Agent '${agentId}' cannot be read: ${place}; fix the file and try again`);
  }
}
