// The policy for the hosts and addresses of http_request. Pure: it reads names and addresses, never the network.
import { classifyAddress, isSameAddress } from "./ip_address.ts";

/** The `http` settings of config.yaml, and the service's own ports and addresses. */
export interface HttpPolicy {
  /** Hosts that are open even if `deny` closes them: names, addresses, or `*.name` for all subdomains. */
  allow: readonly string[];
  /** Closed hosts. `private` closes loopback and private ranges; any other entry closes a host and its subdomains. */
  deny: readonly string[];
  /** Returns the service's TCP ports. They are never reachable on an address of this machine. */
  ownPorts: () => readonly number[];
  /** Returns the addresses of this machine. Absent: any loopback or private address may be this machine's. */
  ownAddresses?: () => readonly string[];
}

/** Names of the cloud providers' metadata services, which also serve keys. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Returns the reason that a host name is closed, as the rest of a sentence, or undefined. */
export function refuseHost(policy: HttpPolicy, host: string): string | undefined {
  const name = normalizeHost(host);
  if (METADATA_NAMES.has(name)) return "cloud metadata is closed to agents";
  if (isAllowed(policy, name)) return undefined;
  const closed = policy.deny.find((entry) => entry !== "private" && isHostOrBelow(name, entry));
  return closed === undefined ? undefined : `http.deny in config.yaml closes ${closed}`;
}

/**
 * Returns the reason that an address of `host` is closed, or undefined. `host` is a name or the address itself. Link-local
 * addresses, metadata addresses and the service's own port are always closed.
 */
export function refuseAddress(
  policy: HttpPolicy,
  target: { host: string; address: string; port: number },
): string | undefined {
  const address = normalizeHost(target.address);
  const kind = classifyAddress(address);
  if (kind === undefined) return "its address cannot be read";
  if (kind === "closed") {
    return "link-local, cloud metadata and reserved addresses are closed to agents";
  }
  if (policy.ownPorts().includes(target.port) && isOwn(policy, address, kind)) {
    return "this is the service's own port";
  }
  if (isAllowed(policy, normalizeHost(target.host)) || isAllowed(policy, address)) return undefined;
  const closed = policy.deny.find((entry) =>
    entry !== "private" && isSameAddress(normalizeHost(entry), address)
  );
  if (closed !== undefined) return `http.deny in config.yaml closes ${closed}`;
  if (kind !== "public" && policy.deny.includes("private")) {
    return "http.deny in config.yaml closes private addresses; http.allow can open a host";
  }
  return undefined;
}

/** Returns a host name for comparison: in lower case, without brackets, zone or final dot. */
export function normalizeHost(host: string): string {
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
  return own.some((one) => isSameAddress(normalizeHost(one), address));
}

function isAllowed(policy: HttpPolicy, host: string): boolean {
  return policy.allow.some((entry) => {
    const wildcard = /^\*?(?=\.)/.exec(entry);
    return wildcard === null
      ? host === normalizeHost(entry) || isSameAddress(host, normalizeHost(entry))
      : host.endsWith(normalizeHost(entry.slice(wildcard[0].length)));
  });
}

function isHostOrBelow(host: string, entry: string): boolean {
  const name = normalizeHost(entry).replace(/^\*?\./, "");
  return host === name || (classifyAddress(host) === undefined && host.endsWith(`.${name}`));
}
