// Reads the settings of the database that several machines share: its address, and this machine's settings as a node. The
// address may contain a password, so no message of this file repeats a part of it.
import { z } from "zod";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { hiddenParts, joinSecrets, type Secret } from "../secrets/secret.ts";

/** The name of the shell variable that overrides `database` in config.yaml. */
export const DATABASE_VARIABLE = "INKLING_DATABASE_URL";

/** The name of the variable with the password, if the address has none. The database driver reads it. */
export const DATABASE_PASSWORD_VARIABLE = "PGPASSWORD";

/** The name of the variable with the key by which the nodes encrypt the sign-ins to MCP servers in the database. */
export const TOKEN_KEY_VARIABLE = "INKLING_TOKEN_KEY";

/** The command that creates such a key. */
const MAKE_KEY = "openssl rand -base64 32";

/** The database keys of config.yaml. */
export interface DatabaseKeys {
  /** The address, which may contain a password; null for SQLite, unless the shell variable names a database. */
  database: string | null;
  databaseConnections: number;
  /** The settings of this machine as a node. */
  node: { name: string | null; labels: readonly string[]; runs: number };
}

/** The PostgreSQL database and this machine's settings as a node. They do not change after the start of the process. */
export interface DatabaseSettings {
  /** The address, `postgres://user@host:port/name`. It may contain a password. */
  address: string;
  /** The maximum number of connections. */
  connections: number;
  /** The 32 bytes of INKLING_TOKEN_KEY; undefined if it is not set. */
  tokenKey: Uint8Array<ArrayBuffer> | undefined;
  node: {
    /** The name of the node: the one in config.yaml, otherwise the name of the machine. */
    readonly name: string;
    labels: readonly string[];
    /** The maximum number of simultaneous runs from the queue. */
    runs: number;
  };
}

/** Error: the value of INKLING_DATABASE_URL or INKLING_TOKEN_KEY cannot be used. */
export class DatabaseVariableUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
  readonly variable: string;

  constructor(variable: string, rule: string, remedy: string) {
    super(`Cannot use ${variable}: it ${rule}`, { remedy });
    this.variable = variable;
  }
}

/** The schema of the address in config.yaml. Messages never repeat the value, even if it is no text. */
export const databaseAddress = z.unknown().transform((value, context) => {
  const rule = describeBadAddress(value);
  if (rule === undefined) return value as string;
  context.addIssue({ code: "custom", message: rule, params: { hideValue: true } });
  return z.NEVER;
});

/** Matches options of an address that would override its other parts, and options that the driver ignores. */
const IN_OPTIONS = /^(host|hostaddr|port|user|password|db|dbname|database)$/;

