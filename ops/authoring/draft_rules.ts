// The fields that a model may not write into an unreviewed agent file: keys, programs, approvals, and invisible
// characters.
import { isJsonObject } from "../../base/json.ts";
import { dropControls } from "../../base/text/unseen_characters.ts";

const PERSONAL_FIELDS = ["auto_approve", "custom_tools", "tools", "mcp"];
const PERSONAL_MODEL_FIELDS = ["base_url", "url", "api_key_env"];

/** Returns a sentence about a text's invisible characters; undefined when it has none. */
export function describeUnseen(text: string): string | undefined {
  return dropControls(text) === text ? undefined : "The file contains invisible control characters";
}

/** Returns a sentence for each field of the front matter that a model may not decide. */
export function describeForbidden(written: Readonly<Record<string, unknown>>): string[] {
  const { model } = written;
  return [
    ...PERSONAL_FIELDS.filter((field) => written[field] != null),
    ...PERSONAL_MODEL_FIELDS.filter((field) => isJsonObject(model) && model[field] != null)
      .map((field) => `model.${field}`),
  ].map((field) => `Leave ${field} out: a person decides about it`);
}
