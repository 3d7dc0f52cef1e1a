// Why the runtime refuses to start or find an execution.
import { RuntimeError, type RuntimeErrorCode } from "../errors.ts";

/** No execution has this id. */
export class ExecutionNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor() {
    super("Execution not found");
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
