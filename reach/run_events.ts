// Follows a run for a client of another protocol: text, reasoning, tool calls, questions, and the end.
import {
  type Client,
  orMissing,
  ServiceUnreachable,
  type StreamFrame,
} from "../api/client/client.ts";
import type { ExecutionDetail } from "../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../api/schemas/request_schemas.ts";
import type { Clock } from "../base/clock.ts";
import { SECOND_MS } from "../base/time_units.ts";
import { callsOf, textOf, type ToolCall } from "../present/payload.ts";

/** The time in which a restarted service must answer again, so that a client goes on. */
const RESTART_SECONDS = 30;

/** The progress of a run. */
export type RunEvent =
  /** A whole reply's text, or with `deltas` a piece of it. A later reply begins with an empty line. */
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A notice about the run that is no part of a chat, such as a retry. */
  | { type: "note"; text: string }
  | { type: "call"; call: ToolCall }
  | { type: "result"; id: string; name: string; content: string; isError: boolean }
  /** The run asks. If the consumer goes on, the events after the answer follow. `after` is the last frame. */
  | { type: "waiting"; question: PendingBody; after: number }
  /** The last event. */
  | { type: "end"; execution: ExecutionDetail };

/** A run, and the last frame before the wanted events. */
export interface RunPlace {
  id: number;
  after: number;
}

/**
 * Yields the events of a run until it ends. With `deltas`, text is yielded while it is generated. With `restarts`, waits for
 * a stopped service. Throws ServiceUnreachable if the service stops for longer, and the reason of an aborted signal.
 */
export async function* followRun(
  client: Client,
  { id, after }: RunPlace,
  { deltas = false, restarts, signal }: {
    deltas?: boolean;
    restarts?: Clock | undefined;
    signal?: AbortSignal;
  } = {},
): AsyncGenerator<RunEvent, void, void> {
  const reply = new ReplyText();
  for (let seconds = 0;;) {
    let isAsked = false;
    try {
      const followed = client.follow(id, { after, deltas, ...(signal && { signal }) });
      for await (const frame of followed) {
        seconds = 0;
        after = frame.id ?? after;
        yield* toEvents(frame, reply);
        if (frame.event !== "waiting") continue;
        isAsked = true;
        const question = await orMissing(client.pending(id));
        // Without a question, it was answered meanwhile.
        if (question !== undefined) yield { type: "waiting", question, after };
      }
      if (isAsked) continue;
      const execution = await client.execution(id);
      if (execution.finished_at !== null) return yield { type: "end", execution };
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
    }
    if (restarts === undefined || ++seconds > RESTART_SECONDS) {
      throw new ServiceUnreachable(
        `The service stopped during execution ${id}, which goes on when the service starts again`,
      );
    }
    await restarts.sleep(SECOND_MS, signal);
  }
}

function* toEvents(
  { event, payload }: StreamFrame,
  reply: ReplyText,
): Generator<RunEvent, void, void> {
  const content = textOf(payload, "content");
  switch (event) {
    case "delta": {
      const text = reply.add(content, payload["restart"] === true);
      if (text !== "") yield { type: "text", text };
      return;
    }
    case "ai":
    case "tool_call": {
      const text = reply.finish(content);
      if (text !== "") yield { type: "text", text };
      for (const call of callsOf(payload)) yield { type: "call", call };
      return;
    }
    case "tool_result":
      return yield {
        type: "result",
        id: textOf(payload, "tool_call_id"),
        name: textOf(payload, "tool_name"),
        content,
        isError: payload["is_error"] === true,
      };
    case "meta": {
      const isShown = payload["kind"] === "reasoning" || payload["kind"] === "notice";
      const text = content || textOf(payload, "message");
      if (text !== "") yield { type: isShown ? "reasoning" : "note", text };
    }
  }
}

/** Joins the texts of a run's replies, of which parts were yielded before the whole reply is known. */
class ReplyText {
  /** The yielded text of the current reply. */
  #sent = "";
  #hasText = false;

  add(text: string, restarts: boolean): string {
    return this.#send(restarts ? text : this.#sent + text);
  }

  /** Returns the part of the reply that was not yielded, and begins the next reply. */
  finish(whole: string): string {
    const rest = whole === "" ? "" : this.#send(whole);
    this.#sent = "";
    return rest;
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
