// What an error of PostgreSQL, or of the way to it, means for a person: one sentence, and what to do. Never a password.

/** What of an error tells its kind: an SQLSTATE, or a code of the operating system. */
interface CodedError {
  code?: unknown;
  message: string;
}

/** The address of a database as it may be shown: without its password and its options. */
export function describeAddress(address: string): string {
  try {
    const { username, hostname, port, pathname } = new URL(address);
    const user = username === "" ? "" : `${username}@`;
    return `postgres://${user}${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    // Whatever is wrong with it, it may have a password in it.
    return "the address in database";
  }
}

/** By SQLSTATE, or its first two digits; by the code of a failed connection. */
const REASONS: Readonly<Record<string, string>> = {
  "28P01": "it refuses the password. Set PGPASSWORD or PGPASSFILE for the user of the address",
  "28000":
    "it does not let this user in from here. Look at the user of the address and at pg_hba.conf",
  "3D000": "there is no database of this name. Make it with createdb, or correct the address",
  "42501": "its user may not do this. Let it create in the database: GRANT CREATE ON DATABASE",
  "53100": "its disk is full. Make room there",
  "53300": "it has no connection left. Raise max_connections there, or lower database_connections",
  "25006": "it is read-only, a standby perhaps. Give the address of the primary",
  "57": "it is being shut down or started. This goes on by itself when it is back",
  "08": "the connection broke off. This goes on by itself when it is back",
  ENOTFOUND: "there is no host of this name. Correct the address, or look at the name server",
  EAI_AGAIN: "the name server does not answer. Look at the network",
  ECONNREFUSED: "nothing listens there. Start PostgreSQL, or correct host and port",
  ECONNRESET: "the connection broke off. This goes on by itself when it is back",
  EPIPE: "the connection broke off. This goes on by itself when it is back",
  ETIMEDOUT: "it does not answer. Look at the network and at firewalls",
};

/** The same for errors without a code, by their words. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/timeout|timed out/i, "it does not answer in time. Look at the network and at its load"],
  [
    /certificate|self.signed|unable to verify|UnknownIssuer|invalid peer/i,
    "its certificate cannot be verified. Name the authority with sslrootcert in the address",
  ],
  [
    /does not support SSL/i,
    "it speaks no TLS. Turn it on there, or say sslmode=disable in the address",
  ],
  [
    /connection (?:error|terminated|reset|ended)|Client has encountered|not queryable|BadResource/i,
    "the connection broke off. This goes on by itself when it is back",
  ],
  [/lookup|resolve|getaddrinfo/i, "there is no host of this name. Correct the address"],
];

/** What is the matter with the server or the way to it; undefined for an error of the statement itself. */
export function outageReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message } = error as CodedError;
  if (typeof code === "string") {
    const known = REASONS[code] ?? REASONS[code.slice(0, 2)];
    if (known !== undefined) return known;
    // An SQLSTATE that is about the statement.
    if (/^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)) return undefined;
  }
  return WORDS.find(([words]) => words.test(message))?.[1];
}