/** Returns the rule that an address breaks, as `must …`; undefined for a valid address. */
export function describeBadAddress(value: unknown): string | undefined {
  const wrong = (reason: string) =>
    `must be an address such as postgres://user@host:5432/name: ${reason}`;
  if (typeof value !== "string") return wrong("it is not a text");
  if (!/^postgres(ql)?:\/\//.test(value)) return wrong("it does not begin with postgres://");
  const escaped = "characters such as @ / ? # % in a password are written %40 %2F %3F %23 %25";
  if (/\s/.test(value)) return wrong("it has a space in it, which is written %20");
  const rest = value.slice(value.indexOf("://") + 3);
  const at = rest.lastIndexOf("@");
  // Text after such a character would be parsed as the host or the name of the database, and shown in messages.
  if (/[/?#]/.test(rest.slice(0, Math.max(at, 0)))) return wrong(escaped);
  const url = URL.parse(value);
  if (url === null) return wrong(`it cannot be read; ${escaped}`);
  const { hostname, pathname, searchParams, hash } = url;
  if (hostname === "") return wrong("the host is missing");
  if (!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)) {
    return wrong("the host must be a name or an IP address");
  }
  if (!/^\/[^/]+$/.test(pathname)) return wrong("the name of the database is missing");
  if (hash !== "") return wrong(escaped);
  try {
    for (const part of [url.username, url.password, pathname]) decodeURIComponent(part);
  } catch {
    return wrong(escaped);
  }
  const option = searchParams.keys().find((name) => IN_OPTIONS.test(name));
  return option && wrong(`${option} stands before the ?, not behind it`);
}

/**
 * Returns the shared database of this process, or undefined for SQLite. `variable` is the value of INKLING_DATABASE_URL.
 * `lookup` returns the value of another variable. Throws DatabaseVariableUnusable.
 */
export function readDatabaseSettings(
  { database, databaseConnections, node }: DatabaseKeys,
  { variable, lookup = () => undefined }: {
    variable: string | undefined;
    lookup?: (name: string) => string | undefined;
  },
): DatabaseSettings | undefined {
  const rule = variable === undefined ? undefined : describeBadAddress(variable);
  if (rule !== undefined) {
    const remedy = "Set it to another address, or unset it";
    throw new DatabaseVariableUnusable(DATABASE_VARIABLE, rule, remedy);
  }
  const address = variable ?? database;
  if (address === null) return undefined;
  const { name, labels, runs } = node;
  return {
    address,
    connections: databaseConnections,
    tokenKey: readTokenKey(lookup(TOKEN_KEY_VARIABLE) || undefined),
    node: {
      labels,
      runs,
      // A getter, because only a node needs the host name, and reading it requires a permission.
      get name() {
        return name ?? Deno.hostname();
      },
    },
  };
}

function readTokenKey(text: string | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (text === undefined) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(text);
    if (bytes.length === 32) return bytes;
  } catch {
    // The error is dropped, because its message could contain a part of the key.
  }
  throw new DatabaseVariableUnusable(
    TOKEN_KEY_VARIABLE,
    "must be 32 bytes in base64",
    `To create a key, type: ${MAKE_KEY}`,
  );
}

/**
 * Returns the reason and the remedy if the sign-ins to MCP servers are stored on this machine only, although a database is
 * shared. Returns undefined otherwise.
 */
export function describeLocalSignIns(
  { database }: { database: DatabaseSettings | undefined },
): { problem: string; remedy: string } | undefined {
  if (database === undefined || database.tokenKey !== undefined) return undefined;
  return {
    problem:
      "Sign-ins to MCP servers are stored on this machine only, and other nodes do not have them, " +
      `because ${TOKEN_KEY_VARIABLE} is not set`,
    remedy:
      `set the same key on every node, then sign in again; to create a key, type: ${MAKE_KEY}`,
  };
}

/** Returns the names of this host: the machine's own name and the name of its node. */
export function hostNames({ database }: { database: DatabaseSettings | undefined }): string[] {
  const names = [database?.node.name ?? []].flat();
  try {
    names.push(Deno.hostname());
  } catch {
    // Without the permission to read it, the name of the machine is unknown.
  }
  return names.length === 0 ? ["unnamed"] : [...new Set(names)];
}

/** Returns the host and port to which the driver connects. `port` is PGPORT, for an address without a port. */
export function databaseHost(
  { address }: Pick<DatabaseSettings, "address">,
  { port }: { port: string | undefined },
): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || port || "5432"}`;
}

/** Returns the paths of the files that the driver reads for the address: certificates and a key. */
export function databaseFiles({ address }: Pick<DatabaseSettings, "address">): string[] {
  const { searchParams } = new URL(address);
  return ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => searchParams.get(name) ?? []);
}

/**
 * Returns `secrets` with the secrets of the addresses added, longest first. They are the password in every notation, and
 * the whole address, because a short password cannot be redacted by itself.
 */
export function withDatabaseSecrets(
  secrets: () => readonly Secret[],
  addresses: readonly (string | null | undefined)[],
): () => readonly Secret[] {
  const own = addresses.flatMap((address) => address == null ? [] : addressSecrets(address));
  return joinSecrets(secrets, () => own);
}

function addressSecrets(address: string): Secret[] {
  const written = /^\w+:\/\/[^:@]*:(.+)@/.exec(address)?.[1];
  if (written === undefined) return [];
  const forms = new Set([address, written, decodeURIComponent(written), new URL(address).password]);
  return [...forms].flatMap(hiddenParts).map((value) => ({ name: "database", value }));
}
