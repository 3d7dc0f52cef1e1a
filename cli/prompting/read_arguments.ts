// Parses the arguments of a tool call that the user has edited.
import { isJsonObject } from "../../base/json.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { misuse } from "../context/exit.ts";

/** Parses a JSON object and returns it. Throws CommandFailure with the problem for any other text. */
export function readArguments(text: string): PendingBody["tool_args"] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw misuse(`The arguments are not valid JSON: ${reason}`);
  }
  if (isJsonObject(value)) return value;
  throw misuse("The arguments must be one JSON object: { … }");
}
