// The errors of refused recordings and trials.
import { RuntimeError } from "../../base/errors.ts";

/** Error: an execution cannot be recorded as a case, or another case has the name. */
export class NotRecordable extends RuntimeError {
  readonly code = "conflict";
}

/** Error: there is no execution with the number that should be recorded. */
export class RunMissing extends RuntimeError {
  readonly code = "not_found";
}

/** Error: the files of a case's input start no run of the agent. */
export class InputUnusable extends RuntimeError {
  readonly code = "conflict";
}
