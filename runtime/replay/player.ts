// Plays a cassette: runs the agent's loop with empty stores in memory, and with a model and tools that return the recorded
// values. Nothing outside is called or written.
import { ExecutionLog } from "../events/log.ts";
import type { Frame } from "../events/frame.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { CallPause } from "../executions/loop/tool_calls.ts";
import type { Execution } from "../executions/execution.ts";
import { requireExecution } from "../executions/record/execution_reads.ts";
import type { Outcome } from "../executions/record/ending_store.ts";
import { Journal } from "../executions/record/journal.ts";
import type { JournalPorts } from "../executions/record/journal_ports.ts";
import { toRecordedAnswer } from "../executions/record/recorded_answer.ts";
import { toFailure } from "../executions/loop/failure.ts";
import type { Cassette, CassetteQuestion } from "./cassette.ts";
import type { PlayOptions } from "./play_options.ts";
import { playDelegation } from "./played_delegation.ts";
import type { Difference } from "./difference.ts";
import { endAsRecorded, endByItself, type Ending, isDecidedByLoop } from "./played_end.ts";
import { createPlayedPorts, type PromptedWorld, SILENT } from "./played_ports.ts";
import { PlayedModel } from "./played_model.ts";
import { Playback, PlayClock, type ResultCounts } from "./playback.ts";
import { acceptPlayed, type PlayStores, seedOf, toPlayedSpec } from "./played_stores.ts";
import { Script } from "./script.ts";

/** The result of a play. */
export interface Played {
  /** The differences at the first step that differs. Empty if there is none. */
  differences: Difference[];
  frames: Frame[];
  /** The number of played replies. */
  replies: number;
}

// Loaded on demand, as for a service's runs.
const loadPrepare = lazyModule(() => import("../executions/loop/prepare.ts"));
const loadLoop = lazyModule(() => import("../executions/loop/loop.ts"));

/** Plays a cassette to its end or its first difference. */
export async function playCassette(cassette: Cassette, options: PlayOptions): Promise<Played> {
  using stores = options.ports.openStores();
  return await new Player(cassette, { ...options, stores }).play();
}

/** A journal that stores only results that were recorded. */
class PlayedJournal extends Journal {
  readonly #playback: Playback;

  constructor(execution: Execution, ports: JournalPorts, playback: Playback) {
    super(execution, ports);
    this.#playback = playback;
  }

  override async finishCall(
    ...[call, result]: Parameters<Journal["finishCall"]>
  ): ReturnType<Journal["finishCall"]> {
    await this.#playback.requireRecorded(call.toolCallId);
    return await super.finishCall(call, result);
  }
}

class Player {
  readonly #options: PlayOptions & { stores: PlayStores };
  readonly #script: Script;
  readonly #clock: PlayClock;
  readonly #playback: Playback;
  readonly #model: PlayedModel;
  #world: PromptedWorld = { timeZone: "UTC", memorySections: [], servers: [], fileExists: true };
  #journal!: Journal;
  #id = 0;

