// Tests the settings of the shared database in config.yaml and in the shell: refused addresses, precedence, and hidden
// passwords.
import assert from "node:assert/strict";
import fc from "fast-check";
// @ts-types="@types/pg"
import pg from "pg";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { PrivateWorkspace } from "../../../ops/testing/private_workspace.ts";
import {
  databaseHost,
  readDatabaseSettings,
  withDatabaseSecrets,
} from "../../../runtime/config/database_settings.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { describeAddress } from "../../../runtime/storage/postgres/postgres_errors.ts";
import { ConfigError, parseConfig } from "../../../runtime/config/parse_config.ts";
import { openAgents } from "../../../runtime/wiring/open_agents.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const options = { path: "config.yaml", home: "/home/me" };
/** The password in every address below. No message may contain it. */
const PASSWORD = "hunter2secret";

const EXAMPLE = "must be an address such as postgres://user@host:5432/name: ";
const ESCAPED = "characters such as @ / ? # % in a password are written %40 %2F %3F %23 %25";

/** Invalid addresses as written in YAML, with the expected reasons. */
const BAD: readonly (readonly [written: string, reason: string])[] = [
  [`mysql://u:${PASSWORD}@db/x`, "it does not begin with postgres://"],
  [`u:${PASSWORD}@db/x`, "it does not begin with postgres://"],
  [`"postgres:/u:${PASSWORD}@db/x"`, "it does not begin with postgres://"],
  [`{ url: "postgres://u:${PASSWORD}@db/x" }`, "it is not a text"],
  [`["postgres://u:${PASSWORD}@db/x"]`, "it is not a text"],
  ["7654321", "it is not a text"],
  [`postgres://u:${PASSWORD}@db`, "the name of the database is missing"],
  [`postgres://u:${PASSWORD}@db/`, "the name of the database is missing"],
  [`postgres://u:${PASSWORD}@db/a/b`, "the name of the database is missing"],
  [`postgres:///x?password=${PASSWORD}`, "the host is missing"],
  [`postgres://u:${PASSWORD}@/x`, `it cannot be read; ${ESCAPED}`],
  [`postgres://u:${PASSWORD}@db:port/x`, `it cannot be read; ${ESCAPED}`],
  [`postgres://u:${PASSWORD}@*/x`, "the host must be a name or an IP address"],
  [`postgres://u:${PASSWORD}@a,b/x`, "the host must be a name or an IP address"],
  [`postgres://u:${PASSWORD} 1@db/x`, "it has a space in it, which is written %20"],
  // In each of these addresses, a part of the password would be parsed as host, port or database.
  [`postgres://u:12/${PASSWORD}@db/x`, ESCAPED],
  [`"postgres://u:12/x#${PASSWORD}@db/x"`, ESCAPED],
  [`postgres://u:12/x?${PASSWORD}@db/x`, ESCAPED],
  [`postgres://u:12/x?${PASSWORD}://@db/x`, ESCAPED],
  [`postgres://u:100%${PASSWORD}@db/x`, ESCAPED],
  [`"postgres://u:${PASSWORD}@db/x#y"`, ESCAPED],
  [`postgres://u@db/x?password=${PASSWORD}`, "password stands before the ?, not behind it"],
  [`postgres://u:${PASSWORD}@db/x?host=other`, "host stands before the ?, not behind it"],
];

Deno.test("parseConfig() refuses an invalid address with its position, and never repeats the address", () => {
  for (const [written, reason] of BAD) {
    const result = parseConfig(`workspace: ~/w\ndatabase: ${written}\n`, options);
    assert.ok("diagnostics" in result, written);
    const expected = [`config.yaml:2:11: database ${EXAMPLE}${reason}`];
    assert.deepEqual(result.diagnostics.map(formatDiagnostic), expected, written);
    const { message } = new ConfigError(result.diagnostics);
    assert.ok(!message.includes(PASSWORD) && !message.includes("7654321"), message);
  }
});

