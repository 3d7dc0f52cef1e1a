// How a connection to PostgreSQL is made: what an address may say, TLS, and the limits that the server holds it to.
// @ts-types="@types/pg"
import type { ClientBase } from "pg";
import { lazyModule } from "../../../base/lazy_module.ts";
import { DatabaseUnusable } from "../database.ts";
import { describeAddress, parseAddress } from "./postgres_errors.ts";
import { SCHEMA } from "./schema.ts";

/** The driver. */
export const loadPg = lazyModule(() =>
  // @ts-types="@types/pg"
  import("pg")
);

/** Runs one statement as it is, with numbered parameters. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** What `pg` makes a connection with. */
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

/** How long is waited for what. */
export interface ConnectionLimits {
  /** For a new connection, and for one that comes free. */
  connectMs: number;
  /** A statement without an answer for so long is asked after, and again after as long. */
  askAfterMs: number;
  /** A process that says nothing for so long in the middle of a transaction loses it, and with it its locks. */
  silentMs: number;
}

/**
 * Decision: no statement has a limit of its own, because a sweep over years of history may take minutes and is not to be ended
 * in the middle. What has a limit is silence: see answers.ts. `silentMs` fits the lease of 10 s: when another machine may take
 * an execution, nobody who has stood still since holds its row.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connectMs: 10_000,
  askAfterMs: 5_000,
  silentMs: 10_000,
};

/** `require`, `verify-ca` and `verify-full` are one: the certificate is verified, and its name. */
const SSL_MODES = ["disable", "no-verify", "require", "verify-ca", "verify-full"];
const SSL_FILES = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const;
/** What else the address may say behind the question mark. */
const OPTIONS = ["application_name", "options"];

/**
 * What `pg` is to be given for an address that describeBadAddress() has let through. It is taken apart here, because pg reads the
 * files of certificates again for each connection, takes no notice of what it does not know, and has the whole address in its
 * errors. What is missing comes from PGPASSWORD and the like. Rejects with DatabaseUnusable.
 */
export async function toClientConfig(
  address: string,
  { connectMs }: Pick<ConnectionLimits, "connectMs"> = CONNECTION_LIMITS,
): Promise<ConnectionConfig> {
  const url = parseAddress(address);
  if (url === null) {
    throw new DatabaseUnusable(
      "Cannot use the address in database: it has to read postgres://user@host:port/name; other characters in user or " +
        "password are written as %40 and the like.",
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

/** Nothing: as PGSSLMODE says, or without TLS. */
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
        ? ["an sslmode that is not known", SSL_MODES]
        : ["an option that is not known", [...OPTIONS, "sslmode", ...Object.keys(SSL_FILES)]];
      throw new DatabaseUnusable(
        `Cannot use ${place}: its address has ${what}`,
        { remedy: `Known are ${known.join(", ")}.` },
      );
    }
  }
  if (given.sslmode === "disable") return { ssl: false };
  if (given.sslmode === undefined && Object.keys(files).length === 0) return {};
  return {
    ssl: { ...files, ...(given.sslmode === "no-verify" ? { rejectUnauthorized: false } : {}) },
  };
}

/** What holds for a connection from its beginning on. Gives the number of the server's process for it. */
export async function prepareConnection(
  client: ClientBase,
  { connectMs, silentMs }: ConnectionLimits,
): Promise<number> {
  const seconds = Math.max(1, Math.round(silentMs / 1000));
  // A server whose system has no such limit goes without.
  const limits = Object.entries({
    idle_in_transaction_session_timeout: silentMs,
    // The machine has vanished, or its process is frozen and takes no answer: the server ends the connection.
    tcp_user_timeout: silentMs,
    tcp_keepalives_idle: seconds,
    tcp_keepalives_interval: seconds,
    tcp_keepalives_count: 2,
    // The process is gone in the middle of a long statement: that does not go on.
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
