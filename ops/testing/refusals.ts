// The errors of refused recordings and trials.
import { RuntimeError } from "../../base/errors.ts";

/** Error: an execution cannot be recorded as a case. */
export class NotRecordable extends RuntimeError {
  readonly code = "conflict";
}

/** Error: there is no execution with the number that should be recorded. */
export class RunMissing extends RuntimeError {
  readonly code = "not_found";
}

/** Error: another case has the name of the new case. */
export class CaseExists extends RuntimeError {
  readonly code = "conflict";

  constructor(path: string) {
    super(`${path} is there already: choose another name with --as, or delete it`);
  }
}

/** Error: the files of a case's input start no run of the agent. */
export class InputUnusable extends RuntimeError {
  readonly code = "conflict";
}
