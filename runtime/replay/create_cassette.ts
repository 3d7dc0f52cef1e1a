// Creates a cassette from a recorded run. The order of its steps comes from the log, their contents from the stored
// conversation.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";
import { DryRunNotPlayed } from "../executions/refusals.ts";
import type { AssistantMessage, UserMessage } from "../models/message.ts";
import { readPromptFacts } from "../prompt/system_prompt.ts";
import { describeApproval } from "../executions/human_request.ts";
import type { RecordedQuestion, RecordedRun } from "../executions/record/recorded_run.ts";
import { type FinalStatus, isFinal } from "../executions/states.ts";
import { RepliedCalls } from "./replied_calls.ts";
import { RecordedFigures, type UsedByReply } from "./recorded_figures.ts";
import type {
  Cassette,
  CassetteQuestion,
  CassetteReply,
  CassetteResult,
  CassetteStep,
  RecordedOutcome,
  StepPlace,
} from "./cassette.ts";

/** The number of a remark's first characters by which the remark is found in a result. */
const REMARK_BEGINNING = 60;

/** Creates the cassette of a run. It has no steps if the conversation is not stored. */
export function createCassette(run: RecordedRun): Cassette {
  if (run.execution.isDryRun) throw new DryRunNotPlayed(run.execution.id);
  const { steps, outcome } = new Reading(run).read();
  return { steps, outcome: isFinal(run.execution.status) ? outcome : null };
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

  read(): Cassette {
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
    this.#steps.push({
      type: "prompt",
      now: this.#run.execution.startedAt,
      timeZone: "UTC",
      memorySections: [],
      servers: [],
      ...facts,
      fileExists: !(user?.message.content ?? "").includes(" It is no longer there."),
      ...this.#place(),
    });
  }

  /**
   * Returns the number of results of the last reply that were logged before the next step. Empty before the first reply.
   */
  #place(): StepPlace {
    return this.#last === undefined ? {} : { resultsBefore: this.#last.logged };
  }

  /** Adds a person's answer to its question. The user turn is ignored here, because it is part of the opening. */
  #addHuman(frame: JsonObject, at: number): void {
    const requestId = frame["request_id"];
    if (typeof requestId === "string") {
      const question = this.#steps.findLast((step): step is CassetteQuestion =>
        step.type === "question" && step.request.requestId === requestId
      );
      if (question !== undefined) question.answeredAt = at;
      return;
    }
    const last = this.#steps.at(-1);
    // In logs of older versions, an answer does not name its question.
    if (last?.type === "question" && last.answeredAt === undefined) {
      last.answeredAt = at;
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
      message,
      results: message.toolCalls.map((_, index) =>
        this.#toResult(position + 1 + index, position + 1 + index + message.toolCalls.length)
      ),
      usage: null,
      costUsd: null,
      at,
    };
    this.#steps.push(reply);
    this.#uncounted = reply;
    this.#last = new RepliedCalls(reply, { position, steps: this.#steps.length });
  }

  #toResult(position: number, instructionsPosition: number): CassetteResult | undefined {
    const found = this.#run.messages.find((one) => one.position === position)?.message;
    const next = this.#replies.find((one) => one.position > position)?.position ?? Infinity;
    const brought = this.#run.messages.find((one) =>
      one.position === instructionsPosition && one.position < next
    )?.message;
    if (found?.role !== "tool") return undefined;
    return {
      content: this.#withoutRemark(found.content, position),
      isError: found.isError,
      ...(found.media && { media: found.media }),
      ...(brought?.role === "user" && brought.injected && { instructions: brought.content }),
      after: 0,
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
    if (open?.type === "question" && open.request.requestId === requestId) return;
    this.#steps.push(toQuestion(
      found,
      found.request.executionId === this.#run.execution.id
        ? this.#last?.reply.message.toolCalls[found.request.position - this.#last.position - 1]
          ?.id ?? null
        : null,
    ));
  }

  #toOutcome(frame: JsonObject): RecordedOutcome {
    const { execution: { status, error }, output } = this.#run;
    const cut = this.#cut;
    return {
      // Only the log of an ended run has this frame.
      status: status as FinalStatus,
      error,
      output,
      ...(cut !== undefined && {
        cut: {
          inputTokens: cut.usage?.inputTokens ?? 0,
          outputTokens: cut.usage?.outputTokens ?? 0,
          costUsd: cut.costUsd,
        },
      }),
      at: Date.parse(textOf(frame["timestamp"])),
    };
  }
}

/** Converts a question to a step. A play raises no budget, and repeats only the last approval of a question. */
function toQuestion({ request, answer }: RecordedQuestion, call: string | null): CassetteQuestion {
  const { raise: _raise, rule: _rule, approvedBy: _approvers, originalArgs: _args, ...asked } =
    request;
  return { type: "question", call, request: asked, answer };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
