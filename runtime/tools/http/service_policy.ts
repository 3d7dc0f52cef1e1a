// The rules on hosts of one service: what config.yaml says now, with the ports and addresses that are its own now.
import type { HttpPolicy } from "./http_policy.ts";

/** Asked at each request: config.yaml may change, and networks come and go while a service runs. */
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

/** The addresses of this machine. */
export function ownAddresses(): string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}
