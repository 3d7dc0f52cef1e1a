// Tests the messages for databases that cannot be opened, with real causes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Socket } from "node:net";
import { join } from "node:path";
import { DatabaseUnusable } from "../../../../runtime/database/database.ts";
import { all } from "../../../../runtime/database/operation.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { createTestPostgres, sharedPostgres, withPostgres } from "../../../support/postgres.ts";
import { openClient, type PostgresServer, startPostgres } from "../../../support/postgres.ts";
import { PASSWORD, saying } from "./sentences.ts";

/** The password in the form in which an address contains it. */
const WRITTEN = encodeURIComponent(PASSWORD);

const refused = (address: string, sentence: RegExp, limits = {}) =>
  assert.rejects(
    PostgresDatabase.open({ address, limits: { connectMs: 5_000, ...limits } }),
    saying(sentence, DatabaseUnusable),
    address,
  );

async function opens(address: string): Promise<void> {
  await using database = await PostgresDatabase.open({ address });
  await database.read(() => all("SELECT 1 FROM settings"));
}

/** The lines of pg_hba.conf. */
const ACCESS = [
  "host all scram,nobody 127.0.0.1/32 scram-sha-256",
  "host all plain 127.0.0.1/32 password",
  "hostssl all coded 127.0.0.1/32 trust",
  "host all rejected 127.0.0.1/32 reject",
  "host all ghost,narrow 127.0.0.1/32 trust",
  "host all inkling all trust",
];

