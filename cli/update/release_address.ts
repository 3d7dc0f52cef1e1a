// Where releases are: a folder on the web that holds latest.json and the files it names.
import { CommandFailure, EXIT } from "../exit.ts";

/** The release address of this build; undefined: it was built without one. */
const BUILT_IN: string | undefined = undefined;
/** The variable that names another one. */
const VARIABLE = "INKLING_RELEASE_URL";

/** The folder of the releases, ending in a slash: the variable's, else the one of this build. Throws CommandFailure. */
export function releaseAddress(environment: Readonly<Record<string, string>>): URL {
  const named = environment[VARIABLE] || undefined;
  const text = named ?? BUILT_IN;
  if (text === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      "This build of Inkling has no release address, so it cannot look for a newer one. " +
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

/** Whether a program may be fetched from there: it cannot be changed in transit. `origin` is the first address. */
export function isTrustworthy(address: URL, origin: URL): boolean {
  if (address.username !== "" || address.password !== "") return false;
  if (address.protocol === "https:") return true;
  // What came from the network must not point to a server of this machine.
  return address.protocol === "http:" && isLoopback(address) && isLoopback(origin);
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
