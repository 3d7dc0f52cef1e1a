// Parses IP addresses and finds the kind of network that each belongs to.
import { isIPv4 } from "node:net";

/**
 * The kind of network of an address. `closed` addresses are never reachable for agents: link-local, cloud metadata,
 * multicast, reserved, unspecified.
 */
export type AddressKind = "public" | "private" | "loopback" | "closed";

/** The networks that are not public. The first network that contains an address decides. */
const NETWORKS: readonly (readonly [AddressKind, string])[] = [
  // Cloud metadata services with addresses that are not link-local: Alibaba, Oracle, Azure; over IPv6 AWS, Google,
  // Scaleway.
  ["closed", "100.100.100.200/32"],
  ["closed", "192.0.0.192/32"],
  ["closed", "168.63.129.16/32"],
  ["closed", "fd00:ec2::/32"],
  ["closed", "fd20:ce::/32"],
  ["closed", "fd00:42::/32"],
  ["closed", "0.0.0.0/8"],
  ["closed", "169.254.0.0/16"],
  ["closed", "224.0.0.0/4"],
  ["closed", "240.0.0.0/4"],
  ["closed", "::/128"],
  ["closed", "fe80::/10"],
  ["closed", "ff00::/8"],
  ["loopback", "127.0.0.0/8"],
  ["loopback", "::1/128"],
  ["private", "10.0.0.0/8"],
  ["private", "100.64.0.0/10"],
  ["private", "172.16.0.0/12"],
  ["private", "192.0.0.0/24"],
  ["private", "192.168.0.0/16"],
  ["private", "198.18.0.0/15"],
  ["private", "fc00::/7"],
  ["private", "fec0::/10"],
];

/**
 * The IPv6 networks whose addresses contain an IPv4 address: the index of its first byte, and the value that its bytes are
 * XORed with.
 */
const EMBEDDED: readonly { network: string; at: number; xor: number }[] = [
  { network: "::ffff:0:0/96", at: 12, xor: 0 },
  { network: "::ffff:0:0:0/96", at: 12, xor: 0 },
  { network: "64:ff9b::/96", at: 12, xor: 0 },
  { network: "64:ff9b:1::/48", at: 12, xor: 0 },
  { network: "2002::/16", at: 2, xor: 0 },
  { network: "2001::/32", at: 12, xor: 0xff },
  { network: "::/96", at: 12, xor: 0 },
];

/** Returns the 4 or 16 bytes of an IP address, without its zone. Returns undefined if the text is no IP address. */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.includes(":")) return parseIpv6(text.replace(/%.*$/, ""));
  return isIPv4(text) ? Uint8Array.from(text.split("."), Number) : undefined;
}

/** Returns the kind of network that an address belongs to, or undefined if the text is no address. */
export function classifyAddress(text: string): AddressKind | undefined {
  const bytes = parseAddress(text);
  return bytes === undefined ? undefined : classify(bytes);
}

/** Returns true if two texts are the same IP address. An IPv4 address equals its IPv4-mapped IPv6 form. */
export function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [parseAddress(one), parseAddress(other)].map((bytes) =>
    bytes !== undefined && contains(MAPPED, bytes) ? bytes.slice(12) : bytes
  );
  return a !== undefined && b !== undefined && a.length === b.length &&
    a.every((byte, index) => byte === b[index]);
}

function classify(bytes: Uint8Array): AddressKind {
  const own = NETWORK_BYTES.find(({ network }) => contains(network, bytes));
  if (own !== undefined) return own.kind;
  if (bytes.length === 4) return "public";
  const embedded = EMBEDDED_BYTES.find(({ network }) => contains(network, bytes));
  if (embedded === undefined) return "public";
  const { at, xor } = embedded;
  return classify(bytes.slice(at, at + 4).map((byte) => byte ^ xor));
}

const NETWORK_BYTES = NETWORKS.map(([kind, text]) => ({ kind, network: parseNetwork(text) }));
const EMBEDDED_BYTES = EMBEDDED.map((one) => ({ ...one, network: parseNetwork(one.network) }));

const MAPPED = parseNetwork("::ffff:0:0/96");

function parseNetwork(text: string) {
  const [address = "", bits = ""] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === undefined) throw new TypeError(`Not a network: ${text}`);
  return { bytes, bits: Number(bits) };
}

function contains(network: ReturnType<typeof parseNetwork>, address: Uint8Array): boolean {
  if (network.bytes.length !== address.length) return false;
  for (let i = 0, left = network.bits; left > 0; i++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if (((network.bytes[i] ?? 0) & mask) !== ((address[i] ?? 0) & mask)) return false;
  }
  return true;
}

function parseIpv6(text: string): Uint8Array | undefined {
  // The URL parser checks the address and writes it without an IPv4 part.
  const host = /^[0-9a-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`)?.hostname : undefined;
  if (host === undefined) return undefined;
  const [head = [], rest = []] = host.slice(1, -1).split("::")
    .map((half) => half === "" ? [] : half.split(":"));
  const zeros = Array<string>(8 - head.length - rest.length).fill("0");
  return Uint8Array.from([...head, ...zeros, ...rest].flatMap((word) => {
    const value = parseInt(word, 16);
    return [value >> 8, value & 0xff];
  }));
}
