// Explains errors of PostgreSQL and of connections to it. Each explanation has the problem and the remedy, without
// passwords.
import { DatabaseUnreachable, DatabaseUnusable } from "../../database/database.ts";

/** An error with an SQLSTATE, or a code of the operating system. */
interface CodedError {
  code?: unknown;
  /** The routine of the server that raised the error. */
  routine?: unknown;
  message: string;
}

/** Error: the connection is lost. The outcome of its last statement is unknown. */
export class ConnectionLost extends DatabaseUnreachable {}

/**
 * Parses an address. Returns null if it is invalid. Also rejects an @ after the host: it is part of a password with a
 * slash, which would be parsed incorrectly.
 */
export function parseAddress(address: string): URL | null {
  const url = URL.parse(address);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return null;
  return url.pathname.includes("@") || url.hash !== "" ? null : url;
}

/** Returns an address without its password and options, to show in messages. */
export function describeAddress(address: string): string {
  const url = parseAddress(address);
  // An invalid address is not shown, because it may contain a password.
  if (url === null) return "the address in database";
  const { username, hostname, port, pathname } = url;
  const user = username === "" ? "" : `${username}@`;
  return `postgres://${user}${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}

const BROKE_OFF =
  "the connection broke off. A running service continues by itself when the server is back";
const NO_ANSWER =
  "it does not answer. Check the network, firewalls, and that its machine is running";
const UNVERIFIED =
  "its certificate cannot be verified. Set sslrootcert in the address to the file of its " +
  "certificate authority";
const WRONG_PASSWORD =
  "it refuses the password. Set PGPASSWORD or PGPASSFILE for the user of the address";

/** Explanations by SQLSTATE, by the first two digits of an SQLSTATE, or by the code of a failed connection. */
const REASONS: Readonly<Record<string, string>> = {
  "28P01": WRONG_PASSWORD,
  "28000":
    "it refuses this user from this machine. Check the user of the address, and pg_hba.conf, which may " +
    "require TLS (sslmode=verify-full in the address)",
  "3D000": "there is no database of this name. Create it with createdb, or correct the address",
  "42501":
    'its user lacks a permission. Let it create in the database (GRANT CREATE ON DATABASE), and own the schema "inkling"',
  "25006": "it is read-only, perhaps a standby. Use the address of the primary",
  "25P03":
    "this process was suspended for too long in the middle of a change, which was rolled back",
  "53100": "its disk is full. Free some space there",
  "53200": "it is out of memory. Check its machine",
  "53300": "it has no free connection. Raise max_connections there, or lower database_connections",
  "55P03": "another program holds a lock there for too long. Check what else uses the database",
  "57014":
    "a statement was cancelled there, by a person or by its statement_timeout. Check its load",
  "57P04": "the database was removed. Restore it from a backup",
  "57":
    "it is shutting down or starting. A running service continues by itself when the server is back",
  "58": "it cannot read or write its files. Check its log and its disk",
  "08": BROKE_OFF,
  ENOTFOUND: "there is no host of this name. Correct the address, or check the name server",
  EAI_AGAIN: "the name server does not answer. Check the network",
  ECONNREFUSED: "nothing listens there. Start PostgreSQL, or correct host and port",
  ENOENT: "there is no such socket. Start PostgreSQL, or correct host and port",
  ECONNRESET: BROKE_OFF,
  ECONNABORTED: BROKE_OFF,
  EPIPE: BROKE_OFF,
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: "there is no route to its host. Check the network, or correct the address",
  ENETUNREACH: "there is no route to its host. Check the network, or correct the address",
  EMFILE: "this process has no file descriptor left. Raise its limit (ulimit -n)",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another host. Correct the host of the address, or install a certificate with this name",
  CERT_HAS_EXPIRED: "its certificate has expired. Install a new one",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNVERIFIED,
  SELF_SIGNED_CERT_IN_CHAIN: UNVERIFIED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNVERIFIED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNVERIFIED,
};

/** Explanations for errors without a code. The regular expressions match the messages of the driver. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/client password must be/, WRONG_PASSWORD.replace("refuses the", "requires a")],
  [/timeout|timed out/i, NO_ANSWER],
  [/certificate|self.signed|unable to verify|UnknownIssuer|invalid peer/i, UNVERIFIED],
  [
    /does not support SSL/i,
    "it does not support TLS. Enable TLS there, or set sslmode=disable in the address",
  ],
  [
    /connection (?:error|terminated|reset|ended)|was closed and is not queryable|not queryable|establishing an SSL|BadResource/i,
    BROKE_OFF,
  ],
  [/lookup|resolve|getaddrinfo/i, "there is no host of this name. Correct the address"],
];

/** Returns the explanation of an error of the server or the connection; undefined for an error of the statement itself. */
export function outageReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message } = error as CodedError;
  if (hasOutdatedPlan(error)) {
    return "its tables were just migrated. A running service continues by itself";
  }
  if (typeof code === "string") {
    const known = REASONS[code] ?? (isSqlState(code) ? REASONS[code.slice(0, 2)] : undefined);
    if (known !== undefined || isSqlState(code)) return known;
  }
  return MESSAGES.find(([words]) => words.test(message))?.[1];
}

/** Returns a DatabaseUnusable for an error of the server or the connection. `place` is the address without its password. */
export function unusableServer(place: string, error: unknown): DatabaseUnusable {
  const reason = outageReason(error) ?? (error instanceof Error ? error.message : String(error));
  // The second sentence of each explanation is the remedy.
  const [problem, remedy] = reason.split(/\. (.*)/s);
  return remedy === undefined
    ? new DatabaseUnusable(`Cannot use ${place}: ${problem}.`, { cause: error })
    : new DatabaseUnusable(`Cannot use ${place}: ${problem}`, {
      cause: error,
      remedy: `${remedy}.`,
    });
}

/** Returns true if the connection is unusable: the server closed it, or the error is not from the server. */
export function isConnectionLost(error: unknown): boolean {
  if (hasOutdatedPlan(error)) return true;
  const code = error instanceof Error ? (error as CodedError).code : undefined;
  return typeof code !== "string" || !isSqlState(code) || /^(?:08|57P|25P0[34])/.test(code);
}

/** Returns true if the error is caused by an outdated prepared statement, after another node has migrated the database. */
function hasOutdatedPlan(error: unknown): boolean {
  return error instanceof Error && (error as CodedError).routine === "RevalidateCachedQuery";
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}
