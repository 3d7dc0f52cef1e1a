// The error for an id that no agent has.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";

/** No agent has this id. A display name is not an id. */
export class AgentNotFound extends RuntimeError {
  override readonly code: RuntimeErrorCode = "not_found";
  constructor(id: string) {
    super(`Agent '${id}' not found`);
  }
}
