// The agents as every view names them: icon and display name of an id, also of one whose file is gone.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { AgentSummary } from "../../../schemas/agent_schemas.ts";

/** Agents by id. */
export type AgentsById = ReadonlyMap<string, AgentSummary>;

/** Provided once, around the views. */
export const AgentsContext = createContext<AgentsById>(new Map());

/** The agents that are known now. */
export function useAgents(): AgentsById {
  return useContext(AgentsContext);
}