withPostgres.test("PostgresDatabase.open() explains refused users, and problems of TLS", async (t) => {
  const folder = await Deno.makeTempDir();
  try {
    const [own, other] = await Promise.all([
      makeCertificate(folder, "own", "IP:127.0.0.1,DNS:localhost"),
      makeCertificate(folder, "other", "DNS:other.example"),
    ]);
    const settings = ["listen_addresses=127.0.0.1,127.0.0.2"];
    await using server = await startPostgres({ access: ACCESS, tls: own, settings });
    await t.step("users", (t) => testUsers(t, server));
    await t.step("TLS", (t) => testTls(t, server, { folder, own, other }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function testUsers(t: Deno.TestContext, server: PostgresServer): Promise<void> {
  await server.administer(
    `CREATE ROLE scram LOGIN PASSWORD '${PASSWORD}'; CREATE ROLE plain LOGIN PASSWORD '${PASSWORD}'; ` +
      "CREATE ROLE coded LOGIN; CREATE ROLE rejected LOGIN; CREATE ROLE narrow LOGIN",
  );
  await server.administer("CREATE DATABASE runs OWNER scram");
  const at = (user: string, rest = "/runs") => `postgres://${user}@127.0.0.1:${server.port}${rest}`;
  const wrong =
    /: it refuses the password\. Set PGPASSWORD or PGPASSFILE for the user of the address\.$/;
  const missing = /: it requires a password\. Set PGPASSWORD or PGPASSFILE/;
  const notLetIn =
    /: it refuses this user from this machine\. Check the user of the address, and pg_hba\.conf/;
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["a wrong password", at(`scram:x${WRITTEN}`), wrong],
    ["a wrong password that is sent in clear text", at(`plain:x${WRITTEN}`), wrong],
    ["no password", at("scram"), missing],
    ["a missing password that the server requests in clear text", at("plain"), wrong],
    ["a user that does not exist, with a password", at(`nobody:${WRITTEN}`), wrong],
    ["a user that does not exist", at("ghost"), notLetIn],
    ["a user that pg_hba.conf rejects", at("rejected"), notLetIn],
    ["a user that pg_hba.conf does not know", at("other"), notLetIn],
    [
      "a user for whom the server requires TLS",
      at("coded"),
      /which may require TLS \(sslmode=verify-full/,
    ],
    [
      "a database that is missing",
      at(`scram:${WRITTEN}`, "/nothing"),
      /: there is no database of this name\. Create it with createdb, or correct the address\.$/,
    ],
    [
      "a user without CREATE",
      at("narrow"),
      /: its user lacks a permission\. Let it create in the database \(GRANT CREATE ON DATABASE\)/,
    ],
  ];
  for (const [what, address, sentence] of cases) {
    await t.step(what, () => refused(address, sentence));
  }
  await t.step("accepts the right password in the address, including a percent sign", async () => {
    await opens(at(`scram:${WRITTEN}`));
  });
  await t.step(
    "a user without rights in a schema that another user owns",
    () => refused(at("narrow"), /and own the schema "inkling"\.$/),
  );
  await t.step("reads the password from PGPASSWORD, or else from PGPASSFILE", async () => {
    const folder = await Deno.makeTempDir();
    try {
      const file = join(folder, "passwords");
      await Deno.writeTextFile(file, `*:*:*:scram:${PASSWORD}\n`, { mode: 0o600 });
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--config", "tests/deno.json", "--no-check", "--no-prompt", "--quiet"],
          ...["--allow-read", "--allow-env", "--allow-net", "--allow-sys"],
          import.meta.resolve("./open_process.ts"),
          at("scram"),
        ],
        env: { PGPASSFILE: file, PGPASSWORD: `x${PASSWORD}` },
      }).output();
      const [first = "", second] = new TextDecoder().decode(stdout).trim().split("\n");
      assert.match(first, wrong);
      assert.doesNotMatch(first, /geh/);
      assert.deepEqual([second, new TextDecoder().decode(stderr)], ["open", ""]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

type Certificate = Awaited<ReturnType<typeof makeCertificate>>;

async function testTls(
  t: Deno.TestContext,
  server: PostgresServer,
  { folder, own, other }: { folder: string; own: Certificate; other: Certificate },
): Promise<void> {
  // The certificate is not valid for this host name.
  const elsewhere = server.address.replace("127.0.0.1", "127.0.0.2");
  const plain = await sharedPostgres();
  const rest = (options: string) => `/postgres?${options}`;
  const unverified =
    /: its certificate cannot be verified\. Set sslrootcert in the address to the file of its certificate authority/;
  const root = `sslrootcert=${encodeURIComponent(own.file)}`;

  for (const sslmode of ["require", "verify-ca", "verify-full"]) {
    await t.step(`sslmode=${sslmode} verifies the certificate and its name`, async () => {
      await refused(server.address + rest(`sslmode=${sslmode}`), unverified);
      await opens(server.address + rest(`sslmode=${sslmode}&${root}`));
      await refused(
        elsewhere + rest(`sslmode=${sslmode}&${root}`),
        /: its certificate is for another host\. Correct the host of the address/,
      );
      await refused(
        plain + rest(`sslmode=${sslmode}`),
        /: it does not support TLS\. Enable TLS there, or set sslmode=disable in the address\.$/,
      );
    });
  }
  await t.step("sslrootcert alone also verifies the certificate", async () => {
    await opens(server.address + rest(root));
    await refused(server.address + rest(`sslrootcert=${other.file}`), unverified);
  });
  await t.step("sslmode=no-verify accepts any certificate, but requires TLS", async () => {
    await opens(elsewhere + rest("sslmode=no-verify"));
    await refused(plain + rest("sslmode=no-verify"), /: it does not support TLS\./);
  });
  await t.step("sslmode=disable and no sslmode connect without TLS", async () => {
    for (const address of [rest("sslmode=disable"), "/postgres"]) {
      await using database = await PostgresDatabase.open({ address: server.address + address });
      const ssl = await database.read(() =>
        all("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
      );
      assert.deepEqual(ssl.map((row) => ({ ...row as object })), [{ ssl: 0 }]);
    }
  });
  await t.step("a missing file", () =>
    refused(
      server.address + rest("sslmode=verify-full&sslrootcert=/nowhere/root.crt"),
      /: the file of sslrootcert cannot be read: \/nowhere\/root\.crt\.$/,
    ));
  await t.step("a file without a certificate", async () => {
    const file = join(folder, "empty.crt");
    await Deno.writeTextFile(file, "nothing\n");
    await refused(server.address + rest(`sslrootcert=${file}`), unverified);
  });
}

const FORM =
  /^Cannot use the address in database: it must have the form postgres:\/\/user@host:port\/name/;
const ADDRESSES: readonly (readonly [string, string, RegExp])[] = [
  [
    "a closed port",
    `postgres://a:${WRITTEN}@127.0.0.1:1/x`,
    /: nothing listens there\. Start PostgreSQL, or correct host and port\.$/,
  ],
  [
    "an unknown host",
    `postgres://a:${WRITTEN}@nowhere.invalid/x`,
    /: (there is no host of this name\. Correct the address|the name server does not answer)/,
  ],
  ["an invalid port", `postgres://a:${WRITTEN}@127.0.0.1:99999/x`, FORM],
  ["another kind of address", `mysql://a:${WRITTEN}@127.0.0.1/x`, FORM],
  ["no address", PASSWORD, FORM],
  ["a password with a slash", `postgres://a:12/${PASSWORD}@127.0.0.1:1/x`, FORM],
  ["a password with a hash sign", `postgres://a:12#${PASSWORD}@127.0.0.1:1/x`, FORM],
  [
    "an unknown option",
    `postgres://a@127.0.0.1/x?password=${WRITTEN}`,
    /: its address has an unknown option\. Known values: application_name, options, sslmode, sslrootcert, sslcert, sslkey\.$/,
  ],
  [
    "an unknown sslmode",
    `postgres://a:${WRITTEN}@127.0.0.1/x?sslmode=prefer`,
    /: its address has an unknown sslmode\. Known values: disable, no-verify, require, verify-ca, verify-full\.$/,
  ],
];

for (const [what, address, sentence] of ADDRESSES) {
  Deno.test(`PostgresDatabase.open() explains an invalid address: ${what}`, () =>
    refused(address, sentence));
}

Deno.test("PostgresDatabase.open() does not wait for a host that drops packets", async () => {
  // The listener never accepts connections. When its queue is full, further connections get no answer.
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr;
  const full = Array.from({ length: 4 }, () => new Socket().connect(port, "127.0.0.1"));
  try {
    await Promise.race(full.map((one) => once(one, "connect")));
    await refused(
      `postgres://a:${WRITTEN}@127.0.0.1:${port}/x`,
      /: it does not answer\. Check the network, firewalls, and that its machine is running\.$/,
      { connectMs: 300 },
    );
  } finally {
    for (const one of full) one.destroy();
  }
});

const CASES = [
  [
    "a read-only database",
    "ALTER ROLE $role SET default_transaction_read_only = on",
    /: it is read-only, perhaps a standby\. Use the address of the primary\.$/,
  ],
  [
    "a server without a free connection",
    // A connection limit does not apply to superusers.
    "ALTER ROLE $role NOSUPERUSER CONNECTION LIMIT 0",
    /: it has no free connection\. Raise max_connections there, or lower database_connections\.$/,
  ],
] as const;
for (const [what, statement, sentence] of CASES) {
  withPostgres.test(`PostgresDatabase.open() refuses ${what}`, async () => {
    await using place = await createTestPostgres();
    await using client = await openClient(place.address);
    const role = `role_${crypto.randomUUID().replaceAll("-", "")}`;
    try {
      await client.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
      const address = place.address.replace("inkling@", `${role}@`);
      await opens(address);
      await client.query(statement.replace("$role", role));
      await refused(address, sentence);
    } finally {
      await client.query(`DROP ROLE ${role}`);
    }
  });
}

/** Creates a self-signed certificate. */
async function makeCertificate(folder: string, name: string, subjectAltName: string) {
  const file = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", `/CN=${name}`, "-addext", `subjectAltName=${subjectAltName}`],
      ...["-keyout", keyFile, "-out", file],
    ],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const [certificate, key] = await Promise.all(
    [file, keyFile].map((one) => Deno.readTextFile(one)),
  );
  return { file, certificate: certificate ?? "", key: key ?? "" };
}
