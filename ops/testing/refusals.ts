// Why no case is written, and why no real model is asked.
import { RuntimeError } from "../../base/errors.ts";

/** Of this execution no case can be made. */
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
