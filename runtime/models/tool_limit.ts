// Checks the number of tools in model calls, and explains a number that is too high.
import type { ModelSettings } from "../agents/agent.ts";
import { modelEndpoint } from "./endpoint.ts";
import { refusal } from "./model.ts";

/** The maximum number of tools at OpenAI and at most endpoints with its format. */
const MOST_TOOLS = 128;

/** The remedy for too many tools, as the end of a sentence. */
export const TOOLS_REMEDY =
  'select fewer tools of an MCP server with mcp: ["server/tool*"] in the agent or ' +
  "tools: { include: [...] } in the server's entry, or set model.max_tools to the limit of the endpoint";

/**
 * Returns a message if the model has too many tools, otherwise undefined. `isCertain` is true if each call would be
 * refused.
 */
export function findTooManyTools(
  model: ModelSettings | undefined,
  count: number,
): { message: string; isCertain: boolean } | undefined {
  if (model === undefined || count <= (model.maxTools ?? MOST_TOOLS)) return undefined;
  const { maxTools = MOST_TOOLS, provider } = model;
  const { adapter } = modelEndpoint(model);
  const isGiven = model.maxTools !== undefined || adapter === "openai";
  if (!isGiven && adapter !== "compatible") return undefined;
  return {
    isCertain: isGiven,
    message: isGiven
      ? `The agent has ${count} tools, and ${provider} accepts at most ${maxTools}`
      : `The agent has ${count} tools: many endpoints accept at most ${MOST_TOOLS}`,
  };
}

/** Throws ModelError if the number of tools is so high that each call would be refused. */
export function refuseTooManyTools(model: ModelSettings | undefined, count: number): void {
  const found = findTooManyTools(model, count);
  if (!found?.isCertain) return;
  throw refusal(`${found.message}: ${TOOLS_REMEDY}`);
}
