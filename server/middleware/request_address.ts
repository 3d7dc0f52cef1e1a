// Reads the addresses of requests, and keeps the parts of recent ones, because clients poll few addresses.

/** The parts of a request's address. The query has a list for a repeated parameter. */
export interface RequestAddress {
  readonly host: string;
  readonly query: Readonly<Record<string, string | string[]>>;
}

/** The maximum number of kept addresses, and the maximum length of a kept address in characters. */
const MAX_KEPT = 64;
const MAX_KEPT_CHARACTERS = 512;
const kept = new Map<string, RequestAddress>();

/** Returns the parts of an address, or undefined if it is not valid. A `Host` header can make it invalid. */
export function readAddress(url: string): RequestAddress | undefined {
  const known = kept.get(url);
  if (known !== undefined) return known;
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  const address = { host: parsed.host, query: gatherQuery(parsed.searchParams) };
  if (url.length <= MAX_KEPT_CHARACTERS) {
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(url, address);
  }
  return address;
}

/** Returns the query parameters. A repeated parameter becomes a list, which most schemas refuse. */
function gatherQuery(parameters: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => {
    const [first = "", ...more] = parameters.getAll(name);
    return [name, more.length === 0 ? first : [first, ...more]];
  }));
}