Deno.test("any password reaches only the driver, or is refused without being repeated", () => {
  const odd = fc.array(
    fc.constantFrom(
      ...["@", "/", "?", "#", "%", ":", "[", "]", "\\", "&", "=", "+", "^", '"', "é", "7"],
      ...["%40", "%2F", "%C3", "password=", "host=", "://"],
    ),
    { maxLength: 6 },
  ).map((parts) => parts.join(""));
  let taken = 0;
  fc.assert(
    fc.property(odd, odd, (before, after) => {
      const address = `postgres://u:${before}${PASSWORD}${after}@db/x`;
      const result = parseConfig(`database: ${JSON.stringify(address)}\n`, options);
      if ("diagnostics" in result) {
        assert.ok(!JSON.stringify(result).includes(PASSWORD));
        return;
      }
      taken++;
      assert.equal(describeAddress(address), "postgres://u@db/x");
      const client = new pg.Client({ connectionString: address });
      assert.deepEqual([client.host, client.database, client.user], ["db", "x", "u"]);
      const redactor = new Redactor(withDatabaseSecrets(() => [], [address]));
      for (const said of [address, String(client.password)]) {
        assert.ok(said.includes(PASSWORD));
        assert.equal(redactor.redact(`<${said}>`), "<[redacted:database]>");
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(taken > 0, `${taken}`);
});

Deno.test("parseConfig() accepts addresses as PostgreSQL's own programs write them", () => {
  const addresses = [
    ...["postgres://db/x", "postgresql://u@db.example:6432/team", "postgres://u:pa@ss@db/x"],
    "postgres://u:p%40%2Fss@10.0.0.7/x",
    "postgres://u@[fd00::7]:5433/x?sslmode=verify-full&sslrootcert=/etc/ca.pem",
  ];
  for (const address of addresses) {
    const result = parseConfig(`database: ${JSON.stringify(address)}\n`, options);
    assert.ok("config" in result, address);
    assert.equal(result.config.database, address);
  }
});

Deno.test("parseConfig() refuses invalid node settings with their positions", () => {
  const result = parseConfig(
    "database_connections: 201\nnode:\n  name: ''\n  labels: [gpu, GPU]\n  runs: 0\n",
    options,
  );
  assert.ok("diagnostics" in result);
  assert.deepEqual(result.diagnostics.map(formatDiagnostic), [
    "config.yaml:1:23: database_connections must be between 1 and 200, got 201",
    'config.yaml:3:9: node.name must be a name of at most 100 characters, all of them visible, got ""',
    'config.yaml:4:17: node.labels[1] must be made of small letters, digits and -, got "GPU"',
    "config.yaml:5:9: node.runs must be between 1 and 10000, got 0",
  ]);
});

Deno.test("config.yaml names the database and node, and warns about keys without effect", async () => {
  const config = "node:\n  runs: 5\ndatabase_connections: 5\n";
  const shell = { INKLING_DATABASE_URL: "" };
  await using place = await createTestWorkspace({ config, shell });
  const warned = async () =>
    (await place.settings()).config.warnings.map((one) => formatDiagnostic({ ...one, path: "c" }));
  const why =
    "no database is set (database names one that machines share; without, SQLite is used)";
  assert.deepEqual(await warned(), [
    `c:3:1: database_connections has no effect: ${why}`,
    `c:1:1: node has no effect: ${why}`,
  ]);
  assert.equal((await place.settings()).database, undefined);
  place.shell["INKLING_DATABASE_URL"] = "postgres://db/x";
  assert.deepEqual(await warned(), []);
  place.shell["INKLING_DATABASE_URL"] = "";
  await place.configure(
    "database: postgres://u@db/x\ndatabase_connections: 3\n" +
      "node: { name: left, labels: gpu, runs: 7 }\n",
  );
  const real = await place.settings();
  assert.deepEqual({ ...real.database, node: { ...real.database?.node } }, {
    address: "postgres://u@db/x",
    connections: 3,
    tokenKey: undefined,
    node: { name: "left", labels: ["gpu"], runs: 7 },
  });
  await using own = await PrivateWorkspace.open(real, {});
  assert.equal(own.settings.database, undefined);
});

Deno.test("INKLING_DATABASE_URL overrides config.yaml, and an invalid value is refused without repeating it", async () => {
  const config = "database: postgres://u@db/x\n";
  await using place = await createTestWorkspace({ config });
  place.shell["INKLING_DATABASE_URL"] = "postgresql://w@other/y";
  assert.equal((await place.settings()).database?.address, "postgresql://w@other/y");
  for (const [written, reason] of BAD.filter(([written]) => /^\w+:\/\//.test(written))) {
    place.shell["INKLING_DATABASE_URL"] = written;
    await assert.rejects(place.settings(), {
      name: "DatabaseVariableUnusable",
      message:
        `Cannot use INKLING_DATABASE_URL: it ${EXAMPLE}${reason}. Set it to another address, or unset it`,
    });
  }
});

/** Returns the settings of a node with this name in config.yaml. */
function nodeOf(name: string | null) {
  const keys = { database: "postgres://db/x", databaseConnections: 10 };
  const node = { name, labels: [], runs: 100 };
  return readDatabaseSettings({ ...keys, node }, { variable: undefined })?.node;
}

Deno.test({
  name: "a node reads the name of its machine only when it is needed",
  permissions: { sys: false, read: true },
  fn() {
    const node = nodeOf(null);
    assert.equal(node?.runs, 100);
    assert.throws(() => node?.name, Deno.errors.NotCapable);
  },
});

Deno.test("a node has the name of its machine, unless config.yaml names the node", () => {
  assert.deepEqual([nodeOf(null)?.name, nodeOf("left")?.name], [Deno.hostname(), "left"]);
});

Deno.test("databaseHost() returns the driver's host: PGPORT counts only for an address without a port", () => {
  const hostOf = (address: string, port?: string) => databaseHost({ address }, { port });
  assert.equal(hostOf("postgres://u@db/x"), "db:5432");
  assert.equal(hostOf("postgres://u@db/x", "6000"), "db:6000");
  assert.equal(hostOf("postgres://u@db:7000/x", "6000"), "db:7000");
  assert.equal(hostOf("postgres://u@[fd00::7]/x"), "[fd00::7]:5432");
});

Deno.test("database passwords are redacted in log lines and output, in every form", async () => {
  const written = "pa%2Fss^word-1";
  const address = `postgres://u:${written}@db/x`;
  await using place = await createTestWorkspace({
    shell: { INKLING_DATABASE_URL: address, PGPASSWORD: "of-the-shell" },
  });
  // The address in the shell overrides this address. The password of this address must be redacted nevertheless.
  await place.configure("database: postgres://u:of-the-file@db/x\n");
  const lines: string[] = [];
  const opened = await openAgents({
    settings: await place.settings(),
    clock: new TestClock(0),
    log: {
      write: (_level, message, fields) => void lines.push(message + JSON.stringify(fields ?? {})),
    },
  });
  await using _folders = opened.folders;
  const said = [
    address,
    `refused ${written}!`,
    "refused pa/ss^word-1!",
    "refused pa%2Fss%5Eword-1!",
    "refused of-the-shell, of-the-file",
  ];
  opened.log.write("error", said.join(" "), { cause: said });
  for (const text of [lines.join("\n"), opened.redactor.redactValue(said).join("\n")]) {
    assert.doesNotMatch(text, /pa\/ss|pa%2F|word-1|of-the-/);
    assert.match(text, /refused \[redacted:database\]!/);
    assert.match(text, /refused \[redacted:PGPASSWORD\], \[redacted:database\]/);
  }
});

Deno.test("an address with a very short password is redacted as a whole", async () => {
  const address = "postgres://u:abc@db/x";
  const shell = { INKLING_DATABASE_URL: "", PGPASSWORD: "of-the-shell" };
  await using place = await createTestWorkspace({ shell });
  const redact = async (text: string) => {
    const log = { write: () => {} };
    const settings = await place.settings();
    const opened = await openAgents({ settings, clock: new TestClock(0), log });
    await using _folders = opened.folders;
    return opened.redactor.redact(text);
  };
  assert.equal(await redact("of-the-shell"), "of-the-shell");
  place.shell["INKLING_DATABASE_URL"] = address;
  assert.equal(await redact(`Cannot use ${address} abc`), "Cannot use [redacted:database] abc");
  place.shell["INKLING_DATABASE_URL"] = "postgres://u@db/x";
  const shown = await redact("postgres://u@db/x of-the-shell");
  assert.equal(shown, "postgres://u@db/x [redacted:PGPASSWORD]");
});
