// The name lookup of a connection. Every address of the name is checked against the policy, and the connection goes only to
// a checked address.
import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { type HttpPolicy, refuseAddress } from "./http_policy.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** One address of a name. */
export interface NamedAddress {
  address: string;
  family: number;
}

/** Resolves a host name. Rejects when it has no address. */
export type ResolveHost = (host: string) => Promise<NamedAddress[]>;

/** Resolves a name with the system's resolver. */
export function resolveHostBySystem(host: string): Promise<NamedAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<NamedAddress[]>();
  systemLookup(host, { all: true }, (error, addresses) => {
    if (error) reject(error);
    else resolve(addresses);
  });
  return promise;
}

/** Returns the lookup function for a connection to a port. It fails with ToolFailure for a name with a closed address. */
export function guardedLookup(
  options: { policy: HttpPolicy; resolveHost: ResolveHost },
  port: number,
): LookupFunction {
  return (host, wanted, callback) => {
    options.resolveHost(host).then((addresses) => {
      // One closed address closes the name, because a connection may use any of them.
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
