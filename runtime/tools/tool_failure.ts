// The expected failure of a tool call.

/** An expected failure of a tool call; its message is written for the model that reads it. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
