// Checks the answer of an agent with an output schema, and gives the model one turn to repair it.
import { isDeeperThan, type JsonValue } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { findJsonFault } from "../../tools/definition/json_fault.ts";
import { ANSWER_CHARACTERS } from "../record/ending.ts";
import type { Outcome } from "../record/ending_store.ts";
import type { Run } from "./run.ts";
import type { AnswerFormat } from "./run_ports.ts";

/** The maximum nesting of an answer that is checked. */
const MAX_DEPTH = 200;
const MAX_FAULT_CHARACTERS = 300;

/** Returns the JSON text of an answer or a call, without the code fence that many models add. */
export function toJsonText(content: string): string {
  const text = content.trim();
  return /^```[\w-]*[ \t]*\r?\n([^]*?)\r?\n?[ \t]*```$/.exec(text)?.[1]?.trim() ?? text;
}

/** Returns the faults of an answer, one sentence each. Empty if the answer fits the schema. */
export async function findFaults(
  content: string,
  format: AnswerFormat,
  { signal }: Pick<Run, "signal">,
): Promise<string[]> {
  const text = toJsonText(content);
  if (text === "") return ["it is empty"];
  // A longer answer would be cut when it is stored, and would no longer be JSON.
  if (text.length > ANSWER_CHARACTERS) return [`it is over ${ANSWER_CHARACTERS} characters long`];
  const fault = findJsonFault(text);
  if (fault !== undefined) {
    return [`it is not JSON (character ${fault.position + 1}: ${fault.reason})`];
  }
  const answer = JSON.parse(text) as JsonValue;
  if (isDeeperThan(answer, MAX_DEPTH)) return [`it is nested over ${MAX_DEPTH} levels deep`];
  const faults = await format.findFaults(answer, { signal });
  // The faults contain names that the model chose. Control characters and line breaks are removed from them, and long ones
  // are cut.
  return faults.map((one) => toPlainLine(one, MAX_FAULT_CHARACTERS));
}

/** Returns the outcome of a run whose answer has these faults. */
export function toFitOutcome(content: string, [fault, ...more]: readonly string[]): Outcome {
  if (fault === undefined) return { status: "success", error: null, output: toJsonText(content) };
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const error = `The answer does not fit output.schema: ${fault}${rest}`;
  return { status: "error", error, output: null };
}

/** Stores the request to repair the answer, so that a resumed run does not send it twice. */
export async function askForRepair(run: Run, faults: readonly string[]): Promise<void> {
  const { journal, conversation, format, keyRedactor } = run;
  const content = "Your answer does not fit the JSON Schema that it has to fit:\n" +
    `${faults.map((one) => `- ${one}`).join("\n")}\n` +
    `The schema:\n${JSON.stringify(format?.schema)}\n` +
    "Answer again with the whole JSON, mended, and nothing else: no words and no code fence.";
  const asked = keyRedactor.redactValue({
    position: conversation.nextPosition,
    message: { role: "user" as const, content, injected: true as const, repair: true as const },
  });
  await journal.askForRepair(asked, keyRedactor.redactValue([...faults]));
  conversation.add(asked);
}
