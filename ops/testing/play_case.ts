// Plays one case: runs the agent's loop with an empty store in memory and a private workspace.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { ExecutionLog } from "../../runtime/events/log.ts";
import type { Agent } from "../../runtime/agents/agent.ts";
import type { ModelSupply } from "../../runtime/models/calls/model_supply.ts";
import type { Execution } from "../../runtime/executions/execution.ts";
import type { ExecutionRequest } from "../../runtime/executions/execution_request.ts";
import {
  AnswerMisfit,
  fitAnswer,
  type HumanAnswer,
} from "../../runtime/executions/human_request.ts";
import type { RunPorts } from "../../runtime/executions/loop/run_ports.ts";
import type { CallPause, OpenQuestion } from "../../runtime/executions/loop/tool_calls.ts";
import { requireExecution } from "../../runtime/executions/record/execution_reads.ts";
import type { Outcome } from "../../runtime/executions/record/ending_store.ts";
import { Journal } from "../../runtime/executions/record/journal.ts";
import { toRecordedAnswer } from "../../runtime/executions/record/recorded_answer.ts";
import { PlayClock } from "../../runtime/replay/playback.ts";
import { acceptPlayed, type PlayStores } from "../../runtime/replay/played_stores.ts";
import { toFailure } from "../../runtime/executions/loop/failure.ts";
import { NO_TELEMETRY } from "../../runtime/executions/loop/telemetry.ts";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";
import { OwnWrites } from "../../runtime/triggers/watch/own_writes.ts";
import { readEvent } from "./event_input.ts";
import { openAgentSandbox } from "../../runtime/wiring/agent_sandbox.ts";
import { openMemoryStores } from "../../runtime/wiring/replays.ts";
import { argumentsOf, CaseScript } from "./case_script.ts";
import type { CalledTool, PlayedRun } from "./played_run.ts";
import { PrivateWorkspace } from "./private_workspace.ts";
import { expectedFilesOf, type TestCase } from "./test_case.ts";
import type { TestPorts } from "./test_ports.ts";
import { scriptedResult, toTestTools } from "./test_tools.ts";

const loadPrepare = lazyModule(() => import("../../runtime/executions/loop/prepare.ts"));
const loadLoop = lazyModule(() => import("../../runtime/executions/loop/loop.ts"));

/** The maximum duration of a play without real models, in milliseconds. */
const MAX_PLAY_MS = 60_000;
/** The maximum number of cases that are played at once. */
export const CASES_AT_ONCE = 4;
/** The real models that replace the scripted model. */
export type LiveModel = Pick<ModelSupply, "open" | "costOf">;

/** Plays a case and returns its run. If `live` is given, a real model replaces the scripted replies. */
export async function playCase(
  test: TestCase,
  { agent, ports, live }: { agent: Agent; ports: TestPorts; live?: LiveModel },
): Promise<PlayedRun> {
  await using workspace = await PrivateWorkspace.open(ports.settings, test.files);
  using stores = openMemoryStores();
  const entered = await workspace.relocateAgent(agent);
  return await new CasePlay(test, { agent: entered, workspace, stores, ports, live }).run();
}

interface PlayParts {
  agent: Agent;
  workspace: PrivateWorkspace;
  stores: PlayStores;
  ports: TestPorts;
  live: LiveModel | undefined;
}

class CasePlay {
  readonly #case: TestCase;
  readonly #parts: PlayParts;
  readonly #script: CaseScript;
  readonly #clock: Clock;
  #bug: unknown;

  constructor(test: TestCase, parts: PlayParts) {
    const { live, ports } = parts;
    this.#case = test;
    this.#parts = parts;
    this.#script = new CaseScript(test);
    this.#clock = live === undefined ? new PlayClock(Date.parse(test.now)) : ports.clock;
  }

