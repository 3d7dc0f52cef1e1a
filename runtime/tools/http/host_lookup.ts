// Resolves the host name of a connection. Every address of the name is checked against the policy, and the connection goes
// only to a checked address.
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { type HttpPolicy, refuseAddress } from "./http_policy.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** A function that resolves a host name to its addresses. Rejects if the name has no addresses. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

/** Resolves a host name with the system's resolver. */
export function resolveHostBySystem(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true });
}

/**
 * Returns a lookup function for a connection to a port. It reports a ToolFailure if the policy refuses an address of the
 * name.
 */
export function guardedLookup(
  options: { policy: HttpPolicy; resolveHost: ResolveHost },
  port: number,
): LookupFunction {
  return (host, wanted, callback) => {
    options.resolveHost(host).then((addresses) => {
      // A single forbidden address is enough to refuse the name, because the connection may use any of its addresses.
      const refusal = addresses.map(({ address }) =>
        refuseAddress(options.policy, { host, address, port })
      ).find((one) => one !== undefined);
      const first = addresses[0];
      if (refusal !== undefined) {
        return callback(new ToolFailure(`Cannot request ${host}: ${refusal}.`), "");
      }
      if (first === undefined) return callback(new Error("the name has no address"), "");
      if (wanted.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    }).catch((error: Error) => callback(error, ""));
  };
}
