// Checks the arguments of one call, or an answer, against a schema that may make that take for ever: whoever started it ends it.
import type { CheckedAnswer, CheckedArguments } from "../host_messages.ts";
import { wholeFaultsOf } from "../../json_schema/answer_check.ts";
import { checkWhole } from "../../json_schema/arguments_check.ts";
import { ToolFailure } from "../../tool_failure.ts";
import type { HostOptions } from "./host_options.ts";

/** Characters: all of them have to fit into what is read of the process. */
const MAX_FAULT = 1_000;

/**
 * Checks what standard input holds; prints what does not fit, which is nothing where all fits: of arguments a text, of an
 * answer a JSON array of texts. A blank line before that reports the start. Returns the exit code.
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
    await checkWhole(args, of);
    return "";
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return error.message;
  }
}

async function describeAnswer({ answer, schema }: CheckedAnswer): Promise<string> {
  const faults = await wholeFaultsOf(answer, schema);
  return faults.length === 0 ? "" : JSON.stringify(faults.map((one) => one.slice(0, MAX_FAULT)));
}