  async run(): Promise<PlayedRun> {
    const { stores, workspace, live, ports: { redactor, clock } } = this.#parts;
    const execution = await this.#accept();
    const journal = new Journal(execution, {
      ...stores,
      executionLog: new ExecutionLog(stores.frames),
      redactor,
      clock: this.#clock,
    });
    const play = () => this.#playToEnd(execution.id, journal);
    const outcome = live === undefined ? await this.#withinTime(clock, play) : await play();
    await journal.storeLastReply();
    if (this.#bug !== undefined) throw this.#bug;
    const { execution: ended } = await requireExecution(stores.executions, execution.id);
    const { messages } = await stores.conversations.readConversation(execution.id);
    const replies = messages.flatMap(({ message }) =>
      message.role === "assistant" ? [message] : []
    );
    const refused = messages.flatMap(({ message }) => {
      if (message.role !== "tool") return [];
      const missed = this.#script.missedResult(message);
      return missed === undefined ? [] : [{ ...missed, got: message.content }];
    });
    const shown = (text: string | null) => text === null ? null : redactor.redact(text);
    const readFile = async (path: string) => [path, shown(await workspace.read(path))] as const;
    const expectedFiles = await Promise.all(expectedFilesOf(this.#case).map(readFile));
    return {
      status: outcome.status,
      error: shown(outcome.error),
      output: shown(outcome.output),
      ...(outcome.waitsFor !== undefined && { waitsFor: redactor.redact(outcome.waitsFor) }),
      gap: this.#script.gap,
      repliesLeft: live === undefined ? this.#script.repliesLeft : 0,
      steps: replies.length,
      calls: redactor.redactValue(replies.flatMap(({ toolCalls }) => toolCalls.map(toCalledTool))),
      refused: redactor.redactValue(refused),
      costUsd: ended.costUsd,
      expectedFiles: new Map(expectedFiles),
      written: await workspace.readChangedFiles(),
    };
  }

  /** Waits for a play. Stops the play after MAX_PLAY_MS and records the timeout as the reason of the end, in `gap`. */
  async #withinTime<T>(clock: Clock, play: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const watch = sleepUnlessAborted(clock, MAX_PLAY_MS, over.signal).then((isOver) => {
      if (isOver) {
        this.#script.recordGap(`The run was stopped: it took longer than ${MAX_PLAY_MS / 1_000} s`);
      }
    });
    try {
      return await play();
    } finally {
      over.abort(NO_LONGER_NEEDED);
      await watch;
    }
  }

