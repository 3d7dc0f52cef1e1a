// An agent id that names nothing: what to say, with the id that was most likely meant, or with what is wrong with its file.
import { ApiError, type Client } from "../api/client/client.ts";
import type { AgentErrorBody } from "../api/schemas/diagnostic_schemas.ts";
import type { CliApp } from "./app.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { toOneLine } from "./output/sanitise.ts";

const LISTED = 20;

/**
 * The result of a request about an agent, or about none; the service's 404 becomes a CommandFailure that says what to do.
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
      throw new CommandFailure(EXIT.usage, `There is no agent "${agentId}": ${reason}`);
    }
    throw unknownAgent(app, agentId, await client.agents());
  }
}

/** The failure for an id whose file never parsed. */
function brokenAgent({ id, path, diagnostics }: AgentErrorBody): CommandFailure {
  const first = diagnostics.find(({ severity }) => severity === "error");
  const reason = first === undefined ? "" : `:${first.line}:${first.column}: ${first.message}`;
  return new CommandFailure(
    EXIT.failed,
    `The file of agent "${id}" does not parse: ${toOneLine(path + reason)}. ` +
      `"inkling validate" shows all that is wrong`,
  );
}

/** The failure for an id that none of the agents has. A label, a file name or a path may have been meant for one. */
export function unknownAgent(
  app: CliApp,
  agentId: string,
  agents: readonly { id: string; display_name?: string }[],
): CommandFailure {
  const ids = agents.map(({ id }) => id);
  const label = agentId.toLowerCase();
  const [, stem = ""] = /([^/\\]+?)(?:\.md)?$/.exec(agentId) ?? [];
  const suggestion = agents.find(({ display_name: name }) => name?.toLowerCase() === label)?.id ??
    ids.find((id) => id === stem) ?? app.suggest(stem, ids);
  const advice = suggestion === undefined
    ? `"inkling list" shows every agent`
    : `Did you mean "${suggestion}"?`;
  return new CommandFailure(EXIT.usage, `There is no agent "${agentId}". ${advice}`);
}

/** The failure for a command that needs an agent and was given none. */
export function agentMissing(command: string, ids: readonly string[]): CommandFailure {
  if (ids.length === 0) {
    return new CommandFailure(
      EXIT.usage,
      `Name the agent: inkling ${command} <agent>. There are none yet; "inkling list" says how to make one`,
    );
  }
  const listed = ids.slice(0, LISTED).join(", ");
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : "";
  return new CommandFailure(
    EXIT.usage,
    `Name the agent: inkling ${command} <agent>. There are: ${listed}${more}`,
  );
}
