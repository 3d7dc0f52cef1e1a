// Tests the sign-ins to remote MCP servers that several nodes share in their database.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../../../base/clock.ts";
import { examine } from "../../../../../ops/doctor/examine.ts";
import { readSignIn, signOut } from "../../../../../ops/install/server_sign_in.ts";
import { StorageUnavailable } from "../../../../../runtime/database/database.ts";
import type { Database } from "../../../../../runtime/database/database.ts";
import { all, run } from "../../../../../runtime/database/operation.ts";
import { loadSettings } from "../../../../../runtime/mod.ts";
import { SharedCredentials } from "../../../../../runtime/storage/shared_credentials.ts";
import type { Credentials } from "../../../../../runtime/tools/mcp/sign_in/credentials.ts";
import { TokenSecrets } from "../../../../../runtime/tools/mcp/sign_in/token_secrets.ts";
import { AuthorizationServer } from "../../../../support/machine/authorization_server.ts";
import { sharePostgres, withPostgres } from "../../../../support/postgres.ts";
import { openTestPostgres } from "../../../../support/test_database.ts";
import { runToEnd } from "../../../../support/test_workspace.ts";
import { NodeWorld } from "../../../nodes/node_world.ts";
import { FixtureHttpServer } from "../http_server.ts";
import { signInAsPerson } from "./sign_in_world.ts";

sharePostgres();

const KEY = new Uint8Array(32).fill(7).toBase64();
const OTHER_KEY = new Uint8Array(32).fill(8).toBase64();

/** Runs `work` with a database for nodes, an MCP server that needs a sign-in, and an agent for each of two nodes. */
function test(
  name: string,
  work: (world: NodeWorld, auth: AuthorizationServer) => Promise<void>,
): void {
  withPostgres.test(name, async () => {
    await using world = await NodeWorld.create();
    await using auth = new AuthorizationServer();
    await using server = new FixtureHttpServer();
    server.intercept = (request) => auth.guard(request);
    const { workspace: place } = world;
    await Deno.mkdir(join(place.agentsDir, "_config"), { recursive: true });
    await Deno.writeTextFile(
      join(place.agentsDir, "_config/mcp-servers.json"),
      JSON.stringify({ remote: { url: server.url } }),
    );
    for (const node of ["one", "two"]) {
      const call = { name: "echo", arguments: { text: `from ${node}` } };
      await place.writeScript(
        `caller_${node}`,
        [{ call: [call] }, { say: "{result}" }],
        `mcp: [remote]\nnodes: [${node}]`,
      );
    }
    place.shell["INKLING_TOKEN_KEY"] = KEY;
    await work(world, auth);
  });
}

/** Returns the settings of a command line on the machine of a node. */
async function settingsOf({ workspace: { root, shell } }: NodeWorld, node: string) {
  const own = {
    INKLING_CONFIG_DIR: join(root, `config-${node}`),
    INKLING_STATE_DIR: join(root, `state-${node}`),
  };
  return await loadSettings({ shell: { ...shell, ...own }, home: root });
}

