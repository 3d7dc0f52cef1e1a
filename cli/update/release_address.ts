// The address of the releases: a folder on the web with latest.json and the files that it names.
import { CommandFailure, EXIT } from "../context/exit.ts";

/** The release address of this build; undefined if it was built without one. */
const BUILT_IN: string | undefined = undefined;
/** The variable that overrides it. */
const VARIABLE = "INKLING_RELEASE_URL";

/** Returns the address in the variable or of this build, with a slash at the end. Throws CommandFailure. */
export function releaseAddress(environment: Readonly<Record<string, string>>): URL {
  const named = environment[VARIABLE] || undefined;
  const text = named ?? BUILT_IN;
  if (text === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      "This build of Inkling has no release address, so it cannot check for a newer version. " +
        `Set ${VARIABLE} to the https address of the releases`,
    );
  }
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !isTrustworthy(address, address) || address.search !== "") {
    throw new CommandFailure(
      EXIT.failed,
      `${VARIABLE} is not a valid release address: ${text}\nIt must be an https address (http only for localhost)`,
    );
  }
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return address;
}

/** Returns whether a program may be downloaded from an address: HTTPS, or the local machine. `origin` is the first address. */
export function isTrustworthy(address: URL, origin: URL): boolean {
  if (address.username !== "" || address.password !== "") return false;
  if (address.protocol === "https:") return true;
  // An address from the network must not redirect to this machine.
  return address.protocol === "http:" && isLoopback(address) && isLoopback(origin);
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
