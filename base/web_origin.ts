// Hosts and origins that a person names, as browsers and proxies send them in `Host` and `Origin`: for config.yaml, which
// refuses what could never be sent, and for the listener, which compares.

/**
 * An origin in lower case and without a slash at the end; undefined for what is no `scheme://host[:port]`. It is never
 * `null`, which pages without an origin send, whoever made them.
 */
export function toOrigin(text: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@*]+\/?$/i.test(text)) return undefined;
  const url = URL.parse(text);
  // Pages of files have no origin to send.
  if (url === null || url.host === "" || url.protocol === "file:") return undefined;
  // An app's own scheme has no origin by the URL standard; its pages send scheme and host all the same.
  return (url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin).toLowerCase();
}

/** The name of `name` or `name:port` in lower case and in ASCII, an IPv6 address in brackets; undefined for what is neither. */
export function toHostName(text: string): string | undefined {
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text)) {
    return URL.parse(`http://[${text}]`)?.hostname;
  }
  if (!/^([^\s/\\?#@*:,[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(text)) return undefined;
  return URL.parse(`http://${text}`)?.hostname;
}
