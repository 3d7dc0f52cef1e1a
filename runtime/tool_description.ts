// What tools offer and give, and models pass on.
import type { JsonSchema } from "../base/json.ts";

/** One tool of a request to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** Describes the arguments object. */
  parameters: JsonSchema;
}

/** A picture or a PDF file that a model sees beside the text of a tool's result. */
export interface Media {
  kind: "image" | "pdf";
  /** `image/png`. */
  mediaType: string;
  /** Base64. */
  data: string;
  /** An estimate. */
  tokens: number;
}
