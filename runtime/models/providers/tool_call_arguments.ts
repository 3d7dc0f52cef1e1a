// Converts the arguments of tool calls from text to the object that some providers require.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";

/**
 * Returns the arguments of a past call as an object, for providers that refuse other forms. Invalid arguments are put into
 * a field `unreadable_arguments`, so that the model sees them.
 */
export function toArgumentsObject(text: string): JsonObject {
  if (text.trim() === "") return {};
  if (!isWholeJson(text)) return { unreadable_arguments: text };
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : { unreadable_arguments: text };
}
