// Hosts and origins as browsers and proxies send them in `Host` and `Origin`. config.yaml refuses values that could
// never be sent; the listener compares.

/**
 * Returns an origin in lower case without a slash at its end; undefined for anything but `scheme://host[:port]`. Never
 * returns `null`, which pages without an origin send.
 */
export function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@*]+\/?$/i.test(text)) return undefined;
  const url = URL.parse(text);
  // Pages of files have no origin to send.
  if (url === null || url.host === "" || url.protocol === "file:") return undefined;
  // An app's own scheme has no origin by the URL standard. Its pages send scheme and host all the same.
  return (url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin).toLowerCase();
}

/** Returns the name from `name` or `name:port`, in lower case and ASCII, an IPv6 address in brackets; undefined otherwise. */
export function toHostName(text: string): string | undefined {
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) {
    return URL.parse(`http://[${text}]`)?.hostname;
  }
  if (!/^([^\s/\\?#@*:,[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(text)) return undefined;
  return URL.parse(`http://${text}`)?.hostname;
}
