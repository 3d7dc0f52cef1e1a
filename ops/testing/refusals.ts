// The errors of refused recordings and trials.
import { RuntimeError } from "../../base/errors.ts";

/** No case can be made from this execution. */
export class NotRecordable extends RuntimeError {
  readonly code = "conflict";
}

/** Another case has that name. */
export class CaseExists extends RuntimeError {
  readonly code = "conflict";

  constructor(path: string) {
    super(`${path} is there already: choose another name with --as, or delete it`);
  }
}
