// Checks a call's arguments that a person edited. They must be valid for the tool before the answer is stored.
import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../../agents/agent.ts";
import { untilAborted, withinTime } from "../../../base/bounded_wait.ts";
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { givenArguments, MAX_LEVELS } from "../../tools/definition/arguments.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import { ToolsUnavailable } from "../../tools/failures/tools_unavailable.ts";
import {
  AnswerMisfit,
  ArgumentsNotChecked,
  type HumanAnswer,
  type HumanRequest,
} from "../human_request.ts";
import type { RunnerPorts } from "./runner_ports.ts";

/** The time limit in milliseconds for opening the agent's tools. */
const PATIENCE_MS = 30_000;

type Ports = Pick<RunnerPorts, "openTools" | "clock" | "redactor"> & {
  active: { stopping: AbortSignal };
};

/**
 * Returns the answer with the checked arguments, or without arguments if the person changed nothing. Throws AnswerMisfit
 * for invalid arguments, and ArgumentsNotChecked if the tools cannot be opened.
 */
export async function checkEditedCall(
  request: HumanRequest,
  { answer, agent }: { answer: HumanAnswer; agent: Agent },
  ports: Ports,
): Promise<HumanAnswer> {
  if (!("approved" in answer) || answer.arguments === undefined) return answer;
  const { arguments: given, ...verdict } = answer;
  const { toolName, toolArgs } = request;
  if (!answer.approved) throw new AnswerMisfit("`arguments` go with an approval only");
  if (!request.isGuard) {
    throw new AnswerMisfit(
      `This is a question of ${toolName} itself: its call has begun, and keeps its arguments`,
    );
  }
  if (isDeeperThan(given, MAX_LEVELS)) {
    throw new AnswerMisfit(`The arguments are nested over ${MAX_LEVELS} levels deep`);
  }
  const shown = ports.redactor.redactValue(toolArgs);
  const whole = withSecrets(given, { own: toolArgs, shown }, []);
  const tool = (await openToolbox(agent, ports)).get(toolName);
  if (tool === undefined) {
    throw new AnswerMisfit(`Agent '${agent.id}' does not have the tool ${toolName} any more`);
  }
  try {
    const args = tool.check(whole);
    // delegation() also checks that the agent may call the other agent.
    tool.delegation?.(args);
    if (isDeepStrictEqual(args, tool.check(toolArgs))) return verdict;
    return { ...verdict, arguments: givenArguments(args, whole) };
  } catch (error) {
    if (error instanceof ToolFailure) throw new AnswerMisfit(error.message, { cause: error });
    throw error;
  }
}

async function openToolbox(agent: Agent, { openTools, clock, active }: Ports) {
  const reason = new ToolsUnavailable("the agent's tools were not there within 30 s");
  try {
    const { toolbox } = await withinTime(
      { clock, ms: PATIENCE_MS, reason, signal: active.stopping },
      (signal) => untilAborted(openTools(agent, { signal }), signal),
    );
    return toolbox;
  } catch (error) {
    if (!(error instanceof ToolsUnavailable)) throw error;
    throw new ArgumentsNotChecked(`The arguments cannot be checked now: ${error.message}`, {
      cause: error,
    });
  }
}

const PLACEHOLDER = /\[redacted:[^\]\n]+\]/;

/**
 * Restores the secrets in edited arguments. People edit redacted texts, which contain a placeholder for each secret. An
 * unchanged text is replaced by the text of the original call. A placeholder in a changed text is an error, because its
 * secret is unknown.
 */
function withSecrets<Value extends JsonValue>(
  given: Value,
  { own, shown }: { own: JsonValue | undefined; shown: JsonValue | undefined },
  place: readonly string[],
): Value;
function withSecrets(
  given: JsonValue,
  { own, shown }: { own: JsonValue | undefined; shown: JsonValue | undefined },
  place: readonly string[],
): JsonValue {
  if (given === shown && own !== undefined) return own;
  if (typeof given === "string") {
    const found = PLACEHOLDER.exec(given)?.[0];
    const isItsOwn = found !== undefined && own === shown && typeof own === "string" &&
      own.includes(found);
    if (found === undefined || isItsOwn) return given;
    throw new AnswerMisfit(
      `"${
        place.join(".")
      }": ${found} stands for a secret that is not shown. Leave this argument as it ` +
        "is, or write what is to stand there",
    );
  }
  if (typeof given !== "object" || given === null) return given;
  const inner = (key: string) => ({ own: entryOf(own, key), shown: entryOf(shown, key) });
  if (Array.isArray(given)) {
    return given.map((one, index) =>
      withSecrets(one, inner(String(index)), [...place, String(index)])
    );
  }
  const entries = Object.entries(given).map(([key, one]): [string, JsonValue] => {
    if (PLACEHOLDER.test(key) && entryOf(own, key) === undefined) {
      throw new AnswerMisfit(`"${[...place, key].join(".")}": this name stands for a secret`);
    }
    return [key, withSecrets(one, inner(key), [...place, key])];
  });
  const result: JsonObject = Object.fromEntries(entries);
  return result;
}

function entryOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
