// Arguments of tool calls between their two forms: the text a model wrote, and the object that some providers want back.
import { isJsonObject, isWholeJson, type JsonObject } from "../../../base/json.ts";

/**
 * The arguments of a past call as an object, for providers that refuse a conversation with anything else. What the
 * model wrote wrongly stays visible to it under `unreadable_arguments`.
 */
export function toArgumentsObject(text: string): JsonObject {
  if (text.trim() === "") return {};
  if (!isWholeJson(text)) return { unreadable_arguments: text };
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : { unreadable_arguments: text };
}
