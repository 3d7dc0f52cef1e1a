// The database that many machines share: its address, whoever gives it, and this machine as one of its nodes. It may hold
// a password, so no sentence here repeats any of it.
import { z } from "zod";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { hiddenParts, type Secret } from "../secrets/secret.ts";

/** The variable of the shell that wins over `database` in config.yaml. */
export const DATABASE_VARIABLE = "INKLING_DATABASE_URL";

/** The variable that holds the password where the address does not; read by the driver. */
export const DATABASE_PASSWORD_VARIABLE = "PGPASSWORD";

/** What config.yaml says of it. */
export interface DatabaseKeys {
  /** The address, which may hold a password; null: SQLite, unless the shell says otherwise. */
  database: string | null;
  databaseConnections: number;
  /** This machine among those that share the database. */
  node: { name: string | null; labels: readonly string[]; runs: number };
}

/** A PostgreSQL database, and what this machine is in it. Settled when the process starts. */
export interface DatabaseSettings {
  /** postgres://user@host:port/name; may hold a password. */
  address: string;
  /** The most connections at once. */
  connections: number;
  node: {
    /** The machine's name unless config.yaml gives another. */
    readonly name: string;
    labels: readonly string[];
    /** How many runs it takes from the queue at once. */
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

/** The address in config.yaml. What is written there is not even repeated where it is no text. */
export const databaseAddress = z.unknown().transform((value, context) => {
  const rule = describeBadAddress(value);
  if (rule === undefined) return value as string;
  context.addIssue({ code: "custom", message: rule, params: { hideValue: true } });
  return z.NEVER;
});

/** What the driver takes from the options of an address, in place of what stands before them; and what it ignores there. */
const IN_OPTIONS = /^(host|hostaddr|port|user|password|db|dbname|database)$/;

/** `must …`: the rule that an address breaks; undefined: it can be used. */
export function describeBadAddress(value: unknown): string | undefined {
  const wrong = (reason: string) =>
    `must be an address such as postgres://user@host:5432/name: ${reason}`;
  if (typeof value !== "string") return wrong("it is not a text");
  if (!/^postgres(ql)?:\/\//.test(value)) return wrong("it does not begin with postgres://");
  const escaped = "characters such as @ / ? # % in a password are written %40 %2F %3F %23 %25";
  if (/\s/.test(value)) return wrong("it has a space in it, which is written %20");
  const rest = value.slice(value.indexOf("://") + 3);
  const at = rest.lastIndexOf("@");
  // What stands behind such a character would be taken for the host or the name of the database, and shown.
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

/** The database of this process; undefined: SQLite. `variable` is INKLING_DATABASE_URL. Throws DatabaseVariableUnusable. */
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
      // The machine is asked only where a node is opened: no command needs to know.
      get name() {
        return name ?? Deno.hostname();
      },
    },
  };
}

/** The names of this host: the machine's own, and that of its node. */
export function hostNames({ database }: { database: DatabaseSettings | undefined }): string[] {
  const names = [database?.node.name ?? []].flat();
  try {
    names.push(Deno.hostname());
  } catch {
    // Without the permission to know it, the host has no name of its own.
  }
  return names.length === 0 ? ["unnamed"] : [...new Set(names)];
}

/** Host and port to which the driver connects. `port`: PGPORT, which counts where the address has none. */
export function databaseHost(
  { address }: Pick<DatabaseSettings, "address">,
  { port }: { port: string | undefined },
): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || port || "5432"}`;
}

/** The files that the address has the driver read: certificates and a key. */
export function databaseFiles({ address }: Pick<DatabaseSettings, "address">): string[] {
  const { searchParams } = new URL(address);
  return ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => searchParams.get(name) ?? []);
}

/**
 * `secrets` and what of the addresses must not be shown, longest first: an address that holds a password, because that may
 * be too short to be hidden by itself, and the password in every form.
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
