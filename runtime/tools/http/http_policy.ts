// Which hosts and addresses http_request may reach. Pure: it looks at names and addresses, never at the network.
import { classifyAddress, isSameAddress } from "./ip_address.ts";

/** What the administrator set under `http` in config.yaml, in the form of requests, and what the service itself occupies. */
export interface HttpPolicy {
  /** Hosts (names, addresses, or `*.name` for all below a name) that are open although `deny` would close them. */
  allow: readonly string[];
  /** `private` closes loopback and private ranges; anything else is a host that is closed with all below it. */
  deny: readonly string[];
  /** TCP ports the service listens on; never reachable on an address of this machine. */
  ownPorts: () => readonly number[];
  /** Addresses of this machine. Without it every loopback and private address may be this machine's. */
  ownAddresses?: () => readonly string[];
}

/** Names under which cloud providers serve metadata of the machine, keys included. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Why a host name is closed, as the rest of a sentence; undefined when the name itself is not. */
export function refuseHost(policy: HttpPolicy, host: string): string | undefined {
  const name = normaliseHost(host);
  if (METADATA_NAMES.has(name)) return "cloud metadata is closed to agents";
  if (isAllowed(policy, name)) return undefined;
  const closed = policy.deny.find((entry) => entry !== "private" && isHostOrBelow(name, entry));
  return closed === undefined ? undefined : `http.deny in config.yaml closes ${closed}`;
}

/**
 * Why an address is closed that `host` (a name, or the address itself) leads to; undefined when it is open. Nothing
 * opens link-local and metadata addresses or the service's own port.
 */
export function refuseAddress(
  policy: HttpPolicy,
  target: { host: string; address: string; port: number },
): string | undefined {
  const address = normaliseHost(target.address);
  const kind = classifyAddress(address);
  if (kind === undefined) return "its address cannot be read";
  if (kind === "closed") {
    return "link-local, cloud metadata and reserved addresses are closed to agents";
  }
  if (policy.ownPorts().includes(target.port) && isOwn(policy, address, kind)) {
    return "this is the service's own port";
  }
  if (isAllowed(policy, normaliseHost(target.host)) || isAllowed(policy, address)) return undefined;
  const closed = policy.deny.find((entry) =>
    entry !== "private" && isSameAddress(normaliseHost(entry), address)
  );
  if (closed !== undefined) return `http.deny in config.yaml closes ${closed}`;
  if (kind !== "public" && policy.deny.includes("private")) {
    return "http.deny in config.yaml closes private addresses; http.allow can open a host";
  }
  return undefined;
}

/** A host name for comparison: lower case, without brackets, zone or the dot at its end. */
export function normaliseHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, "").replace(/%.*$/, "").replace(/\.$/, "");
}

function isOwn(
  policy: HttpPolicy,
  address: string,
  kind: "public" | "private" | "loopback",
): boolean {
  if (kind === "loopback") return true;
  const own = policy.ownAddresses?.();
  if (own === undefined) return kind === "private";
  return own.some((one) => isSameAddress(normaliseHost(one), address));
}

function isAllowed(policy: HttpPolicy, host: string): boolean {
  return policy.allow.some((entry) => {
    const wildcard = /^\*?(?=\.)/.exec(entry);
    return wildcard === null
      ? host === normaliseHost(entry) || isSameAddress(host, normaliseHost(entry))
      : host.endsWith(normaliseHost(entry.slice(wildcard[0].length)));
  });
}

function isHostOrBelow(host: string, entry: string): boolean {
  const name = normaliseHost(entry).replace(/^\*?\./, "");
  return host === name || (classifyAddress(host) === undefined && host.endsWith(`.${name}`));
}
