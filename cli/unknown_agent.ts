// An agent id that names nothing: what to say, with the id that was most likely meant.
import { ApiError, type Client } from "../server/client.ts";
import type { CliApp } from "./app.ts";
import { CommandFailure, EXIT } from "./exit.ts";

const LISTED = 20;

/** The result of a request about an agent; the service's 404 becomes a CommandFailure with a suggestion. */
export async function orUnknownAgent<T>(
  request: Promise<T>,
  options: { app: CliApp; client: Client; agentId: string },
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    const ids = (await options.client.agents()).map(({ id }) => id);
    throw unknownAgent(options.app, options.agentId, ids);
  }
}

/** The failure for an id that is none of `ids`. */
export function unknownAgent(
  app: CliApp,
  agentId: string,
  ids: readonly string[],
): CommandFailure {
  const suggestion = app.suggest(agentId, ids);
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
