// The answer of an agent with a schema: whether it fits, and the one turn in which the model may mend it.
import { isDeeperThan, type JsonValue } from "../../../base/json.ts";
import { toPlainLine } from "../../../base/text/plain_text.ts";
import { findJsonFault } from "../../tools/json_fault.ts";
import { ANSWER_CHARACTERS } from "../record/answer.ts";
import type { Outcome } from "../record/ending_store.ts";
import type { AnswerFormat, Run } from "../runs/run.ts";

/** Deeper answers are no data that anybody means, and too deep to be checked. */
const MAX_DEPTH = 200;
const MAX_FAULT_CHARACTERS = 300;

/** The JSON text of an answer: without the code fence that many models put around it. */
export function toJsonText(content: string): string {
  const text = content.trim();
  return /^```[a-z]*[ \t]*\r?\n([^]*?)\r?\n?[ \t]*```$/i.exec(text)?.[1]?.trim() ?? text;
}

/** Why an answer does not fit; empty where it does. */
export async function findFaults(
  content: string,
  format: AnswerFormat,
  { signal }: Pick<Run, "signal">,
): Promise<string[]> {
  const text = toJsonText(content);
  if (text === "") return ["it is empty"];
  // What is kept of a longer one would not be JSON.
  if (text.length > ANSWER_CHARACTERS) return [`it is over ${ANSWER_CHARACTERS} characters long`];
  const fault = findJsonFault(text);
  if (fault !== undefined) {
    return [`it is not JSON (character ${fault.position + 1}: ${fault.reason})`];
  }
  const answer = JSON.parse(text) as JsonValue;
  if (isDeeperThan(answer, MAX_DEPTH)) return [`it is nested over ${MAX_DEPTH} levels deep`];
  const faults = await format.faultsOf(answer, { signal });
  // They hold names that the model made up.
  return faults.map((one) => toPlainLine(one, MAX_FAULT_CHARACTERS));
}

/** How the run ends with an answer that has these faults. */
export function toFitOutcome(content: string, [fault, ...more]: readonly string[]): Outcome {
  if (fault === undefined) return { status: "success", error: null, output: toJsonText(content) };
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const error = `The answer does not fit output.schema: ${fault}${rest}`;
  return { status: "error", error, output: null };
}

/** Asks the model for its answer once more; stored, so that a run that is entered again does not ask twice. */
export async function askForRepair(run: Run, faults: readonly string[]): Promise<void> {
  const { journal, conversation, format } = run;
  const content = "Your answer does not fit the JSON Schema that it has to fit:\n" +
    `${faults.map((one) => `- ${one}`).join("\n")}\n` +
    `The schema:\n${JSON.stringify(format?.schema)}\n` +
    "Answer again with the whole JSON, mended, and nothing else: no words and no code fence.";
  const asked = run.withoutKeys({
    position: conversation.nextPosition,
    message: { role: "user" as const, content, injected: true as const, repair: true as const },
  });
  await journal.askForRepair(asked, run.withoutKeys([...faults]));
  conversation.add(asked);
}
