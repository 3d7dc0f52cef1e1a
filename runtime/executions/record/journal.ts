// Writes the changes of one execution: builds the frames and stores them with the change.
import {
  createFrame,
  type FrameContent,
  type FrameDraft,
  type FrameIdentity,
} from "../../events/frame.ts";
import { toStorable } from "../../../base/text/storable_text.ts";
import type { ModelReply } from "../../models/model.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import { boundAnswer } from "./answer.ts";
import type { PackedTerms, RecordedTerms } from "./call_terms.ts";
import {
  type PlacedMessage,
  planCalls,
  type PlannedCall,
  type ResultContent,
  toInstructions,
  toToolMessage,
} from "./conversation.ts";
import type { RecordedResult } from "./conversation_store.ts";
import type { Ending, Outcome, Rest } from "./ending_store.ts";
import type { Execution, RunRetry } from "../execution.ts";
import { type ExecutionStatus, stateBefore } from "../states.ts";
import {
  checkTransition,
  identityOf,
  toAnswerFrame,
  toCompleteFrame,
  toFinalAnswerFrame,
  toInstructionsFrame,
  toInterruptFrame,
  toNoticeFrame,
  toOpeningFrame,
  toRepairFrame,
  toReplyFrame,
  toResultFrame,
  toRetryFrame,
  toStatsFrame,
} from "./frame_contents.ts";
import type { GivenResponse, HumanAnswer, HumanRequest } from "../human_request.ts";
import type { JournalPorts } from "./journal_ports.ts";
import type { Resumption } from "./resumption.ts";
import { RunningTime } from "./running_time.ts";

/** The warning in the stats frame if the provider did not count the last reply. */
const CUT_REPLY =
  "The last reply was cut off: what its provider had not counted by then is estimated";

/** The writer of one execution. Only one process has one at a time. */
export class Journal {
  readonly #ports: JournalPorts;
  readonly #execution: Execution;
  readonly #identity: FrameIdentity;
  /** The digest of the terms that this journal stored last. */
  #storedTerms: string | undefined;
  /** The running time that is not stored yet. */
  readonly running: RunningTime;

  /** `ranMs` is the unstored running time of a process that died. */
  constructor(execution: Execution, ports: JournalPorts, { ranMs = 0 } = {}) {
    this.#ports = ports;
    this.#execution = execution;
    this.#identity = identityOf(execution);
    this.running = new RunningTime(ports.clock, { ranMs });
  }

  /** Stores the opening. Seeded messages get no frames. */
  async begin(
    opening: (PlacedMessage & { seeded: boolean })[],
    terms?: PackedTerms,
  ): Promise<void> {
    const frames = opening.filter(({ seeded }) => !seeded)
      .map(({ message }) => this.#frame(toOpeningFrame(message)));
    await this.#ports.conversations.beginConversation(this.#identity.executionId, {
      messages: opening,
      frames,
      ...(terms !== undefined && { terms: this.#record(terms) }),
    });
    this.#storedTerms = terms?.terms.digest;
  }

  /** Stores and logs a system message that replaces the first one. */
  async replaceSystem(message: PlacedMessage): Promise<void> {
    const frame = this.#frame(toOpeningFrame(message.message));
    await this.#ports.conversations.replaceSystem(this.#identity.executionId, { message, frame });
  }

  /** Stores a model reply. Returns the execution with its new figures. */
  async reply(
    reply: ModelReply,
    options: { position: number; costUsd: number | null; warning?: string; terms?: PackedTerms },
  ): Promise<Execution> {
    const { usage } = reply;
    const { terms } = options;
    const message = { ...reply.message, stop: reply.stop };
    const figures = await this.#ports.conversations.recordReply(this.#identity.executionId, {
      message: { position: options.position, message },
      ...(terms !== undefined && { terms: this.#record(terms) }),
      calls: planCalls(message, options.position),
      usage,
      costUsd: options.costUsd,
      durationMs: this.running.take(),
      frames: (
        figures,
      ) => [this.#frame(toReplyFrame(reply)), this.#frame(toStatsFrame(figures, options.warning))],
    });
    this.#storedTerms = terms?.terms.digest;
    return figures;
  }

  /** Stores and logs the message that asks the model to repair its answer. */
  async askForRepair(message: PlacedMessage, faults: readonly string[]): Promise<void> {
    const frame = this.#frame(toRepairFrame(message.message.content, faults));
    await this.#ports.conversations.addMessage(this.#identity.executionId, { message, frame });
  }

  /** Logs a notice for the people who watch the run. */
  async notice(level: "info" | "warn", text: string): Promise<void> {
    const frame = this.#frame(toNoticeFrame(level, text));
    await this.#ports.conversations.addFrame(this.#identity.executionId, frame);
  }

  /** Stores the intent of a call before it starts. */
  async startCall(call: PlannedCall, effect: Effect): Promise<void> {
    await this.#ports.conversations.startCall(this.#identity.executionId, {
      position: call.position,
      effect,
      startedAt: this.#ports.clock.now(),
    });
  }

