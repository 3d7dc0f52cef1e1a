// Writes the changes of one execution: creates the frames of each change and stores them with the change.
import {
  createFrame,
  type FrameContent,
  type FrameDraft,
  type FrameIdentity,
} from "../../events/frame.ts";
import type { ModelReply } from "../../models/model.ts";
import type { Effect } from "../../tools/definition/tool.ts";
import { toEnding, toShown } from "./ending.ts";
import type { PackedTerms, RecordedTerms } from "./call_terms.ts";
import {
  type PlacedMessage,
  planCalls,
  type PlannedCall,
  type RecordedMessage,
  type ResultContent,
  toInstructions,
  toToolMessage,
} from "./conversation.ts";
import type { CallIntent, RecordedReply, RecordedResult } from "./conversation_store.ts";
import type { Ending, Outcome, Pause, Resumption } from "./ending_store.ts";
import type { FamilyStore } from "./family_store.ts";
import type { Execution, RunRest, RunRetry } from "../execution.ts";
import { type ExecutionStatus, stateBefore } from "../states.ts";
import {
  checkTransition,
  identityOf,
  toInstructionsFrame,
  toInterruptFrame,
  toNoticeFrame,
  toOpeningFrame,
  toPauseFrames,
  toRepairFrame,
  toReplyFrames,
  toResultFrame,
} from "./frame_contents.ts";
import type { HumanRequest } from "../human_request.ts";
import type { JournalPorts } from "./journal_ports.ts";
import { RedactedReply } from "./redacted_reply.ts";
import { RunningTime } from "./running_time.ts";

/** The writer of one execution. Only one process at a time may have a journal of an execution. */
export class Journal {
  readonly #ports: JournalPorts;
  readonly #execution: Execution;
  readonly #identity: FrameIdentity;
  /** The intents of calls that have started and are not stored, by position. */
  readonly #intents = new Map<number, CallIntent>();
  /** The last reply of the run, which is stored with the end. */
  #lastReply: RecordedReply | undefined;
  /** The digest of the settings and tools that this journal stored last. */
  #storedTerms: string | undefined;
  /** The running time that is not stored yet. */
  readonly running: RunningTime;

  /** `ranMs` is the running time in milliseconds that an earlier process did not store before it died. */
  constructor(execution: Execution, ports: JournalPorts, { ranMs = 0 } = {}) {
    this.#ports = ports;
    this.#execution = execution;
    this.#identity = identityOf(execution);
    this.running = new RunningTime(ports.clock, { ranMs });
  }

