// The view that a sender has of the service if it may see some agents only: these agents, their executions, and the
// executions that these called. Everything else is unknown to the sender.
import type { ServiceEventListener } from "../../runtime/events/bus.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { FilePlace } from "../../runtime/interface/workspace_files.ts";
import { RequestRefused } from "../errors.ts";

const NO_RAISE =
  'To raise a budget needs the right "control", which a key for some agents does not have';

/** Returns the object with some members replaced. */
function changed<T extends object>(of: T, members: Partial<T>): T {
  return Object.assign(Object.create(of), members);
}

/** Throws TypeError: the operation needs a right that a key for some agents never has. */
function refuse(): never {
  throw new TypeError("A narrowed sender has no right to this operation");
}

/** Returns the runtime as seen by a sender for `agents`. */
export function narrowRuntime(runtime: Runtime, agents: readonly string[]): Runtime {
  const isSeen = (id: string | null) => id !== null && agents.includes(id);
  const requireAgent = (id: string) => {
    if (!isSeen(id)) throw new RequestRefused(404, `Agent '${id}' not found`);
  };
  const requireExecution = async (id: number) => {
    for (let one = await runtime.getExecution(id); !isSeen(one.agentId);) {
      if (one.parentExecutionId === null) throw new RequestRefused(404, "Execution not found");
      one = await runtime.getExecution(one.parentExecutionId);
    }
  };
  /** Returns a method whose first argument is the id of an agent or execution, which is checked first. */
  const ofAgent =
    <A extends unknown[], R>(call: (id: string, ...args: A) => Promise<R>) =>
    async (id: string, ...args: A): Promise<R> => {
      requireAgent(id);
      return await call.call(runtime, id, ...args);
    };
  const ofExecution =
    <A extends unknown[], R>(call: (id: number, ...args: A) => Promise<R>) =>
    async (id: number, ...args: A): Promise<R> => {
      await requireExecution(id);
      return await call.call(runtime, id, ...args);
    };
  const { version, directories, clock, log, startedAt, storage, messages, audit, redact } = runtime;
  return {
    // These members concern no agent.
    ...{ version, directories, clock, log, startedAt, storage, messages, audit, redact },
    get config() {
      return runtime.config;
    },
    keys: () => runtime.keys(),
    listNodes: () => runtime.listNodes(),
    listAgents: async (options) =>
      (await runtime.listAgents(options)).filter(({ agent }) => isSeen(agent.id)),
    getAgent: ofAgent(runtime.getAgent),
    planRun: ofAgent(runtime.planRun),
    brokenAgentFiles: () => runtime.brokenAgentFiles().filter(({ id }) => isSeen(id)),
    run: ofAgent(async (id, request) => {
      if (request.continues !== undefined) await requireExecution(request.continues);
      return await runtime.run(id, request);
    }),
    listRuns: ofAgent(runtime.listRuns),
    listSlots: ofAgent(runtime.listSlots),
    files: async () => {
      const files = await runtime.files();
      return changed(files, {
        async read(place: FilePlace, options) {
          requireAgent(place.kind === "agent" ? place.id : "");
          return await files.read(place, options);
        },
        async companions(id: string) {
          requireAgent(id);
          return await files.companions(id);
        },
      });
    },
    cancel: ofExecution(runtime.cancel),
    wake: ofExecution(runtime.wake),
    pendingRequest: ofExecution(runtime.pendingRequest),
    respond: ofExecution(async (id, response) => {
      const { raise } = await runtime.pendingRequest(id);
      if (raise !== undefined && "approved" in response.answer && response.answer.approved) {
        throw new RequestRefused(403, NO_RAISE);
      }
      return await runtime.respond(id, response);
    }),
    getExecution: ofExecution(runtime.getExecution),
    readFrames: ofExecution(runtime.readFrames),
    follow: ofExecution(runtime.follow),
    async listExecutions(filter) {
      if (filter.parentId !== undefined) {
        await requireExecution(filter.parentId);
        return await runtime.listExecutions(filter);
      }
      const wanted = filter.agentId === undefined ? agents : [filter.agentId].flat().filter(isSeen);
      return wanted.length === 0
        ? []
        : await runtime.listExecutions({ ...filter, agentId: wanted });
    },
    async checkpointStats() {
      const stats = await runtime.checkpointStats();
      const own = stats.agents.filter(({ agentId }) => isSeen(agentId));
      const total = (count: (agent: typeof own[number]) => number) =>
        own.reduce((sum, agent) => sum + count(agent), 0);
      return {
        // The file and its size belong to the machine.
        path: "",
        sizeBytes: total(({ bytes }) => bytes),
        threads: total(({ threads }) => threads),
        agents: own,
      };
    },
    countExecutions: () => runtime.countExecutions(agents),
    async usage(request) {
      const report = await runtime.usage(request);
      return { ...report, entries: report.entries.filter(({ agentId }) => isSeen(agentId)) };
    },
    countOutcomes: async (since) =>
      new Map([...await runtime.countOutcomes(since)].filter(([id]) => isSeen(id))),
    recap: ({ agentIds = agents, ...span }) =>
      runtime.recap({ ...span, agentIds: agentIds.filter(isSeen) }),
    async scheduler(options) {
      const status = await runtime.scheduler(options);
      return { ...status, jobs: status.jobs.filter(({ agentId }) => isSeen(agentId)) };
    },
    budgets: {
      async list(agentId) {
        if (agentId !== undefined) requireAgent(agentId);
        return (await runtime.budgets.list(agentId)).filter((one) => isSeen(one.agentId));
      },
      raise: refuse,
    },
    replays: {
      // Not for agents that were only called: a replay shows the agent's present file, and a fork is a manual run.
      replay: ofExecution(async (id, options) => {
        requireAgent((await runtime.getExecution(id)).agentId);
        return await runtime.replays.replay(id, options);
      }),
      fork: ofExecution(async (id, request) => {
        requireAgent((await runtime.getExecution(id)).agentId);
        return await runtime.replays.fork(id, request);
      }),
    },
    // The sign-ins belong to all agents.
    signIns: async () => changed(await runtime.signIns(), { list: () => Promise.resolve([]) }),
    events: changed(runtime.events, {
      subscribe: (listener: ServiceEventListener) =>
        runtime.events.subscribe((event, origin) => {
          const isShown = event.type === "scheduler_changed" || isSeen(event.agentId);
          if (isShown) listener(event, origin);
        }),
    }),
    // A key for some agents never has the rights to use these members.
    webhooks: undefined,
    reloadAgents: refuse,
    previewArguments: refuse,
    autoApprove: refuse,
    purgeCheckpoints: refuse,
    readLog: refuse,
    pauseScheduler: refuse,
    resumeScheduler: refuse,
    resumeAgent: refuse,
    stop: refuse,
    [Symbol.asyncDispose]: refuse,
  };
}
