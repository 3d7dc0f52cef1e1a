// A runner over an in-memory store, for cases that a whole runtime cannot set up, such as a failing store. Its model asks
// the user once and then answers.
import type { Agent } from "../../runtime/agents/agent.ts";
import { EventBus } from "../../runtime/events/bus.ts";
import { Redactor } from "../../runtime/secrets/redactor.ts";
import { requireExecution } from "../../runtime/executions/record/execution_reads.ts";
import { Runner } from "../../runtime/executions/runs/runner.ts";
import type { SharedRuns } from "../../runtime/executions/runs/shared_runs.ts";
import type { ExecutionStatus } from "../../runtime/executions/states.ts";
import { NO_TELEMETRY } from "../../runtime/executions/loop/telemetry.ts";
import type { Model, ModelReply } from "../../runtime/models/model.ts";
import { askUser } from "../../runtime/tools/builtin/ask_user.ts";
import { PathSandbox } from "../../runtime/tools/files/path_sandbox.ts";
import { Toolbox } from "../../runtime/tools/toolbox.ts";
import { LogLines } from "./log_lines.ts";
import { TestClock } from "./test_clock.ts";
import { openTestStore, type TestStore } from "./test_store.ts";
import { createTestWorkspace } from "./test_workspace.ts";
import { until } from "./until.ts";

const ASKING: Model = {
  id: "test/asking",
  // deno-lint-ignore require-yield -- it answers at once, without streaming
  async *generate({ messages }) {
    const isAnswered = messages.at(-1)?.role === "tool";
    const toolCalls = isAnswered
      ? []
      : [{ id: "1", name: "ask_user", arguments: '{"question":"Well?"}' }];
    return {
      message: { role: "assistant", content: isAnswered ? "Done." : "", toolCalls },
      stop: isAnswered ? "end" : "tool_calls",
      usage: null,
      reportedCostUsd: null,
    } satisfies ModelReply;
  },
};

export interface TestRunner extends AsyncDisposable {
  runner: Runner;
  store: TestStore;
  events: EventBus;
  clock: TestClock;
  serviceLog: LogLines;
}

/** Opens a runner of these agents. Disposing closes the runner and its store. */
export async function openTestRunner(
  agents: readonly Agent[],
  { shared, costOf = () => Promise.resolve(null), ...tools }: {
    sandboxGap?: string;
    shared?: SharedRuns;
    /** Called with each reply before it is stored. */
    costOf?: (agent: Agent, reply: ModelReply) => Promise<number | null>;
  } = {},
): Promise<TestRunner> {
  const place = await createTestWorkspace();
  const settings = await place.settings();
  const { directories, home } = settings;
  const store = await openTestStore();
  const clock = new TestClock();
  const serviceLog = new LogLines();
  const events = new EventBus(serviceLog);
  const runner = new Runner({
    ...store,
    ...(shared && { shared }),
    keyRedactor: new Redactor(() => []),
    events,
    clock,
    telemetry: NO_TELEMETRY,
    settings,
    log: serviceLog,
    timeZone: () => "UTC",
    findAgent: (id) => agents.find((agent) => agent.id === id),
    whyUnreadable: () => undefined,
    budgetsOf: () => [],
    openModel: () => Promise.resolve(ASKING),
    costOf,
    openFormat: () => Promise.resolve(undefined),
    openTools: () => Promise.resolve({ toolbox: new Toolbox([askUser]), skills: [], ...tools }),
    currentAgent: (id) => Promise.resolve(agents.find((agent) => agent.id === id)),
    openCredentials: () => Promise.reject(new Error("Not opened here")),
    openSandbox: () => Promise.resolve(new PathSandbox({ ...directories, paths: [], home })),
    isProviderKey: () => false,
  });
  return {
    runner,
    store,
    events,
    clock,
    serviceLog,
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Returns the status of an execution. */
export async function statusIn({ executions }: TestStore, id: number): Promise<ExecutionStatus> {
  return (await requireExecution(executions, id)).execution.status;
}

/** Waits until an execution has asked its question. Returns the id of the question. */
export async function questionIn({ requests }: TestStore, id: number): Promise<string> {
  let requestId: string | undefined;
  await until(
    async () => (requestId = (await requests.readOpenRequest(id))?.requestId) !== undefined,
    "the question",
  );
  return requestId ?? "";
}
