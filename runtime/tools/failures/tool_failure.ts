// The error for an expected failure of a tool call.

/** Error: an expected failure of a tool call. The message is written for the model. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
