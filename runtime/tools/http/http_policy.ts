// Decides which hosts and addresses http_request may reach. The functions only compare names and addresses, and never use
// the network.
import { classifyAddress, isSameAddress } from "./ip_address.ts";

/** The `http` settings of config.yaml, and the service's own ports and addresses. */
export interface HttpPolicy {
  /** Hosts that are allowed even if `deny` contains them: names, addresses, or `*.name` for all subdomains. */
  allow: readonly string[];
  /**
   * Hosts that are refused. `private` stands for loopback and private addresses; any other entry refuses a host and its
   * subdomains.
   */
  deny: readonly string[];
  /** Returns the service's TCP ports, which are always refused on an address of this machine. */
  ownPorts: () => readonly number[];
}

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
  };
}

/** The host names of the cloud providers' metadata services. These services return keys, so they are always refused. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Returns the reason that a host name is refused, as a clause, or undefined. */
export function refuseHost(policy: HttpPolicy, host: string): string | undefined {
  const name = normalizeHost(host);
  if (METADATA_NAMES.has(name)) return "cloud metadata is closed to agents";
  if (isAllowed(policy, name)) return undefined;
  const closed = policy.deny.find((entry) => entry !== "private" && isHostOrBelow(name, entry));
  return closed === undefined ? undefined : `http.deny in config.yaml closes ${closed}`;
}

/**
 * Returns the reason that an address of `host` is refused, as a clause, or undefined. `host` is a name or the address
 * itself. Link-local addresses, metadata addresses and the service's own ports are always refused.
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
  const isOwn = () =>
    kind === "loopback" ||
    Deno.networkInterfaces().some((one) => isSameAddress(normalizeHost(one.address), address));
  if (policy.ownPorts().includes(target.port) && isOwn()) {
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

/** Returns a host name in the form used for comparison: in lower case, without brackets, zone or final dot. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, "").replace(/%.*$/, "").replace(/\.$/, "");
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