  constructor(cassette: Cassette, options: PlayOptions & { stores: PlayStores }) {
    this.#options = options;
    this.#script = new Script(cassette);
    this.#clock = new PlayClock(options.run.execution.startedAt);
    this.#playback = new Playback(this.#script, {
      clock: this.#clock,
      copied: options.run.request.fork?.step ?? 0,
      tell: (level, text) => this.#journal.notice(level, text),
      countResults: () => this.#countResults(),
    });
    this.#model = new PlayedModel(options.run.execution.model, {
      playback: this.#playback,
      check: options.check,
    });
  }

  async play(): Promise<Played> {
    const { stores, agent, run, ports: { redactor } } = this.#options;
    const { displayName, model } = run.execution;
    const execution = await acceptPlayed(agent, toPlayedSpec(run), {
      ...{ stores, redactor, clock: this.#clock },
      recorded: { displayName, model },
    });
    const { id } = execution;
    this.#id = id;
    const executionLog = new ExecutionLog(stores.frames);
    const journalPorts = { ...stores, executionLog, redactor, clock: this.#clock };
    this.#journal = new PlayedJournal(execution, journalPorts, this.#playback);
    const differences = await this.#toEnd(id);
    const page = { after: 0, limit: -1, maxBytes: Infinity };
    return {
      differences,
      frames: (await stores.frames.readFrames(id, page)).frames,
      replies: this.#script.replies,
    };
  }

  async #countResults(): Promise<ResultCounts> {
    const { conversations } = this.#options.stores;
    const { calls } = await conversations.readConversation(this.#id);
    const stored = calls.filter(({ result }) => result !== null);
    return { stored: stored.length, logged: stored.filter(({ logged }) => logged).length };
  }

  /**
   * Plays the run to its end and returns the differences. Each iteration plays from the start, an answer or a restart to
   * the next pause.
   */
  async #toEnd(id: number): Promise<Difference[]> {
    for (let isFirst = true;; isFirst = false) {
      const rest = await this.#playStretch(id, isFirst);
      const { stopped } = this.#playback;
      if (stopped?.kind === "differs") return stopped.differences;
      if (stopped?.kind === "end") return await endAsRecorded(this.#ending());
      if (stopped?.kind === "budget") {
        const end = await this.#pauseForBudget(stopped.question);
        if (end !== undefined) return end;
      } else if (stopped?.kind === "restart" || await this.#isBegunAgain(rest)) {
        await this.#restart(id);
      } else if ("status" in rest) return await endByItself(rest, this.#ending());
      else {
        const end = await this.#pause(rest);
        if (end !== undefined) return end;
      }
    }
  }

  /**
   * Returns true if the recorded run was restarted at this point. Even after its last reply, a person may have sent a
   * message, or the run may have died before its end or question was stored.
   */
  async #isBegunAgain(rest: Outcome | CallPause): Promise<boolean> {
    const isRest = !("status" in rest) || isDecidedByLoop(rest);
    if (isRest) await this.#playback.catchUp();
    if ("status" in rest && this.#script.peek()?.type === "message") return true;
    const { logged } = await this.#countResults();
    return isRest && this.#script.nextPrompt(logged) !== undefined;
  }

  async #playStretch(id: number, isFirst: boolean): Promise<Outcome | CallPause> {
    const { stores, agent, ports: { redactor } } = this.#options;
    const signal = this.#playback.begin();
    const { execution, request } = await requireExecution(stores.executions, id);
    const [{ prepareRun }, { runLoop }] = [await loadPrepare(), await loadLoop()];
    try {
      if (isFirst ? this.#script.hasNoBeginning : this.#isEndedFromOutside()) {
        await this.#playback.catchUp();
        this.#playback.stop({ kind: "end" });
      }
      const prompt = this.#script.nextPrompt((await this.#countResults()).logged);
      if (prompt !== undefined) this.#world = prompt;
      const run = await prepareRun({ execution, request, agent }, {
        ports: createPlayedPorts(this.#options, {
          playback: this.#playback,
          model: this.#model,
          seed: seedOf(this.#options.run),
          world: this.#world,
          promptedAt: prompt?.now,
        }),
        journal: this.#journal,
        signal,
        delegate: (call) =>
          playDelegation(call, { execution, agent, stores, redactor, playback: this.#playback }),
      });
      if (prompt !== undefined) this.#script.take();
      return await runLoop(run);
    } catch (error) {
      return toFailure(error, { execution, log: SILENT });
    }
  }

  /** Returns true if the recorded run was ended from outside at this point and never continued. */
  #isEndedFromOutside(): boolean {
    const { outcome, endsInCalls } = this.#script;
    return outcome !== null && !isDecidedByLoop(outcome) && endsInCalls;
  }

  /** Restarts the run as recorded: adds the message of a fork, and resets calls that had started. */
  async #restart(id: number): Promise<void> {
    await this.#journal.storeLastReply();
    const { messages, calls } = await this.#options.stores.conversations.readConversation(id);
    for (const call of calls) if (call.result === null) await this.#journal.resetCall(call);
    const step = this.#script.peek();
    if (step?.type !== "message") return;
    this.#script.take();
    this.#clock.set(step.at);
    const position = (messages.at(-1)?.position ?? -1) + 1;
    const message = { role: "user" as const, content: step.content };
    await this.#journal.begin([{ position, message, seeded: false }]);
  }

  /** Stores the question and the recorded answer. Returns the differences if the play ends at this question. */
  async #pause(pause: CallPause): Promise<Difference[] | undefined> {
    const step = this.#script.peek();
    if ("question" in pause) {
      const { call, question, args, isGuard } = pause;
      const { endsInCalls, outcome } = this.#script;
      if (endsInCalls && (outcome === null || !isDecidedByLoop(outcome))) {
        return await endAsRecorded(this.#ending());
      }
      if (step?.type !== "question" || step.call !== await this.#callAt(call.position)) {
        return [{
          kind: "question",
          call: this.#script.replies,
          what: `the call of ${call.name}`,
          recorded: "nobody was asked",
          today: `a person is asked: ${question.message}`,
        }];
      }
      const { requestId, createdAt, expiresAt } = step.request;
      this.#clock.set(createdAt);
      await this.#journal.ask({
        ...question,
        requestId,
        position: call.position,
        toolName: call.name,
        toolArgs: args,
        createdAt,
        expiresAt,
        ...(isGuard && { isGuard }),
      });
      return await this.#answer(step, this.#id);
    }
    if (step?.type !== "question") throw new TypeError("A delegate waits for no question");
    this.#clock.set(step.request.createdAt);
    if ("rest" in pause) throw new TypeError("A played call does not rest");
    await this.#journal.waitForChild(pause.childId);
    // This execution was running, because of another answer, when the question was answered. So its log lacks the question.
    const isUnseen = step.answer !== null && step.answeredAt === undefined;
    if (isUnseen) return await this.#goOn(pause.childId, step);
    return await this.#answer(step, pause.childId);
  }

  /** Stores the recorded question of a budget. The current budgets are unknown to a play. */
  async #pauseForBudget(step: CassetteQuestion): Promise<Difference[] | undefined> {
    const { conversations } = this.#options.stores;
    const { messages } = await conversations.readConversation(this.#id);
    this.#clock.set(step.request.createdAt);
    await this.#journal.ask({
      ...step.request,
      position: (messages.at(-1)?.position ?? -1) + 1,
    });
    return await this.#answer(step, this.#id);
  }

  async #answer(step: CassetteQuestion, askingId: number): Promise<Difference[] | undefined> {
    this.#script.take();
    if (step.answer === null) return await endAsRecorded(this.#ending(), "outside");
    this.#clock.set(step.answeredAt);
    const { stores, ports: { redactor } } = this.#options;
    const { requestId } = step.request;
    await stores.requests.answerRequest(
      askingId,
      toRecordedAnswer({ requestId }, step.answer, { clock: this.#clock, redactor }),
    );
    return undefined;
  }

  /** Answers a child's question. Adds no frame to a log for the answer. */
  async #goOn(
    childId: number,
    { request: { requestId }, answer }: CassetteQuestion,
  ): Promise<undefined> {
    this.#script.take();
    if (answer === null) throw new TypeError("An unseen question has an answer");
    await this.#options.stores.requests.answerRequest(childId, {
      requestId,
      answer,
      answeredAt: this.#clock.now(),
      frames: () => [],
    });
  }

  /** Returns the id of the call whose result has this position. Undefined if there is none. */
  async #callAt(position: number): Promise<string | undefined> {
    const { calls } = await this.#options.stores.conversations.readConversation(this.#id);
    return calls.find((call) => call.position === position)?.toolCallId;
  }

  #ending(): Ending {
    const { redactor } = this.#options.ports;
    return { script: this.#script, clock: this.#clock, journal: this.#journal, redactor };
  }
}
