// Creates a cassette from a recorded run. The order of its steps comes from the log, their contents from the stored
// conversation.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";
import { DryRunNotPlayed } from "../executions/refusals.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import { readPromptFacts } from "../prompt/system_prompt.ts";
import { describeApproval } from "../executions/human_request.ts";
import type { RecordedQuestion, RecordedRun } from "../executions/record/recorded_run.ts";
import { isFinal } from "../executions/states.ts";
import { picturesOf } from "./played_execution.ts";
import { RepliedCalls } from "./replied_calls.ts";
import { RecordedFigures, type UsedByReply } from "./recorded_figures.ts";
import {
  type Cassette,
  CASSETTE_VERSION,
  type CassetteCall,
  type CassettePrompt,
  type CassetteQuestion,
  type CassetteReply,
  type CassetteStep,
} from "./cassette.ts";

/** The number of a remark's first characters by which the remark is found in a result. */
const REMARK_BEGINNING = 60;

/** Creates the cassette of a run. It has no steps if the conversation is not stored. */
export function createCassette(run: RecordedRun): Cassette {
  if (run.execution.isDryRun) throw new DryRunNotPlayed(run.execution.id);
  const { execution, request } = run;
  const { fork: _fork, editorFolder: _folder, brought, ...asked } = request;
  return {
    inkling_cassette: CASSETTE_VERSION,
    agent: { id: execution.agentId, name: execution.displayName, model: execution.model },
    trigger: execution.trigger,
    session_id: execution.sessionId,
    request: { ...asked, ...(brought && { brought: { ...brought, turn: picturesOf(run) } }) },
    started_at: execution.startedAt,
    seed: run.messages.filter(({ seeded }) => seeded)
      .map(({ message }) => ({ ...message }) as unknown as JsonObject),
    ...new Reading(run).read(),
    ...(!isFinal(execution.status) && { outcome: null }),
  };
}

/** Reads a log once, from beginning to end. */
class Reading {
  readonly #run: RecordedRun;
  readonly #steps: CassetteStep[] = [];
  readonly #replies: { position: number; message: AssistantMessage }[];
  /** The last reply, whose results follow in the log. */
  #last: RepliedCalls | undefined;
  readonly #figures = new RecordedFigures();
  /** The last reply, as long as the log has not given its usage. */
  #uncounted: CassetteReply | undefined;
  /**
   * The last usage in the log that belongs to no logged reply: the provider counted a reply that was cut off. Undefined if
   * there is none.
   */
  #cut: UsedByReply | undefined;
  #hasOpening = false;

