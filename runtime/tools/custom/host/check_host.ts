// Checks the arguments of one call, or an answer, against a schema. The check may be endless, so the caller of this process
// ends it.
import type { CheckedAnswer, CheckedArguments } from "../host_messages.ts";
import { findAllFaults } from "../../json_schema/answer_check.ts";
import { checkFully } from "../../json_schema/arguments_check.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import type { HostOptions } from "./host_options.ts";

/** In characters. All faults must fit into the output that the service reads. */
const MAX_FAULT = 1_000;

/**
 * Checks the value on standard input. Prints the faults, or nothing for a valid value: a text for arguments, a JSON array
 * of texts for an answer. A blank line before that reports the start. Returns the exit code.
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
