// Replays a recorded run with the current agent and returns the first difference.
import type { Agent } from "../agents/agent.ts";
import { modelChain } from "../config/providers.ts";
import { isBuiltinName } from "../vocabulary/builtin_tools.ts";
import type { DeclaredTool } from "../executions/record/call_terms.ts";
import type { Seed, SeededExecution } from "../executions/record/conversation_store.ts";
import type { RecordedRun } from "../executions/record/recorded_run.ts";
import type { Cassette } from "./cassette.ts";
import { ConversationGone } from "../executions/refusals.ts";
import { createCassette } from "./create_cassette.ts";
import type { Difference, Replay } from "./difference.ts";
import { firstForkDifference, firstLogDifference } from "./log_comparison.ts";
import type { PlayPorts } from "./play_options.ts";
import { playCassette } from "./player.ts";
import { createRequestCheck, termsOf } from "./request_comparison.ts";

/** Options of replayRun(). */
export interface ReplayOptions {
  agent: Agent;
  ports: PlayPorts & { readSeed(execution: SeededExecution): Promise<Seed | undefined> };
  /**
   * True if custom tools and MCP servers are started for their declarations. Otherwise the recorded declarations are used.
   */
  withAllTools: boolean;
}

/** Replays a run and returns the report. Stores nothing. Throws ConversationGone. */
export async function replayRun(run: RecordedRun, options: ReplayOptions): Promise<Replay> {
  const { agent, ports, withAllTools } = options;
  const cassette = createCassette(run);
  const hasBegun = cassette.steps.some(({ type }) => type !== "notice");
  if (hasBegun && run.messages.length === 0) {
    throw new ConversationGone(run.execution.id, "replay");
  }
  const first = run.terms.values().next().value;
  const problems: string[] = [];
  const forkedAt = run.request.fork?.step ?? 0;
  const played = await playCassette(cassette, {
    run,
    agent,
    ports: {
      ...ports,
      openTools: (agent, { signal }) =>
        ports.openTools(agent, {
          signal,
          onUnavailable: (reason) => problems.push(reason),
          ...(!withAllTools && { offline: true }),
        }),
    },
    ...(!withAllTools && {
      recordedTools: (call) => externalTools((termsOf(run, call) ?? first)?.tools ?? []),
    }),
    // The copied steps of a fork belong to another agent or prompt, so their requests are not compared.
    check: createRequestCheck(run, {
      copied: forkedAt,
      today: {
        models: modelChain(agent.model).map(({ provider, name }) => `${provider}/${name}`),
        customTools: agent.customTools,
        mcp: agent.mcp,
      },
      redactor: ports.redactor,
    }),
    ...await otherSeed(run, { agent, ports, recorded: first?.settings.history }),
  });
  const { differences, replies } = played;
  if (differences.length === 0) {
    const logged = run.request.fork === undefined
      ? firstLogDifference(run.frames, played.frames)
      : firstForkDifference(run.frames, played.frames, forkedAt);
    if (logged !== undefined) differences.push({ ...logged, call: replies });
  }
  return {
    differences: [...problems.map(toDifference), ...differences],
    steps: differences.length === 0 ? replies : Math.max(0, (differences[0]?.call ?? 1) - 1),
    recordedSteps: stepsOf(cassette),
    notes: notesOf(run, { agent, withAllTools }),
  };
}

/** Returns the custom tools and the tools of MCP servers among these tools. */
function externalTools(tools: readonly DeclaredTool[]): DeclaredTool[] {
  return tools.filter(({ name, origin, replacesBuiltin }) =>
    origin !== undefined || replacesBuiltin || !isBuiltinName(name)
  );
}

/** Returns the current messages of earlier runs if the agent's `history` has changed. Undefined otherwise. */
async function otherSeed(
  { execution }: RecordedRun,
  { agent, ports, recorded }: Pick<ReplayOptions, "agent" | "ports"> & {
    recorded: Agent["history"] | undefined;
  },
): Promise<{ seed?: Seed }> {
  if (recorded === undefined || recorded === agent.history) return {};
  const seed = await ports.readSeed(execution);
  return seed === undefined ? {} : { seed };
}

function toDifference(reason: string): Difference {
  return { kind: "tool", call: 0, what: "what is available", recorded: null, today: reason };
}

function stepsOf({ steps }: Cassette): number {
  return steps.filter(({ type }) => type === "reply").length;
}

function notesOf(
  run: RecordedRun,
  { agent, withAllTools }: Pick<ReplayOptions, "agent" | "withAllTools">,
): string[] {
  const notes: string[] = [];
  if (run.messages.length === 0) {
    notes.push("It ended before its model was asked: there is nothing to compare");
  } else if (run.terms.size === 0) {
    notes.push("Recorded by an older version: tools and settings are not compared");
  }
  const started = [
    ...agent.customTools.map((name) => `custom tool ${name}`),
    ...agent.mcp.map((name) => `MCP server ${name}`),
  ];
  if (started.length > 0 && !withAllTools) {
    notes.push(`As recorded, because nothing is started: ${started.join(", ")}`);
  }
  return notes;
}
