// Finds out whether agents may run unattended, from the service or from the application in this process.
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import { findMissingConditions, type MissingCondition } from "../../present/readiness.ts";
import type { CliApp } from "../context/app.ts";
import type { CommandContext } from "../context/context.ts";
import { openReader } from "./connection.ts";

/** Returns the missing conditions for the answers of a service, or of the application in this process. */
export function assessReadiness(
  app: CliApp,
  answers: { isRunning: boolean; info: InfoBody; agents: readonly AgentSummary[] },
): MissingCondition[] {
  return findMissingConditions({ unit: app.findUnit(), isConfined: app.isConfined, ...answers });
}

/** Asks the service, or the application in this process, and returns the missing conditions. */
export async function readReadiness(
  { app, workspace }: CommandContext,
): Promise<MissingCondition[]> {
  await using reader = await openReader(app, workspace);
  const { client, isService: isRunning } = reader;
  const [info, agents] = await Promise.all([client.info(), client.agents({ fresh: true })]);
  return assessReadiness(app, { isRunning, info, agents });
}
