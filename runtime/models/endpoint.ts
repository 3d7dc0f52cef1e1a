// Resolves the settings of a model to its endpoint: adapter, address and key variable. Has no side effects, because
// `validate` uses it, too.
import type { ModelSettings } from "../agents/agent.ts";
import { type AdapterName, findProvider, NAMED_PROVIDERS } from "../config/providers.ts";
import { ModelError, refusal } from "./model.ts";

/** The endpoint that a model's settings name. */
export interface ModelEndpoint {
  /** The id of the model, `provider/name`. */
  id: string;
  adapter: AdapterName;
  /** The base URL of the endpoint; empty for a model without network calls. */
  baseUrl: string;
  /** The name of the environment variable with the key; null for an adapter that uses no key. */
  keyVariable: string | null;
  /** True if a call without a key is refused. */
  keyRequired: boolean;
  /**
   * The host that would receive the key of a known provider although the host belongs to somebody else; null if there is
   * none.
   */
  foreignHost: string | null;
}

/** Returns the endpoint of a model. Throws ModelError for a provider without an address, or an invalid address. */
export function modelEndpoint(settings: ModelSettings): ModelEndpoint {
  const { provider, name } = settings;
  const known = findProvider(provider);
  if (settings.baseUrl === undefined && known === undefined) {
    throw refusal(
      `Unknown model provider "${provider}": use one of ${NAMED_PROVIDERS.join(", ")}, ` +
        `or give the endpoint's base_url`,
    );
  }
  const given = settings.baseUrl === undefined
    ? undefined
    : parseBaseUrl(settings.baseUrl, provider);
  const adapter = known?.adapter ?? (isOpenAiHost(given?.hostname) ? "openai" : "compatible");
  const loopback = given === undefined || isLoopbackHost(given.hostname);
  const keyVariable = settings.apiKeyEnv ?? keyVariableOf(provider);
  const foreign = given !== undefined && !loopback &&
    [known, keyOwner(keyVariable)].some((one) =>
      one?.hosts && !isHostOf(one.hosts, given.hostname)
    );
  return {
    id: `${provider}/${name}`,
    adapter,
    baseUrl: given === undefined ? known?.url ?? "" : baseUrlOf(given, adapter),
    keyVariable: known?.key === "none" ? null : keyVariable,
    keyRequired: known?.key === undefined || (known.key === "elsewhere" && !loopback),
    foreignHost: foreign ? given.host : null,
  };
}

/** Returns the host and port that a model calls; null for a model without network calls. Throws as modelEndpoint() does. */
export function modelHost(settings: ModelSettings): string | null {
  const { adapter, baseUrl } = modelEndpoint(settings);
  return adapter === "demo" ? null : hostAndPort(new URL(baseUrl));
}

/** Returns the result of `work`, or undefined for settings without an endpoint: the check of an agent's model reports them. */
export function ifUsable<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

/** Returns the host and port of a URL, such as `example.com:443`. A missing port is the default of the scheme. */
export function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}

/** Returns the default name of a provider's key variable, such as `OPENAI_API_KEY` or `MY_ENDPOINT_API_KEY`. */
export function keyVariableOf(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

/** Returns true if a host name names this machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    hostname === "0.0.0.0" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Returns the built-in provider whose key this variable contains, or undefined. An agent may name the variable for another
 * provider.
 */
function keyOwner(variable: string): ReturnType<typeof findProvider> {
  return findProvider(NAMED_PROVIDERS.find((name) => keyVariableOf(name) === variable) ?? "");
}

/** Returns true if the host has OpenAI's own variant of Chat Completions. */
function isOpenAiHost(hostname: string | undefined): boolean {
  return hostname !== undefined && isHostOf(["openai.com", "openai.azure.com"], hostname);
}

function isHostOf(hosts: readonly string[], hostname: string): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}

function parseBaseUrl(text: string, provider: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw refusal(
      `Cannot use base_url of provider "${provider}": it is not an http or https address`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw refusal(
      `Cannot use base_url of provider "${provider}": it contains a user name or password; ` +
        `put the key into ${keyVariableOf(provider)}`,
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw refusal(
      `Cannot use base_url of provider "${provider}": it must not have a query or a fragment`,
    );
  }
  return url;
}

/**
 * Returns the base URL in the form that the adapter needs. For Chat Completions it ends with the version; other adapters
 * add their own path.
 */
function baseUrlOf(url: URL, adapter: AdapterName): string {
  const path = url.pathname.replace(/\/+$/, "");
  if (adapter !== "openai" && adapter !== "compatible") return `${url.origin}${path}`;
  // Users copy the whole endpoint from examples of a provider, so the path of the call is removed.
  const base = path.replace(/\/chat\/completions$/, "");
  // The version may be another than v1 (/api/paas/v4), and may precede other segments (/v1beta/openai).
  const versioned = base.split("/").some((segment) => /^v\d+(alpha|beta)?\d*$/.test(segment));
  return `${url.origin}${base}${versioned ? "" : "/v1"}`;
}