test(
  "a sign-in on one node is used by all, and nodes that renew at once send one request",
  async (world, auth) => {
    const { root, logged } = world.workspace;
    await using one = await world.open("one");
    const settings = await settingsOf(world, "one");
    assert.equal((await signInAsPerson(settings, auth)).localOnly, undefined);
    {
      await using two = await world.open("two");
      const results = await Promise.all([runToEnd(one, "caller_one"), runToEnd(two, "caller_two")]);
      assert.deepEqual(results.map((end) => end.outputData), ["from one", "from two"]);
      auth.accessTokens.clear();
      auth.intercept = async ({ path }) => {
        // A slow reply, during which the other node needs the token, too.
        if (path === "/token") await new Promise((resolve) => setTimeout(resolve, 100));
        return undefined;
      };
      const again = await Promise.all([runToEnd(one, "caller_one"), runToEnd(two, "caller_two")]);
      assert.deepEqual(again.map((end) => end.status), ["success", "success"]);
      assert.equal(auth.to("/token").length, 2);
    }
    const rows = JSON.stringify(await world.query("SELECT * FROM inkling.settings"));
    assert.match(rows, /sign_in:remote/);
    const frames = JSON.stringify(await world.query("SELECT * FROM inkling.frames"));
    const output = rows + frames + JSON.stringify(logged);
    for (const secret of [...auth.secrets, KEY]) assert.ok(!output.includes(secret));
    for (const node of ["one", "two"]) {
      await assert.rejects(
        Deno.stat(join(root, `state-${node}`, "mcp-tokens")),
        Deno.errors.NotFound,
      );
    }
    assert.deepEqual(
      await world.query("SELECT * FROM inkling.leases WHERE name LIKE 'sign_in%'"),
      [],
    );
    const clock = new SystemClock();
    assert.deepEqual(await readSignIn("remote", { settings, clock }), { state: "done" });
    assert.deepEqual(await signOut("remote", { settings, clock }), {
      wasSignedIn: true,
      unrevoked: undefined,
    });
    assert.equal(auth.revoked.length, 2);
  },
);

test("a node without the key uses its own sign-ins, and says so", async (world, auth) => {
  await using one = await world.open("one");
  delete world.workspace.shell["INKLING_TOKEN_KEY"];
  await using two = await world.open("two");
  const settings = await settingsOf(world, "two");
  const findings = async (subject: string) => {
    const surroundings = { shell: settings.shell, home: settings.home };
    const found = await examine(surroundings, { version: "0.0.0-test", isRunning: true });
    return found.findings.filter((one) => one.subject === subject);
  };
  const [unusable] = await findings("MCP server remote");
  assert.equal(unusable?.remedy, "inkling mcp login remote");
  const { localOnly } = await signInAsPerson(settings, auth);
  assert.match(
    localOnly?.problem ?? "",
    /on this machine only.*because INKLING_TOKEN_KEY is not set/,
  );
  assert.match(localOnly?.remedy ?? "", /type: openssl rand -base64 32/);
  const stored = await readSignIn("remote", { settings, clock: new SystemClock() });
  assert.deepEqual(stored, { state: "done", note: localOnly?.problem });
  assert.deepEqual(
    await findings("MCP sign-ins"),
    [{ severity: "warning", subject: "MCP sign-ins", ...localOnly }],
  );
  assert.equal((await runToEnd(two, "caller_two")).outputData, "from two");
  assert.equal((await runToEnd(one, "caller_one")).status, "waiting");
});

test(
  "a node with another key fails with a clear error, and changes nothing",
  async (world, auth) => {
    await using one = await world.open("one");
    await signInAsPerson(await settingsOf(world, "one"), auth);
    const read = () => world.query("SELECT * FROM inkling.settings WHERE key LIKE 'sign_in%'");
    const before = await read();
    world.workspace.shell["INKLING_TOKEN_KEY"] = OTHER_KEY;
    await using two = await world.open("two");
    const reason =
      /not encrypted with the INKLING_TOKEN_KEY of this machine: give every node the same/;
    const failed = await runToEnd(two, "caller_two");
    assert.equal(failed.status, "error");
    assert.match(failed.error ?? "", reason);
    const settings = await settingsOf(world, "two");
    await assert.rejects(signInAsPerson(settings, auth), reason);
    const options = { settings, clock: new SystemClock() };
    assert.match((await readSignIn("remote", options)).note ?? "", reason);
    assert.deepEqual(await read(), before);
    assert.equal((await runToEnd(one, "caller_one")).status, "success");
    // A person may forget the sign-in, for example after the key was lost.
    assert.deepEqual(await signOut("remote", options), {
      wasSignedIn: true,
      unrevoked: "this machine cannot decrypt them",
    });
    assert.deepEqual(await read(), []);
  },
);

test("a key of another length is refused without repeating it", async (world) => {
  for (const key of ["c2hvcnQ=", "not base64 at all", new Uint8Array(33).toBase64()]) {
    world.workspace.shell["INKLING_TOKEN_KEY"] = key;
    await assert.rejects(world.open("one"), (error) => {
      assert.ok(error instanceof Error && !error.message.includes(key));
      assert.match(
        error.message,
        /^Cannot use INKLING_TOKEN_KEY: it must be 32 bytes in base64\. To create a key, type: openssl/,
      );
      return true;
    });
  }
});

