// The database that several machines share: its address, and this machine as one of its nodes. The address may contain
// a password, so no message here repeats any part of it.
import { z } from "zod";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { hiddenParts, type Secret } from "../secrets/secret.ts";

/** The shell variable that overrides `database` in config.yaml. */
export const DATABASE_VARIABLE = "INKLING_DATABASE_URL";

/** The variable with the password when the address has none; read by the driver. */
export const DATABASE_PASSWORD_VARIABLE = "PGPASSWORD";

/** The database keys of config.yaml. */
export interface DatabaseKeys {
  /** The address, which may contain a password; null: SQLite, unless the shell names a database. */
  database: string | null;
  databaseConnections: number;
  /** This machine as one of several that share the database. */
  node: { name: string | null; labels: readonly string[]; runs: number };
}

/** A PostgreSQL database, and this machine's part in it. Fixed when the process starts. */
export interface DatabaseSettings {
  /** postgres://user@host:port/name; may contain a password. */
  address: string;
  /** The most connections at once. */
  connections: number;
  node: {
    /** The machine's name, unless config.yaml names another. */
    readonly name: string;
    labels: readonly string[];
    /** The most runs that it takes from the queue at once. */
    runs: number;
  };
}

/** INKLING_DATABASE_URL cannot be used. */
export class DatabaseVariableUnusable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(rule: string) {
    const remedy = "Set it to another address, or unset it";
    super(`Cannot use ${DATABASE_VARIABLE}: it ${rule}`, { remedy });
  }
}

/** The address in config.yaml. The written value is never repeated, even if it is no text. */
export const databaseAddress = z.unknown().transform((value, context) => {
  const rule = describeBadAddress(value);
  if (rule === undefined) return value as string;
  context.addIssue({ code: "custom", message: rule, params: { hideValue: true } });
  return z.NEVER;
});

/** The options of an address that override its other parts, and options that the driver ignores. */
const IN_OPTIONS = /^(host|hostaddr|port|user|password|db|dbname|database)$/;

/** Returns the rule that an address breaks, as `must …`; undefined for a usable address. */
export function describeBadAddress(value: unknown): string | undefined {
  const wrong = (reason: string) =>
    `must be an address such as postgres://user@host:5432/name: ${reason}`;
  if (typeof value !== "string") return wrong("it is not a text");
  if (!/^postgres(ql)?:\/\//.test(value)) return wrong("it does not begin with postgres://");
  const escaped = "characters such as @ / ? # % in a password are written %40 %2F %3F %23 %25";
  if (/\s/.test(value)) return wrong("it has a space in it, which is written %20");
  const rest = value.slice(value.indexOf("://") + 3);
  const at = rest.lastIndexOf("@");
  // The text after such a character would be parsed as the host or the database name, and shown.
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
 * Returns the database of this process; undefined: SQLite. `variable` is INKLING_DATABASE_URL. Throws
 * DatabaseVariableUnusable.
 */
export function readDatabaseSettings(
  { database, databaseConnections, node }: DatabaseKeys,
  { variable }: { variable: string | undefined },
): DatabaseSettings | undefined {
  const rule = variable === undefined ? undefined : describeBadAddress(variable);
  if (rule !== undefined) throw new DatabaseVariableUnusable(rule);
  const address = variable ?? database;
  if (address === null) return undefined;
  const { name, labels, runs } = node;
  return {
    address,
    connections: databaseConnections,
    node: {
      labels,
      runs,
      // Computed when a node opens: no other command needs the host name.
      get name() {
        return name ?? Deno.hostname();
      },
    },
  };
}

/** Returns the names of this host: the machine's own and its node's. */
export function hostNames({ database }: { database: DatabaseSettings | undefined }): string[] {
  const names = [database?.node.name ?? []].flat();
  try {
    names.push(Deno.hostname());
  } catch {
    // Without the permission to read it, the host has no name of its own.
  }
  return names.length === 0 ? ["unnamed"] : [...new Set(names)];
}

/** Returns the host and port of the driver's connection. `port`: PGPORT, for an address without a port. */
export function databaseHost(
  { address }: Pick<DatabaseSettings, "address">,
  { port }: { port: string | undefined },
): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || port || "5432"}`;
}

/** Returns the files that the driver reads for the address: certificates and a key. */
export function databaseFiles({ address }: Pick<DatabaseSettings, "address">): string[] {
  const { searchParams } = new URL(address);
  return ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => searchParams.get(name) ?? []);
}

/**
 * Returns `secrets` plus the secret parts of the addresses, longest first: the password in every form, and the whole
 * address, because a short password cannot be redacted by itself.
 */
export function withDatabaseSecrets(
  secrets: () => readonly Secret[],
  addresses: readonly (string | null | undefined)[],
): () => readonly Secret[] {
  const own = addresses.flatMap((address) => address == null ? [] : addressSecrets(address));
  if (own.length === 0) return secrets;
  return () => [...secrets(), ...own].sort((a, b) => b.value.length - a.value.length);
}

function addressSecrets(address: string): Secret[] {
  const written = /^\w+:\/\/[^:@]*:(.+)@/.exec(address)?.[1];
  if (written === undefined) return [];
  const forms = new Set([address, written, decodeURIComponent(written), new URL(address).password]);
  return [...forms].flatMap(hiddenParts).map((value) => ({ name: "database", value }));
}
