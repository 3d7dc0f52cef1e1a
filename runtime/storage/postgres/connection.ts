// Creates connections to PostgreSQL: parses addresses, reads TLS files, and sets the limits of sessions.
// @ts-types="@types/pg"
import type { ClientBase } from "pg";
import { lazyModule } from "../../../base/lazy_module.ts";
import { DatabaseUnusable } from "../../database/database.ts";
import { describeAddress, parseAddress } from "./postgres_errors.ts";
import { SCHEMA } from "./schema.ts";

/** Loads the database driver. */
export const loadPg = lazyModule(() =>
  // @ts-types="@types/pg"
  import("pg")
);

/** A function that runs one SQL statement without translation, with numbered parameters. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** The configuration of a client of `pg`. */
export interface ConnectionConfig {
  host: string;
  port?: number;
  user?: string;
  password?: string;
  database: string;
  options?: string;
  ssl?: false | { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean };
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
}

/** The timeouts of connections. */
export interface ConnectionLimits {
  /** The maximum wait for opening a connection or for a free connection of the pool, in milliseconds. */
  connectMs: number;
  /** The interval at which the server is asked if it still works on a statement without an answer, in milliseconds. */
  checkAfterMs: number;
  /**
   * The time after which the server rolls back the transaction of a silent process and releases its locks, in milliseconds.
   */
  silentMs: number;
}

/**
 * The default limits. They affect only a client that sends nothing. `silentMs` equals the lease of 10 s: the row locks of a
 * frozen node end when another node may claim its executions.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connectMs: 10_000,
  checkAfterMs: 5_000,
  silentMs: 10_000,
};

/**
 * The values of `sslmode`. `require`, `verify-ca` and `verify-full` are equal: all verify the certificate and its host
 * name.
 */
const SSL_MODES = ["disable", "no-verify", "require", "verify-ca", "verify-full"];
const SSL_FILES = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const;
/** The other supported query parameters of an address. */
const OPTIONS = ["application_name", "options"];

/**
 * Returns the client configuration for an address that describeBadAddress() has accepted. `pg` does not parse the address
 * itself, because it would read certificates for each connection, ignore unknown parameters, and show the whole address in
 * errors. `pg` reads missing values from PGPASSWORD and similar variables. Rejects with DatabaseUnusable.
 */
export async function toClientConfig(
  address: string,
  { connectMs }: Pick<ConnectionLimits, "connectMs"> = CONNECTION_LIMITS,
): Promise<ConnectionConfig> {
  const url = parseAddress(address);
  if (url === null) {
    throw new DatabaseUnusable(
      "Cannot use the address in database: it must have the form postgres://user@host:port/name, with special characters " +
        "in user or password written as %40 and similar.",
    );
  }
  const place = describeAddress(address);
  const given = Object.fromEntries(url.searchParams);
  const { application_name, options } = given;
  const { port, username, password } = url;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    ...(port === "" ? {} : { port: Number(port) }),
    ...(username === "" ? {} : { user: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...(options === undefined ? {} : { options }),
    ...await readTls(given, place),
    application_name: application_name ?? "inkling",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  };
}

/** Returns the TLS settings of an address. An empty object means that PGSSLMODE decides, or that there is no TLS. */
async function readTls(
  given: Readonly<Record<string, string>>,
  place: string,
): Promise<Pick<ConnectionConfig, "ssl">> {
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name in SSL_FILES) {
      const read = Deno.readTextFile(value).catch((error) => {
        throw new DatabaseUnusable(
          `Cannot use ${place}: the file of ${name} cannot be read: ${value}.`,
          { cause: error },
        );
      });
      files[SSL_FILES[name as keyof typeof SSL_FILES]] = await read;
    } else if (name === "sslmode" ? !SSL_MODES.includes(value) : !OPTIONS.includes(name)) {
      const [what, known] = name === "sslmode"
        ? ["an unknown sslmode", SSL_MODES]
        : ["an unknown option", [...OPTIONS, "sslmode", ...Object.keys(SSL_FILES)]];
      throw new DatabaseUnusable(
        `Cannot use ${place}: its address has ${what}`,
        { remedy: `Known values: ${known.join(", ")}.` },
      );
    }
  }
  if (given.sslmode === "disable") return { ssl: false };
  if (given.sslmode === undefined && Object.keys(files).length === 0) return {};
  return {
    ssl: { ...files, ...(given.sslmode === "no-verify" ? { rejectUnauthorized: false } : {}) },
  };
}

/** Sets the schema and limits of a new connection. Returns the PID of its server process. */
export async function prepareConnection(
  client: ClientBase,
  { connectMs, silentMs }: ConnectionLimits,
): Promise<number> {
  const seconds = Math.max(1, Math.round(silentMs / 1000));
  // Limits that the server's operating system does not support are ignored.
  const limits = Object.entries({
    idle_in_transaction_session_timeout: silentMs,
    // The server closes the connection to a machine that is unreachable or a process that is frozen.
    tcp_user_timeout: silentMs,
    tcp_keepalives_idle: seconds,
    tcp_keepalives_interval: seconds,
    tcp_keepalives_count: 2,
    // The server cancels a long statement of a process that has ended.
    client_connection_check_interval: silentMs,
  }).map(([name, value]) =>
    `BEGIN PERFORM set_config('${name}', '${value}', false); EXCEPTION WHEN OTHERS THEN NULL; END;`
  );
  const settings = {
    text: `SET search_path TO ${SCHEMA}; DO $$ BEGIN ${limits.join(" ")} END $$; ` +
      "SELECT pg_backend_pid()::text AS pid",
    query_timeout: connectMs,
  };
  const results = await client.query(settings) as unknown as { rows: { pid: string }[] }[];
  return Number(results[2]?.rows[0]?.pid);
}
