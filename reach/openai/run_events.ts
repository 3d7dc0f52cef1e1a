// Follows a run and yields its progress in the terms of a chat: text, reasoning, tool calls, and the end.
import { orMissing, type StreamFrame } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { callsOf, textOf, type ToolCall } from "../../present/payload.ts";
import type { Exposed } from "../exposed.ts";
import { OpenAiError } from "./openai_error.ts";
import { toQuestionTurn } from "../question_words.ts";
import type { StartedRun } from "./started_run.ts";

/** The progress of a run. */
export type RunEvent =
  /** A piece of a reply's text. */
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "call"; call: ToolCall }
  | { type: "result"; id: string; name: string; content: string; isError: boolean }
  /** The last event: the run has ended, or it asks. `answer` is the whole answer, or the question. */
  | { type: "end"; execution: ExecutionDetail; answer: string; isCut: boolean };

/**
 * Yields the progress of a run until it ends or asks a question. With `deltas`, text is yielded while it is generated. Throws
 * OpenAiError for a run that fails and for a service that stops, and the reason of an aborted signal.
 */
export async function* followRun(
  { id, after }: StartedRun,
  { exposed, ...options }: { exposed: Exposed; deltas: boolean; signal?: AbortSignal },
): AsyncGenerator<RunEvent, void, void> {
  const { deltas } = options;
  const reply = new ReplyText();
  for await (const frame of exposed.client.follow(id, { after, ...options })) {
    const { event, payload } = frame;
    if (event === "delta") {
      const text = reply.add(textOf(payload, "content"), payload["restart"] === true);
      if (text !== "") yield { type: "text", text };
    } else if (event === "ai" || event === "tool_call") {
      const rest = reply.finish(textOf(payload, "content"));
      if (deltas && rest !== "") yield { type: "text", text: rest };
      for (const call of callsOf(payload)) yield { type: "call", call };
    } else if (event === "tool_result") {
      yield {
        type: "result",
        id: textOf(payload, "tool_call_id"),
        name: textOf(payload, "tool_name"),
        content: textOf(payload, "content"),
        isError: payload["is_error"] === true,
      };
    } else if (isReasoning(frame)) yield { type: "reasoning", text: textOf(payload, "content") };
    else if (event === "waiting") {
      const pending = await orMissing(exposed.pending(id));
      // The question was answered meanwhile, so the run goes on.
      if (pending === undefined) {
        const last = (await exposed.client.messages(id)).at(-1)?.id ?? 0;
        return yield* followRun({ id, after: last }, { exposed, ...options });
      }
      const question = toQuestionTurn(pending);
      if (deltas) yield { type: "text", text: reply.separate(question) };
      const execution = await exposed.client.execution(id);
      return yield { type: "end", execution, answer: question, isCut: false };
    } else if (event === "complete") {
      return yield await toEnd(id, exposed);
    } else if (event === "shutdown") {
      throw new OpenAiError(`The service stops; run ${id} goes on after its start`, {
        status: 503,
        type: "server_error",
      });
    }
  }
}

/** Joins the texts of a stream's replies, of which parts were yielded before the whole reply is known. */
class ReplyText {
  /** The yielded text of the current reply. */
  #sent = "";
  #hasText = false;

  add(text: string, restarts: boolean): string {
    if (!restarts) return this.#send(this.#sent + text);
    return this.#send(text);
  }

  /** Returns the part of the reply that was not yielded, and begins the next reply. */
  finish(whole: string): string {
    const rest = whole === "" ? "" : this.#send(whole);
    this.#sent = "";
    return rest;
  }

  /** Returns a text that is no part of a reply. */
  separate(text: string): string {
    this.#sent = "";
    return this.#send(text);
  }

  /** Returns the text to yield, after which the yielded text of the reply is `whole`. */
  #send(whole: string): string {
    const begins = whole.startsWith(this.#sent);
    const rest = begins ? whole.slice(this.#sent.length) : whole;
    const isFirst = this.#sent === "" || !begins;
    const gap = isFirst && this.#hasText && rest !== "" ? "\n\n" : "";
    this.#sent = whole;
    this.#hasText ||= rest !== "";
    return gap + rest;
  }
}

function isReasoning({ payload }: StreamFrame): boolean {
  return payload["kind"] === "reasoning" || payload["kind"] === "notice";
}

async function toEnd(id: number, { client }: Exposed): Promise<RunEvent> {
  const execution = await client.execution(id);
  const { status, error, output_data: output } = execution;
  const isCut = status === "aborted" && output !== null;
  if (status === "success" || isCut) return { type: "end", execution, answer: output ?? "", isCut };
  throw new OpenAiError(`Run ${id} ended with ${status}${error === null ? "" : `: ${error}`}`, {
    status: 500,
    type: "server_error",
    code: `run_${status}`,
  });
}
