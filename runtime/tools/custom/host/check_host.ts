// Checks the arguments of one call against a schema that may make that take for ever: whoever started it ends it.
import type { CheckedArguments } from "../host_messages.ts";
import { checkWhole } from "../../json_schema/arguments_check.ts";
import { ToolFailure } from "../../tool_failure.ts";
import type { HostOptions } from "./host_options.ts";

/** Checks what standard input holds; prints what does not fit, which is nothing where all fits. Returns the exit code. */
export async function hostCheck({ input, output }: HostOptions): Promise<number> {
  const { args, ...of } = JSON.parse(await new Response(input).text()) as CheckedArguments;
  try {
    await checkWhole(args, of);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    await output.getWriter().write(new TextEncoder().encode(error.message));
  }
  return 0;
}
