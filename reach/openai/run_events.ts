// Follows a run to the end of its turn: the answer, or the question that the run asks.
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { Exposed } from "../exposed.ts";
import { toQuestionTurn } from "../question_words.ts";
import { followRun, type RunEvent, type RunPlace } from "../run_events.ts";
import { OpenAiError } from "./openai_error.ts";

/** The progress of a turn. */
export type TurnEvent =
  | Exclude<RunEvent, { type: "waiting" | "end" }>
  /** The last event. `answer` is the whole answer, or the question. */
  | { type: "end"; execution: ExecutionDetail; answer: string; isCut: boolean };

/**
 * Yields the progress of a run until it ends or asks a question. Throws OpenAiError for a run that fails, and as followRun()
 * does.
 */
export async function* followTurn(
  place: RunPlace,
  { exposed: { client }, ...options }: { exposed: Exposed; deltas: boolean; signal?: AbortSignal },
): AsyncGenerator<TurnEvent, void, void> {
  let gap = "";
  for await (const event of followRun(client, place, options)) {
    if (event.type === "text") gap = "\n\n";
    if (event.type === "waiting") {
      const answer = toQuestionTurn(event.question);
      if (options.deltas) yield { type: "text", text: gap + answer };
      const execution = await client.execution(place.id);
      return yield { type: "end", execution, answer, isCut: false };
    }
    yield event.type === "end" ? toEnd(event.execution) : event;
  }
}

function toEnd(execution: ExecutionDetail): TurnEvent {
  const { id, status, error, output_data: output } = execution;
  const isCut = status === "aborted" && output !== null;
  if (status === "success" || isCut) return { type: "end", execution, answer: output ?? "", isCut };
  throw new OpenAiError(`Run ${id} ended with ${status}${error === null ? "" : `: ${error}`}`, {
    status: 500,
    type: "server_error",
    code: `run_${status}`,
  });
}