  /** Stores the result of a call. Returns the messages that the model will read. */
  async finishCall(
    call: PlannedCall,
    result: Pick<RecordedResult, "durationMs" | "effect" | "described"> & ResultContent & {
      /** Instructions that the result adds, and their position in the conversation. */
      instructions?: { position: number; text: string };
    },
  ): Promise<PlacedMessage[]> {
    const message = { position: call.position, message: toToolMessage(call, result) };
    const instructions = result.instructions && toInstructions(result.instructions);
    await this.#ports.conversations.finishCall(this.#identity.executionId, {
      message,
      effect: result.effect,
      durationMs: result.durationMs,
      ...(result.described && { described: result.described }),
      frame: (stored) => this.#frame(toResultFrame(stored)),
      ...(instructions && {
        instructions: {
          message: instructions,
          frame: this.#frame(toInstructionsFrame(instructions.message.content)),
        },
      }),
    });
    return instructions === undefined ? [message] : [message, instructions];
  }

  /** Removes the intent of a call that ended without an effect and will start again. */
  async resetCall({ position }: PlannedCall): Promise<void> {
    await this.#ports.conversations.resetCall(this.#identity.executionId, position);
  }

  /** Stores a question. The execution then waits for a person's answer. */
  async ask(
    question: Omit<HumanRequest, "executionId">,
  ): Promise<{ execution: Execution; request: HumanRequest }> {
    const request = { ...question, executionId: this.#identity.executionId };
    const execution = await this.#ports.requests.openRequest(this.#identity.executionId, {
      request,
      durationMs: this.running.take(),
      frames: this.#frames("waiting", toInterruptFrame(request)),
    });
    return { execution, request };
  }

  /** Lets the execution wait because its child waits. Returns undefined if the child does not wait. */
  async waitForChild(
    childId: number,
  ): Promise<{ execution: Execution; request: HumanRequest } | undefined> {
    const waiting = await this.#ports.families.waitForChild(this.#identity.executionId, {
      childId,
      durationMs: this.running.take(),
      frames: (request) => this.#frames("waiting", toInterruptFrame(request)),
    });
    // The execution continues to run.
    if (waiting === undefined) this.running.undoTake();
    return waiting;
  }

  /**
   * Stores a person's answer to a question. The execution and the ancestors that waited only for it run again. Returns
   * undefined if the question is not open.
   */
  async answer(
    request: Pick<HumanRequest, "requestId" | "raise"> & Pick<GivenResponse, "via">,
    answer: HumanAnswer,
  ): Promise<Resumption | undefined> {
    const { requests, clock, redactor } = this.#ports;
    const isApproved = "approved" in answer && answer.approved;
    const at = clock.now();
    const resumption = await requests.answerRequest(this.#identity.executionId, {
      requestId: request.requestId,
      answer,
      answeredAt: at,
      ...(request.raise && isApproved && { raise: request.raise }),
      frames: (execution) =>
        checkTransition("running", [toAnswerFrame(request, answer)])
          .map((content) => createFrame(identityOf(execution), content, { redactor, at })),
    });
    return resumption;
  }

  /** Stores and logs a planned retry, or the start of one. */
  async retry(next: RunRetry): Promise<void> {
    const planned = { ...next, reason: this.#shown(next.reason) };
    await this.#rest({ planned, frame: this.#frame(toRetryFrame(planned)) });
  }

  /** Stores the running time of an execution that the next start of the service continues. */
  async storeRunningTime(): Promise<void> {
    await this.#rest();
  }

  async #rest(retry?: Rest["retry"]): Promise<void> {
    const rest = { durationMs: this.running.take(), ...(retry && { retry }) };
    await this.#ports.endings.restExecution(this.#identity.executionId, rest);
  }

  /** Ends the execution: answer, `complete` frame and status in one transaction. Returns undefined if it had already ended. */
  async finish(
    outcome: Outcome,
    stopped: () => string | null = () => null,
  ): Promise<Resumption | undefined> {
    const { clock, endings } = this.#ports;
    const from = stateBefore(outcome.status, outcome.by ?? "run");
    // Waiting for a person is not running time.
    const durationMs = from === "waiting" ? 0 : this.running.take();
    const shared = { from, finishedAt: clock.now(), durationMs };
    const ended = await endings.finishExecution(this.#identity.executionId, {
      ...shared,
      ...this.#toEnding(outcome),
      ...(outcome.by === "nobody" && { isUnclaimed: true }),
      insteadOf: (wanted) => {
        const error = stopped() ?? wanted;
        if (error === null) return undefined;
        return { ...shared, ...this.#toEnding({ ...outcome, status: "aborted", error }) };
      },
    });
    return ended;
  }

  #toEnding(outcome: Outcome): Omit<Ending, "from" | "finishedAt" | "durationMs"> {
    const { redactor } = this.#ports;
    // Redacted again after the cut, so that the frame equals the stored answer.
    const output = outcome.output === null
      ? null
      : this.#shown(boundAnswer(this.#shown(outcome.output), redactor));
    return {
      status: outcome.status,
      error: outcome.error === null ? null : this.#shown(outcome.error),
      output,
      ...(outcome.cut && { cut: outcome.cut }),
      ...(outcome.refusedCalls && { refusedCalls: outcome.refusedCalls }),
      ...this.#ports.consequencesOf?.(this.#execution, outcome),
      frames: (figures) =>
        this.#frames(
          outcome.status,
          ...(outcome.cut === undefined ? [] : [toStatsFrame(figures, CUT_REPLY)]),
          ...(output === null ? [] : [toFinalAnswerFrame(output)]),
          toCompleteFrame(figures, outcome.cut !== undefined),
        ),
    };
  }

  #record(packed: PackedTerms): RecordedTerms {
    return { packed, isNew: packed.terms.digest !== this.#storedTerms };
  }

  #shown(text: string): string {
    return toStorable(this.#ports.redactor.redact(text));
  }

  #frame(content: FrameContent): FrameDraft {
    const { redactor, clock } = this.#ports;
    return createFrame(this.#identity, content, { redactor, at: clock.now() });
  }

  #frames(next: ExecutionStatus, ...contents: FrameContent[]): FrameDraft[] {
    return checkTransition(next, contents).map((content) => this.#frame(content));
  }
}
