// Checks the arguments of a call of a tool, and creates results.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Returns the checked arguments of a call, or the result of a call whose arguments do not fit. */
export function checkInput<Input extends z.ZodObject>(
  schema: Input,
  given: unknown,
): { value: z.output<Input> } | (CallToolResult & { isError: true }) {
  const { success, data, error } = schema.safeParse(given);
  return success ? { value: data } : failed(z.prettifyError(error));
}

/** Returns the result of a call that failed, with a text for the model. */
export function failed(text: string): CallToolResult & { isError: true } {
  return { content: [{ type: "text", text }], isError: true };
}

/** Returns the result of a call that succeeded. */
export function succeeded(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
