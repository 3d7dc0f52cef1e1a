// Renews the instructions of skills in a cassette. Instructions are part of the agent, so a recorded load of a skill is
// played with the current text.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { SystemClock } from "../../base/clock.ts";
import type { Agent } from "../agents/agent.ts";
import { parseArguments } from "../tools/definition/arguments.ts";
import type { ActionTool, ToolContext } from "../tools/definition/tool.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import type { Cassette, CassetteCall, CassetteQuestion, CassetteStep } from "./cassette.ts";
import type { PlayPorts } from "./play_options.ts";

const LOADS = "skill_use";

/**
 * Returns the cassette with the current instructions of the agent's skills. `takenOver` is the number of replies that a
 * fork copied from another run, which stay unchanged.
 */
export async function withTodaysSkills(
  cassette: Cassette,
  options: { agent: Agent; ports: PlayPorts; takenOver: number },
): Promise<Cassette> {
  const loader = new SkillLoader(options);
  let replies = 0;
  const steps: CassetteStep[] = [];
  for (const [index, step] of cassette.steps.entries()) {
    if (step.type !== "reply" || ++replies <= options.takenOver) {
      steps.push(step);
      continue;
    }
    const behind = cassette.steps.slice(index + 1);
    const end = behind.findIndex(({ type }) => type === "reply");
    const asked = behind.slice(0, end < 0 ? undefined : end);
    const calls: CassetteCall[] = [];
    for (const call of step.calls) calls.push(await loader.renew(call, asked));
    steps.push({ ...step, calls });
  }
  return { ...cassette, steps };
}

class SkillLoader {
  readonly #agent: Agent;
  readonly #ports: PlayPorts;
  #opened: Promise<{ tool: ActionTool; context: ToolContext } | undefined> | undefined;

  constructor({ agent, ports }: { agent: Agent; ports: PlayPorts }) {
    this.#agent = agent;
    this.#ports = ports;
  }

  /** Returns the call with the current instructions. A call that loaded none stays unchanged. */
  async renew(call: CassetteCall, asked: readonly CassetteStep[]): Promise<CassetteCall> {
    const { id, name, result } = call;
    if (name !== LOADS || result?.instructions === undefined) return call;
    const opened = await (this.#opened ??= this.#open());
    // The agent no longer has skills, which is reported as a missing tool.
    if (opened === undefined) return call;
    const { tool, context } = opened;
    const { instructions: _before, ...rest } = result;
    try {
      const args = tool.check(editedArguments(id, asked) ?? parseArguments(call.arguments));
      const today = await tool.run(args, { ...context, toolCallId: id });
      if (typeof today === "string") return { ...call, result: { ...rest, content: today } };
      return { ...call, result: { ...rest, ...today } };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return { ...call, result: { ...rest, content: error.message, is_error: true } };
    }
  }

  async #open(): Promise<{ tool: ActionTool; context: ToolContext } | undefined> {
    const agent = this.#agent;
    const { openTools, openSandbox, redactor } = this.#ports;
    const { signal } = new AbortController();
    const { toolbox } = await openTools(agent, { signal, offline: true, onUnavailable: () => {} });
    const tool = toolbox.get(LOADS);
    if (tool === undefined || !("run" in tool)) return undefined;
    return {
      tool,
      context: {
        signal,
        executionId: 0,
        toolCallId: "",
        startedAt: 0,
        agent,
        sandbox: await openSandbox(agent, { lineage: [] }),
        clock: new SystemClock(),
        answers: [],
        report: () => Promise.resolve(),
        redactor,
        log: () => {},
      },
    };
  }
}

/** Returns the arguments that a person edited in the approval. Undefined if nobody did. */
function editedArguments(id: string, asked: readonly CassetteStep[]): JsonObject | undefined {
  const guard = asked.find((step): step is CassetteQuestion =>
    step.type === "question" && step.call === id && step.is_guard
  );
  const answer: unknown = guard?.answer;
  const edited = isJsonObject(answer) ? answer["arguments"] : undefined;
  return isJsonObject(edited) ? edited : undefined;
}