  async #accept(): Promise<Execution> {
    const { agent, stores, ports: { redactor } } = this.#parts;
    const { trigger } = this.#case.input;
    const spec = { trigger, sessionId: null, request: await this.#request() };
    return await acceptPlayed(agent, spec, { stores, clock: this.#clock, redactor });
  }

  async #request(): Promise<ExecutionRequest> {
    const { args, message, context, trigger, file, event } = this.#case.input;
    return {
      args,
      ...(message !== undefined && { message }),
      ...(context !== undefined && { context }),
      ...(trigger === "schedule" && {
        cause: { type: "schedule", scheduledFor: Date.parse(this.#case.now) },
      }),
      ...(trigger === "watch" && {
        cause: { type: "watch", event, path: this.#parts.workspace.pathOf(file ?? "") },
      }),
      ...await readEvent(this.#case.input, this.#parts),
    };
  }

  /** Plays until the run ends or asks a question that the case does not answer. */
  async #playToEnd(
    id: number,
    journal: Journal,
  ): Promise<Pick<PlayedRun, "status" | "error" | "output" | "waitsFor">> {
    for (;;) {
      const rest = await this.#playStretch(id, journal);
      if ("status" in rest) return rest;
      if ("rest" in rest) {
        const { until: at } = await journal.rest(rest.rest);
        await this.#parts.stores.rests.endRest(id, { at, by: "time" });
        continue;
      }
      if (!("question" in rest)) throw new TypeError("No other execution takes part in a test");
      if (await this.#answer(rest, { id, journal })) continue;
      const waitsFor = `${rest.call.name} asks "${rest.question.message}"`;
      return { status: "waiting", error: null, output: null, waitsFor };
    }
  }

  async #playStretch(id: number, journal: Journal): Promise<Outcome | CallPause> {
    const { agent, stores } = this.#parts;
    const { execution, request } = await requireExecution(stores.executions, id);
    const [{ prepareRun }, { runLoop }] = [await loadPrepare(), await loadLoop()];
    try {
      const run = await prepareRun({ execution, request, agent }, {
        ports: this.#runPorts(),
        journal,
        signal: this.#script.signal,
        delegate: async ({ toolCallId, name, arguments: args }) => {
          const call = { id: toolCallId, name, args: argumentsOf(args) ?? {} };
          const content = scriptedResult(this.#script, call);
          return await Promise.resolve({ state: "ended", content });
        },
      });
      return await runLoop(run);
    } catch (error) {
      return toFailure(error, { execution, log: this.#silentLog() });
    }
  }

  #runPorts(): RunPorts {
    const { agent, workspace, stores, ports, live } = this.#parts;
    const ownWrites = new OwnWrites();
    return {
      ...ports.run,
      clock: this.#clock,
      log: this.#silentLog(),
      telemetry: NO_TELEMETRY,
      timeZone: () => this.#case.time_zone,
      families: stores.families,
      conversations: {
        readConversation: (id) => stores.conversations.readConversation(id),
        readSeed: () => Promise.resolve(undefined),
      },
      openModel: (own) => live?.open(own) ?? this.#script.open(own),
      costOf: (own, reply, id) =>
        live?.costOf(own, reply, id) ?? Promise.resolve(reply.reportedCostUsd),
      openSandbox: (own, subject) =>
        Promise.resolve(
          openAgentSandbox(own, subject, { settings: workspace.settings, ownWrites }),
        ),
      openTools: async (own, options) =>
        toTestTools(await ports.run.openTools(own, { ...options, offline: true }), {
          agent,
          script: this.#script,
          argument: (path) => workspace.relocateArgument(path),
        }),
    };
  }

  /** Answers a question as the case says. Returns false if the case has no answer. */
  async #answer(
    { call, question, args, isGuard, raise }: OpenQuestion,
    { id, journal }: { id: number; journal: Journal },
  ): Promise<boolean> {
    const { stores, ports: { redactor } } = this.#parts;
    if (raise !== undefined) {
      this.#script.recordGap(question.message);
      return false;
    }
    const { calls } = await stores.conversations.readConversation(id);
    const planned = calls.find(({ position }) => position === call.position);
    const made = { id: planned?.toolCallId ?? "", name: call.name, args };
    const given = this.#script.nextAnswer(made);
    if (given === undefined) return false;
    const requestId = crypto.randomUUID();
    await journal.ask({
      ...question,
      requestId,
      position: call.position,
      toolName: call.name,
      toolArgs: args,
      createdAt: this.#clock.now(),
      expiresAt: null,
      ...(isGuard && { isGuard }),
    });
    try {
      const answer = fitAnswer(question, given as HumanAnswer, redactor);
      const recorded = toRecordedAnswer({ requestId }, answer, { clock: this.#clock, redactor });
      await stores.requests.answerRequest(id, recorded);
      return true;
    } catch (error) {
      if (!(error instanceof AnswerMisfit)) throw error;
      this.#script.recordGap(`The answer to "${question.message}" does not fit: ${error.message}`);
      return false;
    }
  }

  /** Returns a log that discards its entries, but stores the first internal error in #bug, which the play rethrows. */
  #silentLog(): ServiceLog {
    return {
      write: (level, _message, fields = {}) => {
        if (level === "error" && "error" in fields) this.#bug ??= fields["error"];
      },
    };
  }
}

function toCalledTool({ name, arguments: args }: { name: string; arguments: string }): CalledTool {
  return { tool: name, args: argumentsOf(args) };
}