function credentialsWith(refreshToken: string | undefined): Credentials {
  const issuer = "https://auth.example";
  return {
    server: "remote",
    url: "https://example.com/mcp",
    issuer,
    client: { client_id: "x", issuer },
    discovery: { authorizationServerUrl: issuer },
    ...(refreshToken && {
      tokens: {
        access_token: `a${refreshToken}`,
        token_type: "Bearer",
        refresh_token: refreshToken,
      },
    }),
    receivedAt: 0,
  };
}

withPostgres.test("SharedCredentials keeps the sign-ins of several nodes apart and whole", async (t) => {
  await using db = await openTestPostgres();
  const clock = new SystemClock();
  const secrets = new TokenSecrets();
  /** Opens the store of a node. */
  const open = (own: Database = db) =>
    new SharedCredentials({ db: own, key: new Uint8Array(32).fill(7), clock, secrets });

  await t.step(
    "a node that dies during a renewal delays the others by its lease only",
    async () => {
      await open().forget("remote");
      const leaseEnd = Date.now() + 300;
      await db.change("power", () =>
        run(
          "INSERT INTO leases (name, instance_id, until) VALUES ('sign_in remote', 'dead', ?)",
          leaseEnd,
        ));
      const credentials = credentialsWith("r1");
      await open().change("remote", (_none, save) => save(credentials));
      assert.ok(Date.now() >= leaseEnd);
      assert.deepEqual(await open().read("remote"), credentials);
    },
  );

  await t.step(
    "new tokens that arrive late are stored, and a refusal does not replace them",
    async () => {
      await open().forget("remote");
      const [slow, quick] = [open(), open()];
      await slow.change("remote", (_none, save) => save(credentialsWith("r1")));
      await slow.change("remote", async (_r1, saveLate) => {
        // The lease of the slow node ends, and another node sends the former refresh token.
        await db.change("power", () => run("DELETE FROM leases"));
        await quick.change("remote", async (_same, saveRefusal) => {
          await saveLate(credentialsWith("r2"));
          await saveRefusal(credentialsWith(undefined));
        });
        assert.equal((await quick.read("remote"))?.tokens?.refresh_token, "r2");
        await quick.change("remote", (_r2, save) => save(credentialsWith(undefined)));
        await saveLate(credentialsWith("r3"));
      });
      assert.equal((await quick.read("remote"))?.tokens?.refresh_token, "r3");
    },
  );

  await t.step("new tokens are stored after an outage of the database", async () => {
    await open().forget("remote");
    let outages = 0;
    const failing: Database = Object.create(db, {
      change: {
        value: (durability: "power", operation: () => ReturnType<typeof run>) =>
          outages-- > 0
            ? Promise.reject(new StorageUnavailable("down"))
            : db.change(durability, operation),
      },
      read: { value: db.read.bind(db) },
    });
    await open(failing).change("remote", async (_none, save) => {
      outages = 1;
      await save(credentialsWith("r1"));
    });
    assert.equal((await open().read("remote"))?.tokens?.refresh_token, "r1");
  });

  await t.step("sealed credentials are bound to their server and issuer", async () => {
    await open().forget("remote");
    const store = open();
    await store.change("remote", (_none, save) => save(credentialsWith("r1")));
    const [{ value } = { value: "" }] = await db.read(() =>
      all<{ value: string }>("SELECT value FROM settings WHERE key = 'sign_in:remote'")
    );
    const put = (key: string, text: string) =>
      db.change(
        "power",
        () => run("INSERT INTO settings (key, value) VALUES (?, ?)", `sign_in:${key}`, text),
      );
    await put("other", value);
    await put("moved", value.replace("auth.example", "evil.example"));
    for (const server of ["other", "moved"]) {
      await assert.rejects(store.read(server), /not encrypted/);
    }
  });
});
