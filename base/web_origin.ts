// Parses hosts and origins as browsers and proxies send them in `Host` and `Origin`. The configuration uses it to refuse
// values that can never be sent, the listener to compare values.

/**
 * Returns an origin in lower case without a final slash; undefined for anything but `scheme://host[:port]`. Never returns
 * `null`, which pages without an origin send.
 */
export function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@*]+\/?$/i.test(text)) return undefined;
  const url = URL.parse(text);
  // Pages that are opened as files have no origin.
  if (url === null || url.host === "" || url.protocol === "file:") return undefined;
  // By the URL standard, a URL with a program's own scheme (app://host) has the origin "null". But the pages of that
  // program send `app://host` in `Origin`.
  return (url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin).toLowerCase();
}

/** Returns true for a host of this machine: a name or an address, also an IPv6 address in brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host);
}

/** Returns the name from `name` or `name:port`, in lower case and ASCII, an IPv6 address in brackets; undefined otherwise. */
export function toHostName(text: string): string | undefined {
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) {
    return URL.parse(`http://[${text}]`)?.hostname;
  }
  if (!/^([^\s/\\?#@*:,[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(text)) return undefined;
  return URL.parse(`http://${text}`)?.hostname;
}
