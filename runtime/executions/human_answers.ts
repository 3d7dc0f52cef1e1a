// Answers to executions that wait: whose question one is to, whether it fits, and who goes on with it. The end of a
// question's time is an answer, too.
import type { ServiceLog } from "../service_log/service_log.ts";
import type { Subject } from "./conductor.ts";
import { checkAnswer, type HumanAnswer, type HumanRequest, NotWaiting } from "./human_request.ts";
import { Journal, type JournalPorts } from "./journal.ts";
import { RequestExpiry } from "./request_expiry.ts";
import type { Starts } from "./starts.ts";

/** What answers are taken with. */
export type HumanAnswersPorts = JournalPorts & {
  serviceLog: ServiceLog;
  /** Counts what runs out of time while that is stored: it is about to run. */
  starts: Starts;
  /** Throws ExecutionNotFound. */
  read(id: number): Promise<Subject>;
  /** Goes on with an execution that waited. */
  resume(subject: Subject): Promise<void>;
};

/** What people say to executions, and what holds when nobody says anything. */
export class HumanAnswers implements AsyncDisposable {
  readonly #ports: HumanAnswersPorts;
  readonly #expiry: RequestExpiry;

  constructor(ports: HumanAnswersPorts) {
    this.#ports = ports;
    this.#expiry = new RequestExpiry(ports, (request) => this.#expire(request));
  }

  /** Keeps deadlines from now on, those that are over already included. */
  start(): void {
    this.#expiry.start();
  }

  /** A question was asked: its deadline may be the first one now. */
  look(): void {
    this.#expiry.look();
  }

  /** Keeps no deadlines any more; waits for one that is being kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#expiry[Symbol.asyncDispose]();
  }

  /**
   * Answers what an execution, or one that it delegated to, asks; it goes on, and with it those above that waited only
   * for it. Throws ExecutionNotFound, AnswerMisfit, and NotWaiting where the question is not open (any more).
   */
  async give(id: number, response: { requestId: string; answer: HumanAnswer }): Promise<void> {
    const { read, resume, requests } = this.#ports;
    const { execution: asked } = await read(id);
    const { requestId, answer } = response;
    const open = await requests.readOpenRequest(id, requestId);
    if (open === undefined) {
      throw new NotWaiting(
        asked.status === "waiting"
          ? "This answer is to an older request: ask for the pending one again"
          : "This execution does not wait for an answer",
      );
    }
    checkAnswer(open, answer);
    const { execution, request } = await read(open.executionId);
    const answered = await new Journal(execution, this.#ports).answer(requestId, answer);
    if (answered === undefined) {
      throw new NotWaiting("This answer is to an older request: ask for the pending one again");
    }
    await resume({ execution: answered.execution, request });
    for (const ancestor of answered.ancestors) await resume(await read(ancestor.id));
  }

  async #expire({ executionId, requestId }: HumanRequest): Promise<void> {
    try {
      const answered = this.give(executionId, { requestId, answer: { expired: true } });
      await this.#ports.starts.track(answered);
    } catch (error) {
      // Somebody was a moment faster.
      if (!(error instanceof NotWaiting)) throw error;
    }
  }
}
