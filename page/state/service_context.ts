// The context of every view: the client, the clock, the connection, announcements for screen readers, and the agents by id.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../api/client/client.ts";
import type { ServiceLink } from "./link.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";

/** The page's collaborators. */
export interface Service {
  client: Client;
  clock: Clock;
  link: ServiceLink;
  /** Says a sentence through the live region, and shows it for a while. */
  announce: (sentence: string) => void;
}

/** Provided once, around the page. */
export const ServiceContext = createContext<Service | null>(null);

/** The page's collaborators. Throws TypeError outside of the page. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new TypeError("There is no service around this component");
  return service;
}

/** Agents by id. */
export type AgentsById = ReadonlyMap<string, AgentSummary>;

/** Provided once, around the views. */
export const AgentsContext = createContext<AgentsById>(new Map());

/** The agents that are known now. */
export function useAgents(): AgentsById {
  return useContext(AgentsContext);
}
