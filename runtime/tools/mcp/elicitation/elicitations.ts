// Asks people the questions of an MCP server (elicitations). A question belongs to a running call of a tool. The call is
// cancelled, and repeated with the answer.
import {
  type ElicitRequestFormParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/client";
import type { Context } from "../../../config/context.ts";
import { SerialQueue } from "../../../../base/serial_queue.ts";
import { EarlierAnswers } from "../../definition/earlier_answers.ts";
import { QuestionRaised } from "../../definition/raised.ts";
import type { AnsweredQuestion, ToolQuestion } from "../../definition/tool.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import type { Secret } from "../../../secrets/secret.ts";
import { redactText } from "../../../secrets/secret_marks.ts";
import { toForm } from "./form.ts";

/** The options of Elicitations. */
interface ElicitationsOptions extends Pick<Context, "clock"> {
  /** The name of the server. */
  server: string;
  /** The values of the server's entry that no question may contain. */
  secrets: readonly Secret[];
  /** Aborts when the session has ended. */
  ended: AbortSignal;
}

/**
 * The pause after a call was cancelled for a question, in milliseconds. A server may continue a cancelled call and ask its
 * next question, which must not reach another call.
 */
const SETTLE_MS = 500;

/** The elicitations of one session. */
export class Elicitations {
  readonly #options: ElicitationsOptions;
  /** The running calls, each with its unused answers and the controller that cancels it. */
  readonly #running = new Set<
    { mayAsk: boolean; unused: EarlierAnswers; stop: AbortController }
  >();
  readonly #turns = new SerialQueue();
  /** True if the server has asked a question. Its calls then run one after the other. */
  #asks = false;

  constructor(options: ElicitationsOptions) {
    this.#options = options;
  }

  /**
   * Runs a call. `answers` are those of people to its questions; without `mayAsk` more questions are declined. Throws
   * QuestionRaised if the server asks a question without a stored answer, and ToolFailure if its question cannot be asked.
   */
  async run<Result>(
    { answers, mayAsk }: { answers: readonly AnsweredQuestion[]; mayAsk: boolean },
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const start = async () => {
      signal.throwIfAborted();
      const unused = new EarlierAnswers(answers);
      const running = { mayAsk, unused, stop: new AbortController() };
      this.#running.add(running);
      try {
        return await work(AbortSignal.any([signal, running.stop.signal]));
      } catch (error) {
        throw running.stop.signal.aborted ? running.stop.signal.reason : error;
      } finally {
        this.#running.delete(running);
      }
    };
    // The protocol does not say which call a question belongs to, so only one may run.
    return this.#asks ? await this.#turns.run(start) : await start();
  }

  /** Answers a question of the server with a stored answer, or cancels the call in order to ask a person. */
  async answer(
    params: Pick<ElicitRequestFormParams, "message" | "requestedSchema">,
  ): Promise<ElicitResult> {
    this.#asks = true;
    const [call, ...others] = this.#running;
    if (call === undefined) return { action: "cancel" };
    if (!call.mayAsk) return { action: "decline" };
    if (others.length > 0) {
      const message = "Several calls were running, so the question has no certain call. " +
        "Call the tool again: the calls of this server now run one after the other.";
      throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    }
    try {
      const { question, read } = await toForm(this.#options.server, params);
      const message = redactText(question.message, this.#options.secrets);
      for (let asked: ToolQuestion = { ...question, message };;) {
        const found = call.unused.take(asked);
        if ("question" in found) throw new QuestionRaised(found.question);
        try {
          return read(found.answer);
        } catch (error) {
          if (!(error instanceof ToolFailure)) throw error;
          const note = `The last answer was not accepted: ${error.message}`;
          asked = { ...asked, message: `${message}\n${note}` };
        }
      }
    } catch (error) {
      if (!(error instanceof QuestionRaised || error instanceof ToolFailure)) throw error;
      call.stop.abort(error);
      const { clock, ended } = this.#options;
      void this.#turns.run(() => clock.sleep(SETTLE_MS, ended)).catch(() => {
        // The session has ended, so no call waits.
      });
      return { action: "cancel" };
    }
  }
}
