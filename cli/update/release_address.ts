// Determines the release address: a folder on the web that contains latest.json and the binaries that latest.json names.
import { isLoopback } from "../../base/web_origin.ts";
import { commandFailed } from "../context/exit.ts";

/** The release address that was compiled into this build, or undefined. */
const BUILT_IN: string | undefined = undefined;
/** The environment variable that overrides the compiled address. */
const VARIABLE = "INKLING_RELEASE_URL";

/**
 * Returns the release address from the environment or of this build, with a slash at its end. Throws CommandFailure for a
 * missing or invalid address.
 */
export function releaseAddress(environment: Readonly<Record<string, string>>): URL {
  const named = environment[VARIABLE] || undefined;
  const text = named ?? BUILT_IN;
  if (text === undefined) {
    throw commandFailed(
      "This build of Inkling has no release address, so it cannot check for a newer version. " +
        `Set ${VARIABLE} to the https address of the releases`,
    );
  }
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !isTrustworthy(address, address) || address.search !== "") {
    throw commandFailed(
      `${VARIABLE} is not a valid release address: ${text}\nIt must be an https address (http only for localhost)`,
    );
  }
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return address;
}

/**
 * Returns whether Inkling may download a program from `address`. It accepts HTTPS, and HTTP on this machine. `origin` is
 * the address before all redirects.
 */
export function isTrustworthy(address: URL, origin: URL): boolean {
  if (address.username !== "" || address.password !== "") return false;
  if (address.protocol === "https:") return true;
  // A server on the network must not redirect a download to this machine.
  return address.protocol === "http:" && isLoopback(address.hostname) &&
    isLoopback(origin.hostname);
}
