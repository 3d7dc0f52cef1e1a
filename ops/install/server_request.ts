// Checks the requests to add an MCP server.
import { NotInstalled } from "./not_installed.ts";
import { readPackageName } from "./package_name.ts";

/** A request to add a server. */
export interface ServerRequest {
  name: string;
  /** The source as the person typed it: `npm:name`, `pypi:name`, an address, or a program. */
  source: string;
  /** The program's arguments. */
  args: readonly string[];
  /** The names of the environment variables that the program gets. */
  env: readonly string[];
  /** The environment variable with the token for the server. Only for a source that is an address. */
  token?: string;
}

/** The valid names of a new server. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns true if a new server may have the name. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** Throws NotInstalled if a new server may not have the name. */
export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new NotInstalled(
    `The name of a server must be letters, digits, _ and -, 64 at most: ${JSON.stringify(name)}`,
  );
}

/** Throws NotInstalled if the request has a fault. */
export function checkRequest({ name, source, args, env, token }: ServerRequest): void {
  checkName(name);
  for (const variable of [...env, ...(token === undefined ? [] : [token])]) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) continue;
    throw new NotInstalled(
      "A variable is given by its name; its value belongs in agents/_config/.env",
    );
  }
  readPackageName(source, "npm");
  readPackageName(source, "pypi");
  if (isAddress(source)) {
    if (args.length > 0 || env.length > 0) {
      throw new NotInstalled("A server at an address takes no arguments and no variables");
    }
    const url = URL.parse(source);
    if (url === null) throw new NotInstalled("The address is not valid");
    if (url.username !== "" || url.password !== "") {
      throw new NotInstalled("The address contains a user or a password: use --token");
    }
  } else if (token !== undefined) {
    throw new NotInstalled("--token is for a server at an address; a program gets --env");
  } else if (source.trim() === "" || /\p{Cc}/u.test(source)) {
    throw new NotInstalled("The program has no name");
  }
}

/** Returns true if the source is an address. */
export function isAddress(source: string): boolean {
  return /^https?:/i.test(source);
}
