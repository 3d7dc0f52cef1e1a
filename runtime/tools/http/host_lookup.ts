// How a connection looks a name up: every address that the name stands for is held against the policy, and the connection
// goes to one of these and to no other.
import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { type HttpPolicy, refuseAddress } from "./http_policy.ts";
import { ToolFailure } from "../tool_failure.ts";

/** One address that a name stands for. */
export interface NamedAddress {
  address: string;
  family: number;
}

/** Resolves a host name; rejects when there is none. */
export type ResolveHost = (host: string) => Promise<NamedAddress[]>;

/** The machine's own way to resolve names. */
export function resolveHostBySystem(host: string): Promise<NamedAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<NamedAddress[]>();
  systemLookup(host, { all: true }, (error, addresses) => {
    if (error) reject(error);
    else resolve(addresses);
  });
  return promise;
}

/** The look-up of one connection to a port. It fails with ToolFailure for a name with a closed address. */
export function guardedLookup(
  options: { policy: HttpPolicy; resolveHost: ResolveHost },
  port: number,
): LookupFunction {
  return (host, wanted, callback) => {
    options.resolveHost(host).then((addresses) => {
      // One closed address closes the name: which of them a connection takes is chance.
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
