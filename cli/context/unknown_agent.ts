// Creates errors for an agent id that is unknown: they suggest a similar id, or report the error in the agent's file.
import { suggest } from "../../base/text/suggestion.ts";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { AgentErrorBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { CliApp } from "./app.ts";
import { commandFailed, type CommandFailure, misuse } from "./exit.ts";
import { toOneLine } from "../output/sanitize.ts";

/** The maximum number of agents that an error message lists. */
const LISTED = 20;

/**
 * Returns the result of a request about an agent. Converts the service's 404 response to a CommandFailure that says what to
 * do.
 */
export async function orUnknownAgent<T>(
  request: Promise<T>,
  options: { app: CliApp; client: Client; agentId: string | undefined },
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const { app, client, agentId } = options;
    if (agentId === undefined || !(error instanceof ApiError) || error.status !== 404) throw error;
    const { agent_errors: broken, workspace } = await client.info();
    const file = broken.find(({ id }) => id === agentId);
    if (file !== undefined) throw brokenAgent(file);
    if (await app.missingWorkspace(workspace) !== undefined) {
      const reason = `the workspace ${toOneLine(workspace)} does not exist`;
      throw misuse(`There is no agent "${agentId}": ${reason}`);
    }
    throw unknownAgent(agentId, await client.agents());
  }
}

/** Returns the error for an agent whose file does not parse and has not been loaded before. */
function brokenAgent({ id, path, diagnostics }: AgentErrorBody): CommandFailure {
  const first = diagnostics.find(({ severity }) => severity === "error");
  const reason = first === undefined ? "" : `:${first.line}:${first.column}: ${first.message}`;
  return commandFailed(
    `The file of agent "${id}" does not parse: ${toOneLine(path + reason)}. ` +
      `"inkling validate" lists every error`,
  );
}

/**
 * Returns the error for an unknown agent id. If the id is a label, a file name or a path of an agent, it suggests the
 * agent's id.
 */
export function unknownAgent(
  agentId: string,
  agents: readonly { id: string; display_name?: string }[],
): CommandFailure {
  const ids = agents.map(({ id }) => id);
  const label = agentId.toLowerCase();
  const [, stem = ""] = /([^/\\]+?)(?:\.md)?$/.exec(agentId) ?? [];
  const suggestion = agents.find(({ display_name: name }) => name?.toLowerCase() === label)?.id ??
    ids.find((id) => id === stem) ?? suggest(stem, ids);
  const advice = suggestion === undefined
    ? `"inkling list" lists every agent`
    : `Did you mean "${suggestion}"?`;
  return misuse(`There is no agent "${agentId}". ${advice}`);
}

/** Returns the error for a command that needs an agent but was called without an agent. */
export function agentMissing(command: string, ids: readonly string[]): CommandFailure {
  if (ids.length === 0) {
    return misuse(
      `Name the agent: inkling ${command} <agent>. There are no agents yet; "inkling list" shows how to create one`,
    );
  }
  const listed = ids.slice(0, LISTED).join(", ");
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : "";
  return misuse(`Name the agent: inkling ${command} <agent>. Agents: ${listed}${more}`);
}
