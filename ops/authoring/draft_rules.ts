// What a model may not write into an agent file that a person has not seen yet: who gets a key, what runs, what needs no
// consent, and what nobody would see.
import { isJsonObject } from "../../base/json.ts";
import { dropControls } from "../../base/text/unseen_characters.ts";

const PERSONAL_FIELDS = ["auto_approve", "custom_tools", "tools", "mcp"];
const PERSONAL_MODEL_FIELDS = ["base_url", "url", "api_key_env"];

/** Says that a text holds something invisible; undefined when it does not. */
export function describeUnseen(text: string): string | undefined {
  return dropControls(text) === text ? undefined : "The file contains invisible control characters";
}

/** A sentence for each field of front matter, as it is written, about which no model decides. */
export function describeForbidden(written: Readonly<Record<string, unknown>>): string[] {
  const { model } = written;
  return [
    ...PERSONAL_FIELDS.filter((field) => written[field] != null),
    ...PERSONAL_MODEL_FIELDS.filter((field) => isJsonObject(model) && model[field] != null)
      .map((field) => `model.${field}`),
  ].map((field) => `Leave ${field} out: a person decides about it`);
}