  /** Opens the stream of the next reply. */
  openReply(): RedactedReply {
    return new RedactedReply(this.#identity.executionId, this.#ports);
  }

  /** Stores the opening messages. Messages of earlier runs get no frames. `replacesGiven` as in RecordedOpening. */
  async begin(
    opening: RecordedMessage[],
    terms?: PackedTerms,
    { replacesGiven = false } = {},
  ): Promise<void> {
    const frames = opening.filter(({ seeded }) => !seeded)
      .map(({ message }) => this.#frame(toOpeningFrame(message)));
    await this.#ports.conversations.beginConversation(this.#identity.executionId, {
      messages: opening,
      frames,
      replacesGiven,
      ...(terms !== undefined && { terms: this.#record(terms) }),
    });
    this.#storedTerms = terms?.terms.digest;
  }

  /** Stores and logs a system message that replaces the stored one. */
  async replaceSystem(message: PlacedMessage): Promise<void> {
    const frame = this.#frame(toOpeningFrame(message.message));
    await this.#ports.conversations.replaceSystem(this.#identity.executionId, { message, frame });
  }

  /**
   * Stores and logs a model reply. Returns the execution with its new figures, or undefined for the last reply of the run,
   * which finish() stores in the transaction of the end.
   */
  async reply(
    reply: ModelReply,
    options: {
      position: number;
      costUsd: number | null;
      warning?: string;
      terms?: PackedTerms;
      isLast?: boolean;
    },
  ): Promise<Execution | undefined> {
    const { usage } = reply;
    const { terms } = options;
    const message = { ...reply.message, stop: reply.stop };
    const recorded: RecordedReply = {
      message: { position: options.position, message },
      ...(terms !== undefined && { terms: this.#record(terms) }),
      calls: planCalls(message, options.position),
      usage,
      costUsd: options.costUsd,
      durationMs: this.running.take(),
      frames: (figures) => toReplyFrames(reply, figures, options).map((one) => this.#frame(one)),
    };
    this.#storedTerms = terms?.terms.digest;
    if (options.isLast) {
      this.#lastReply = recorded;
      return undefined;
    }
    return await this.#ports.conversations.recordReply(this.#identity.executionId, recorded);
  }

  /** Stores and logs the last reply of the run if the run continues instead of ending. */
  async storeLastReply(): Promise<void> {
    const reply = this.#lastReply;
    this.#lastReply = undefined;
    if (reply) await this.#ports.conversations.recordReply(this.#identity.executionId, reply);
  }

  /** Stores and logs the message that asks the model to repair its answer. */
  async askForRepair(message: PlacedMessage, faults: readonly string[]): Promise<void> {
    const frame = this.#frame(toRepairFrame(message.message.content, faults));
    await this.#ports.conversations.addMessage(this.#identity.executionId, { message, frame });
  }

  /** Appends a notice for people to the log. */
  async notice(level: "info" | "warn", text: string): Promise<void> {
    const frame = this.#frame(toNoticeFrame(level, text));
    await this.#ports.conversations.addFrame(this.#identity.executionId, frame);
  }

  /**
   * Stores the intent of an unsafe call before it starts, so that it is never repeated. The intent of another call is stored
   * with its result. Returns the time of the start.
   */
  async startCall({ position }: PlannedCall, effect: Effect): Promise<number> {
    const intent = { position, effect, startedAt: this.#ports.clock.now() };
    if (effect !== "unsafe") this.#intents.set(position, intent);
    else await this.#ports.conversations.startCall(this.#identity.executionId, intent);
    return intent.startedAt;
  }

  /** Stores and logs the result of a call. Returns the messages for the model. */
  async finishCall(
    call: PlannedCall,
    result: Pick<RecordedResult, "durationMs" | "effect" | "described"> & ResultContent & {
      /** The instructions that the result adds, and their position in the conversation. */
      instructions?: { position: number; text: string };
    },
  ): Promise<PlacedMessage[]> {
    const message = { position: call.position, message: toToolMessage(call, result) };
    const intent = this.#intents.get(call.position);
    const instructions = result.instructions && toInstructions(result.instructions);
    await this.#ports.conversations.finishCall(this.#identity.executionId, {
      message,
      ...(intent && { intent }),
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
    this.#intents.delete(call.position);
    return instructions === undefined ? [message] : [message, instructions];
  }

  /** Removes the stored intent of a call that was not carried out and will be made again. */
  async resetCall({ position }: PlannedCall): Promise<void> {
    if (this.#intents.delete(position)) return;
    await this.#ports.conversations.resetCall(this.#identity.executionId, position);
  }

  /** Stores and logs a question. The execution then waits for a person's answer. */
  async ask(
    question: Omit<HumanRequest, "executionId">,
  ): Promise<{ execution: Execution; request: HumanRequest }> {
    const { executionId } = this.#identity;
    const request = { ...question, executionId };
    const execution = await this.#ports.requests.openRequest(executionId, {
      request,
      durationMs: this.running.take(),
      frames: this.#frames("waiting", toInterruptFrame(request)),
    });
    return { execution, request };
  }

  /** Stores that the execution waits or rests as its child does. Returns undefined if the child does neither. */
  async waitForChild(childId: number): ReturnType<FamilyStore["waitForChild"]> {
    const waiting = await this.#ports.families.waitForChild(this.#identity.executionId, {
      childId,
      durationMs: this.running.take(),
      frames: (request) => this.#frames("waiting", toInterruptFrame(request)),
      restFrames: (rest) => toPauseFrames({ rest }).map((content) => this.#frame(content)),
    });
    // The child does not wait, so the execution continues and its running time counts on.
    if (waiting === undefined) this.running.undoTake();
    return waiting;
  }

  /** Stores and logs that the execution rests, before the planned retry if there is one. Returns the stored rest. */
  async rest(next: RunRest, planned?: RunRetry): Promise<RunRest> {
    const reason = toShown(next.reason, this.#ports.redactor);
    const [rest, retry] = [{ ...next, reason }, planned && { ...planned, reason }];
    await this.pause({ rest, ...(retry && { retry }) });
    return rest;
  }

  /** Stores and logs a rest or the start of a retry, or the pause until the next start of the service. */
  async pause(pause: Pick<Pause, "rest" | "retry"> = {}): Promise<void> {
    await this.storeLastReply();
    const frames = toPauseFrames(pause).map((content) => this.#frame(content));
    const stored = { ...pause, durationMs: this.running.take(), frames };
    await this.#ports.endings.restExecution(this.#identity.executionId, stored);
  }

  /**
   * Stores the end: answer, `complete` frame and status in one transaction. Returns undefined if the execution had already
   * ended.
   */
  async finish(
    outcome: Outcome,
    stopped: () => string | null = () => null,
  ): Promise<Resumption | undefined> {
    const { clock, endings } = this.#ports;
    const from = stateBefore(outcome.status, outcome.by ?? "run");
    // Waiting for a person is not running time.
    const durationMs = from === "waiting" ? 0 : this.running.take();
    const reply = this.#lastReply;
    const shared = { from, finishedAt: clock.now(), durationMs, ...(reply && { reply }) };
    return await endings.finishExecution(this.#identity.executionId, {
      ...shared,
      ...this.#toEnding(outcome),
      ...(outcome.by === "nobody" && { isUnclaimed: true }),
      audit: outcome.audit,
      insteadOf: (wanted) => {
        const error = stopped() ?? wanted;
        if (error === null) return undefined;
        return { ...shared, ...this.#toEnding({ ...outcome, status: "aborted", error }) };
      },
    });
  }

  #toEnding(outcome: Outcome): Omit<Ending, "from" | "finishedAt" | "durationMs"> {
    return {
      ...toEnding(outcome, {
        redactor: this.#ports.redactor,
        create: (contents) => this.#frames(outcome.status, ...contents),
      }),
      ...this.#ports.consequencesOf?.(this.#execution, outcome),
    };
  }

  #record(packed: PackedTerms): RecordedTerms {
    return { packed, isNew: packed.terms.digest !== this.#storedTerms };
  }

  #frame(content: FrameContent): FrameDraft {
    const { redactor, clock } = this.#ports;
    return createFrame(this.#identity, content, { redactor, at: clock.now() });
  }

  #frames(next: ExecutionStatus, ...contents: FrameContent[]): FrameDraft[] {
    return checkTransition(next, contents).map((content) => this.#frame(content));
  }
}
