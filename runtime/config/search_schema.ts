// Defines `search` in config.yaml: the service that answers the searches of agents.
import { z } from "zod";
import { baseUrl, optional, section, variableName } from "./fields.ts";

/** The services that can answer searches. */
export const SEARCH_PROVIDERS = ["searxng", "brave", "tavily"] as const;
/** A value of SEARCH_PROVIDERS. */
export type SearchProvider = typeof SEARCH_PROVIDERS[number];

/** The address of each service, and the variable with its key. Everybody runs an own SearXNG. */
const SERVICES: Readonly<Record<SearchProvider, { url?: string; keyEnv?: string }>> = {
  searxng: {},
  brave: { url: "https://api.search.brave.com", keyEnv: "BRAVE_API_KEY" },
  tavily: { url: "https://api.tavily.com", keyEnv: "TAVILY_API_KEY" },
};

/** The service for searches. */
export interface SearchSettings {
  provider: SearchProvider;
  /** The address of the service, without a slash at its end. */
  baseUrl: string;
  /** The variable with the key. Undefined: the service needs none. */
  keyEnv: string | undefined;
}

/** The schema of `search`. */
export const SEARCH = section({
  provider: optional(z.enum(SEARCH_PROVIDERS)).meta({
    description: "The service that answers `web_search`, for agents with `tools: [web_search]`",
  }),
  base_url: optional(baseUrl).meta({
    description: "The address of the service; required for searxng",
    default: "the provider's",
  }),
  key_env: optional(variableName).meta({
    description: "The variable that holds the key of the service",
    default: "`BRAVE_API_KEY`, `TAVILY_API_KEY`, or none for searxng",
  }),
}).superRefine(({ provider, ...others }, context) => {
  const lack = (message: string) => context.addIssue({ code: "custom", message });
  if (provider === undefined && Object.values(others).some((one) => one !== undefined)) {
    lack(`must have provider: one of ${SEARCH_PROVIDERS.join(", ")}`);
  }
  if (provider === "searxng" && others.base_url === undefined) {
    lack("must have base_url: the address of your SearXNG");
  }
});

/** Converts `search` of a file without errors. Returns null if the file names no service. */
export function toSearch(
  { provider, base_url: url, key_env: keyEnv }: z.output<typeof SEARCH>,
): SearchSettings | null {
  if (provider === undefined) return null;
  const service = SERVICES[provider];
  const baseUrl = (url ?? service.url ?? "").replace(/\/+$/, "");
  return { provider, baseUrl, keyEnv: keyEnv ?? service.keyEnv };
}

/** Returns the reason that no search is possible, as a sentence without its dot, or undefined. */
export function describeMissingSearch(
  search: SearchSettings | null,
  lookup: (name: string) => string | undefined,
): string | undefined {
  if (search === null) {
    return "web_search needs a service: add `search: { provider: searxng, base_url: ... }`, brave or tavily to config.yaml";
  }
  const { keyEnv, provider } = search;
  return keyEnv !== undefined && !lookup(keyEnv)
    ? `web_search needs the key of ${provider} in the variable ${keyEnv}, which is not set`
    : undefined;
}
