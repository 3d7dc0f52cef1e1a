// Defines the contexts of all views: the shared objects of the page, and the agents by id.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../api/client/client.ts";
import type { ServiceLink } from "./link.ts";
import type { Right } from "../../runtime/vocabulary/rights.ts";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";

/** The page's collaborators. */
export interface Service {
  client: Client;
  clock: Clock;
  link: ServiceLink;
  /** Announces a sentence in the live region. */
  announce: (sentence: string) => void;
}

/** The context that provides the shared objects to the page. */
export const ServiceContext = createContext<Service | null>(null);

/** Returns the shared objects of the page. Throws TypeError outside of the page. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === null) throw new TypeError("The component is outside of the service context");
  return service;
}

/** Agents by id. */
export type AgentsById = ReadonlyMap<string, AgentSummary>;

/** The context that provides the agents to the views. */
export const AgentsContext = createContext<AgentsById>(new Map());

/** The context that provides the sender of the page's requests to the views. Null until it is known. */
export const PersonContext = createContext<Awaited<ReturnType<Client["whoami"]>> | null>(null);

/**
 * Returns the person's name, a function that tests for a right, and the permission to change files. Until the rights are
 * known, all count as given.
 */
export function usePerson(): {
  name: string | null;
  may: (right: Right) => boolean;
  mayEditFiles: boolean;
} {
  const person = useContext(PersonContext);
  return {
    name: person?.name ?? null,
    may: (right) => person?.rights.includes(right) ?? true,
    mayEditFiles: person?.may_edit_files ?? true,
  };
}

/** Returns the loaded agents by id. */
export function useAgents(): AgentsById {
  return useContext(AgentsContext);
}