  constructor(run: RecordedRun) {
    this.#run = run;
    this.#replies = run.messages.flatMap(({ position, message, seeded }) =>
      message.role === "assistant" && !seeded ? [{ position, message }] : []
    );
  }

  read(): Pick<Cassette, "steps" | "outcome"> {
    let outcome: Cassette["outcome"] = null;
    for (const { payload } of this.#run.frames) {
      const frame: unknown = JSON.parse(payload);
      if (!isJsonObject(frame)) continue;
      if (frame["event_type"] === "complete") outcome = this.#toOutcome(frame);
      else this.#take(frame);
    }
    return { steps: this.#steps, outcome };
  }

  #take(frame: JsonObject): void {
    const at = Date.parse(textOf(frame["timestamp"]));
    const content = textOf(frame["content"] ?? frame["message"]);
    switch (frame["event_type"]) {
      case "system":
        return this.#addPrompt(content);
      case "human":
        return this.#addHuman(frame, at);
      case "ai":
      case "tool_call":
        return this.#addReply(at);
      case "tool_result":
        return this.#last?.addResult(this.#steps.length);
      case "stats":
        return this.#addFigures(frame);
      case "meta":
        if (frame["kind"] === "reasoning") return;
        if (frame["kind"] !== "notice") {
          return this.#last?.addInstructions(content, this.#steps.length);
        }
        this.#steps.push({
          type: "notice",
          level: frame["level"] === "warn" ? "warn" : "info",
          text: content,
          ...this.#place(),
          at,
        });
        return;
      case "interrupt":
        return this.#addQuestion(textOf(frame["request_id"]));
    }
  }

  /** Adds a prompt with the facts from the logged prompt, which is redacted. */
  #addPrompt(logged: string): void {
    const facts = readPromptFacts(logged);
    const user = this.#run.messages.findLast(({ message, seeded }) =>
      message.role === "user" && !seeded && !message.injected
    );
    const prompt: CassettePrompt = {
      type: "prompt",
      now: facts?.now ?? this.#run.execution.startedAt,
      time_zone: facts?.timeZone ?? "UTC",
      memory_sections: facts?.memorySections ?? [],
      servers: facts?.servers ?? [],
      file_exists: !(user?.message.content ?? "").includes(" It is no longer there."),
      ...this.#place(),
    };
    this.#steps.push(prompt);
  }

  /**
   * Returns the number of results of the last reply that were logged before the next step. Empty before the first reply.
   */
  #place(): { results?: number } {
    return this.#last === undefined ? {} : { results: this.#last.logged };
  }

  /** Adds a person's answer to its question. The user turn is ignored here, because it is part of the opening. */
  #addHuman(frame: JsonObject, at: number): void {
    const requestId = frame["request_id"];
    if (typeof requestId === "string") {
      const question = this.#steps.findLast((step): step is CassetteQuestion =>
        step.type === "question" && step.request_id === requestId
      );
      if (question !== undefined) question.answered_at = at;
      return;
    }
    const last = this.#steps.at(-1);
    // In logs of older versions, an answer does not name its question.
    if (last?.type === "question" && last.answered_at === undefined) {
      last.answered_at = at;
    } else if (!this.#hasOpening) this.#hasOpening = true;
    else this.#steps.push({ type: "message", content: this.#spoken(), at });
  }

  /** Returns the next message of a person from the conversation, because the message in the log is redacted. */
  #spoken(): string {
    const said = this.#run.messages.filter(({ message, seeded }) =>
      message.role === "user" && !seeded && !(message as UserMessage).injected
    );
    const count = this.#steps.filter(({ type }) => type === "message").length;
    return said[count + 1]?.message.content ?? "";
  }

  #addReply(at: number): void {
    const stored = this.#replies[this.#steps.filter(({ type }) => type === "reply").length];
    if (stored === undefined) return;
    const { position, message } = stored;
    const reply: CassetteReply = {
      type: "reply",
      content: message.content,
      calls: message.toolCalls.map((call, index) =>
        this.#toCall(call, position + 1 + index, {
          instructions: position + 1 + index + message.toolCalls.length,
        })
      ),
      ...(message.providerData !== undefined && { provider_data: message.providerData }),
      ...(message.stop !== undefined && { stop: message.stop }),
      usage: null,
      cost_usd: null,
      at,
    };
    this.#steps.push(reply);
    this.#uncounted = reply;
    this.#last = new RepliedCalls(reply, { position, steps: this.#steps.length });
  }

  #toCall(
    { id, name, arguments: args, written }: AssistantMessage["toolCalls"][number],
    position: number,
    places: { instructions: number },
  ): CassetteCall {
    const found = this.#run.messages.find((one) => one.position === position)?.message;
    const next = this.#replies.find((one) => one.position > position)?.position ?? Infinity;
    const brought = this.#run.messages.find((one) =>
      one.position === places.instructions && one.position < next
    )?.message;
    return {
      id,
      name,
      arguments: args,
      ...(written && { written }),
      ...(found?.role === "tool" && {
        result: {
          content: this.#withoutRemark(found.content, position),
          is_error: found.isError,
          ...(found.media && { media: found.media }),
          ...(brought?.role === "user" && brought.injected && { instructions: brought.content }),
          after: 0,
        },
      }),
    };
  }

  #withoutRemark(content: string, position: number): string {
    const guard = this.#run.questions.find(({ request }) =>
      request.executionId === this.#run.execution.id && request.position === position &&
      request.isGuard
    );
    const remark = guard?.answer == null
      ? undefined
      : describeApproval({ request: guard.request, answer: guard.answer });
    if (remark === undefined) return content;
    const start = content.lastIndexOf(`\n${remark.slice(0, REMARK_BEGINNING)}`);
    return start < 0 ? content : content.slice(0, start);
  }

  #addFigures(frame: JsonObject): void {
    const used = this.#figures.take(frame);
    const reply = this.#uncounted;
    this.#uncounted = undefined;
    if (reply === undefined) this.#cut = used;
    else Object.assign(reply, used);
  }

  #addQuestion(requestId: string): void {
    const found = this.#run.questions.find(({ request }) => request.requestId === requestId);
    // A replay uses no server, so it needs no sign-in.
    if (found === undefined || found.request.toolName === SIGN_IN) return;
    const open = this.#steps.at(-1);
    // Logs of older versions contain a question a second time after a restart.
    if (open?.type === "question" && open.request_id === requestId) return;
    this.#steps.push(toQuestion(found, {
      call: found.request.executionId === this.#run.execution.id
        ? this.#last?.reply.calls[found.request.position - this.#last.position - 1]?.id ?? null
        : null,
    }));
  }

  #toOutcome(frame: JsonObject): Cassette["outcome"] {
    const { execution: { status, error }, output } = this.#run;
    const cut = this.#cut;
    return {
      status,
      error,
      output,
      ...(cut !== undefined && {
        cut: {
          input_tokens: cut.usage?.input_tokens ?? 0,
          output_tokens: cut.usage?.output_tokens ?? 0,
          cost_usd: cut.cost_usd,
        },
      }),
      at: Date.parse(textOf(frame["timestamp"])),
    };
  }
}

function toQuestion(
  { request, answer }: RecordedQuestion,
  { call }: { call: string | null },
): CassetteQuestion {
  return {
    type: "question",
    call,
    is_guard: request.isGuard === true,
    kind: request.kind,
    message: request.message,
    options: request.options,
    multi: request.multi,
    ...(request.answersBefore !== undefined && { answers_before: request.answersBefore }),
    tool_name: request.toolName,
    tool_args: request.toolArgs,
    answer,
    request_id: request.requestId,
    created_at: request.createdAt,
    expires_at: request.expiresAt,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
