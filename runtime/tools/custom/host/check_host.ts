// Implements the role `check`: checks the arguments of a call, or an answer, against a schema. The check may never end, so
// the service kills this process after a time limit.
import type { CheckedAnswer, CheckedArguments } from "../host_messages.ts";
import { findAllFaults } from "../../json_schema/answer_check.ts";
import { checkFully } from "../../json_schema/arguments_check.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import type { HostOptions } from "./host_options.ts";

/**
 * The maximum length of one fault in UTF-16 code units. All faults together must fit into the output that the service
 * reads.
 */
const MAX_FAULT = 1_000;

/**
 * Checks the value on standard input. Prints a blank line to report the start. Then prints the faults: a text for
 * arguments, a JSON array of texts for an answer, nothing for a valid value. Returns the exit code.
 */
export async function hostCheck({ input, output }: HostOptions): Promise<number> {
  const checked = JSON.parse(await new Response(input).text()) as CheckedArguments | CheckedAnswer;
  const writer = output.getWriter();
  await writer.write(new TextEncoder().encode("\n"));
  const misfit = "args" in checked
    ? await describeArguments(checked)
    : await describeAnswer(checked);
  if (misfit !== "") await writer.write(new TextEncoder().encode(misfit));
  return 0;
}

async function describeArguments({ args, ...of }: CheckedArguments): Promise<string> {
  try {
    await checkFully(args, of);
    return "";
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return error.message;
  }
}

async function describeAnswer({ answer, schema }: CheckedAnswer): Promise<string> {
  const faults = await findAllFaults(answer, schema);
  return faults.length === 0 ? "" : JSON.stringify(faults.map((one) => one.slice(0, MAX_FAULT)));
}
