// Which headers cross the loopback proxy. What speaks of one connection, or lets a browser in, ends here.

/** Of one connection only (RFC 9110, section 7.6.1), and what old clients and proxies write for the same. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The proxy has judged by these; the service on its socket knows no browsers. */
const OF_THE_BROWSER = ["host", "cookie", "origin", "referer", "x-api-key", "accept-encoding"];

/** The headers of a browser's request, as the service gets them. */
export function toServiceHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  for (const name of OF_THE_BROWSER) kept.delete(name);
  for (const name of [...kept.keys()]) {
    if (/^(sec-|x-forwarded-|forwarded$)/.test(name)) kept.delete(name);
  }
  // What came compressed would be unpacked on the way, and then be longer than its headers say.
  kept.set("accept-encoding", "identity");
  return kept;
}

/** The headers of the service's response, as the browser gets them. */
export function toBrowserHeaders(headers: Headers): Headers {
  const kept = withoutHopByHop(headers);
  // The only cookie here is the proxy's own.
  kept.delete("set-cookie");
  return kept;
}

function withoutHopByHop(headers: Headers): Headers {
  const kept = new Headers(headers);
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) {
    // `Connection` may name anything; what is not a header name names no header.
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) kept.delete(name);
  }
  return kept;
}
