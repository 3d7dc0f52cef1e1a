// A tool as a model is told of it: what tools offer and models pass on.
import type { JsonSchema } from "../base/json.ts";

/** One tool of a request to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** Describes the arguments object. */
  parameters: JsonSchema;
}
