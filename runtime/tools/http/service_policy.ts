// Creates the host policy of a service from config.yaml and the service's ports and addresses.
import type { HttpPolicy } from "./http_policy.ts";

/**
 * Returns a policy that reads the settings and addresses at each request, because config.yaml and the machine's networks
 * may change.
 */
export function servicePolicy(
  settings: { readonly config: { http: Pick<HttpPolicy, "allow" | "deny"> } },
  ownPorts: () => readonly number[],
): HttpPolicy {
  return {
    get allow() {
      return settings.config.http.allow;
    },
    get deny() {
      return settings.config.http.deny;
    },
    ownPorts,
    ownAddresses,
  };
}

/** Returns the IP addresses of this machine's network interfaces. */
export function ownAddresses(): string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}
