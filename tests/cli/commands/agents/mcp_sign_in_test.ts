// Tests `inkling mcp login` and `inkling mcp logout` with a real authorization server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { AuthorizationServer } from "../../../support/machine/authorization_server.ts";
import { freePort, untilFree } from "../../../support/machine/free_port.ts";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";
import { ask } from "../../waiting_execution.ts";

interface Place extends AsyncDisposable {
  world: SetupWorld;
  auth: AuthorizationServer;
  /** Returns the contents of the stored sign-ins. */
  stored(): Promise<string[]>;
}

async function openPlace(options: { oauth?: unknown; hasPerson?: boolean } = {}): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const auth = stack.use(new AuthorizationServer());
  const resource = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => auth.guard(request) ?? new Response("{}"),
  );
  stack.defer(() => resource.shutdown());
  const world = stack.use(await createSetupWorld({ hasPerson: options.hasPerson ?? true }));
  await Deno.mkdir(join(world.agentsDir, "_config"), { recursive: true });
  const url = `http://127.0.0.1:${resource.addr.port}/mcp`;
  const { oauth } = options;
  await Deno.writeTextFile(
    join(world.agentsDir, "_config/mcp-servers.json"),
    JSON.stringify({
      remote: { url, ...(oauth !== undefined && { oauth }) },
      keyed: { url, headers: { Authorization: "Bearer x" } },
      program: { command: "x" },
      robot: {
        url,
        oauth: { grant: "client_credentials", client_id: "x", client_secret_env: "ROBOT_SECRET" },
      },
    }),
  );
  world.shell["ROBOT_SECRET"] = "0123456789";
  world.cli.app.openBrowser = async (address) => {
    const reply = await fetch(await auth.consent(address));
    assert.match(await reply.text(), /return to the terminal/);
    return true;
  };
  const kept = stack.move();
  return {
    world,
    auth,
    stored: () =>
      Promise.all(
        world.files().filter((path) => /mcp-tokens\/[^/]*\.json$/.test(path))
          .map((path) => world.read(join(world.home, path))),
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

Deno.test("mcp login opens the browser and stores the tokens, mcp logout revokes them", async () => {
  await using place = await openPlace();
  const { world: { cli }, auth } = place;
  assert.equal(await cli.run("mcp", "login", "remote"), 0, cli.stderr.text);
  assert.match(cli.stdout.text, /^http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+\n/m);
  assert.match(cli.stdout.text, /✔ Signed in to remote at http:\/\/127\.0\.0\.1:\d+\n$/);
  const tokens = auth.secrets.filter((one) => /^(access|refresh)/.test(one));
  const [stored = ""] = await place.stored();
  for (const token of tokens) {
    assert.ok(stored.includes(token));
    assert.ok(!(cli.stdout.text + cli.stderr.text).includes(token));
  }
  // The client and its redirect address are used again.
  assert.equal(await cli.run("mcp", "login", "remote"), 0, cli.stderr.text);
  assert.equal(auth.to("/register").length, 1);
  assert.equal(await cli.run("mcp", "logout", "remote"), 0);
  assert.deepEqual(auth.revoked, auth.secrets.slice(-2).toReversed());
  assert.deepEqual(await place.stored(), []);
  assert.equal(await cli.run("mcp", "logout", "remote"), 0);
  assert.match(cli.stderr.text, /There is no sign-in to remote\n$/);
});

Deno.test("mcp login --no-browser takes the pasted address, without a terminal, too", async () => {
  for (const hasPerson of [true, false]) {
    await using place = await openPlace({ hasPerson });
    const { world: { cli }, auth } = place;
    const read = cli.app.input.openLines.bind(cli.app.input);
    cli.app.input.openLines = async (options) => {
      const address = /^http:\S+authorize\S+$/m.exec(cli.stdout.text)?.[0] ?? "";
      cli.input.lines.push(await auth.consent(address));
      return await read(options);
    };
    assert.equal(await cli.run("mcp", "login", "remote", "--no-browser"), 0, cli.stderr.text);
    assert.match(
      cli.stderr.text.replaceAll(/\s+/g, " "),
      /cannot open a page at http:\/\/127\.0\.0\.1\. Copy its address/,
    );
    assert.equal((await place.stored()).length, 1);
    cli.app.input.openLines = read;
    cli.input.lines.push("hello");
    assert.equal(await cli.run("mcp", "login", "remote", "--no-browser"), 1);
    assert.match(cli.stderr.text, /the answer belongs to another sign-in/);
    cli.input.lines.push("https://example.com/");
    assert.equal(await cli.run("mcp", "login", "remote", "--no-browser"), 1);
    assert.match(cli.stderr.text, /That is not the address to which the browser was redirected/);
  }
});

Deno.test("mcp login without a browser says how to use one on another machine", async () => {
  await using place = await openPlace();
  const { world: { cli }, auth } = place;
  cli.app.openBrowser = async (address) => {
    await (await fetch(await auth.consent(address))).text();
    return false;
  };
  assert.equal(await cli.run("mcp", "login", "remote"), 0);
  assert.match(cli.stderr.text, /No browser could be opened here.*login remote\s+--no-browser/s);
});

Deno.test("a request of another page to the redirect address does not end the sign-in", async () => {
  await using place = await openPlace();
  const { world: { cli }, auth } = place;
  cli.app.openBrowser = async (address) => {
    const answer = new URL(await auth.consent(address));
    const forged = new URL(answer);
    forged.searchParams.set("state", "forged");
    for (const one of [forged.href, `${answer.origin}/favicon.ico`]) {
      const reply = await fetch(one);
      await reply.body?.cancel();
      assert.ok(reply.status >= 400);
    }
    await (await fetch(answer)).text();
    return true;
  };
  assert.equal(await cli.run("mcp", "login", "remote"), 0, cli.stderr.text);
});

Deno.test("mcp login names the problem of an entry, and of a refused sign-in", async () => {
  await using place = await openPlace();
  const { world: { cli }, auth } = place;
  const refusals = {
    keyed: /has the header Authorization in its entry: remove it/,
    program: /is a program, so it has no sign-in here/,
    robot: /needs no person: it signs in as the client of its entry/,
  };
  for (const [name, expected] of Object.entries(refusals)) {
    assert.equal(await cli.run("mcp", "login", name), 1);
    assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), expected);
  }
  assert.equal(await cli.run("mcp", "login", "other"), 2);
  assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), /has no server "other"/);
  auth.metadata = { authorization_endpoint: "javascript:alert(1)" };
  let opened = 0;
  cli.app.openBrowser = () => Promise.resolve(++opened > 0);
  assert.equal(await cli.run("mcp", "login", "remote"), 1);
  assert.match(cli.stderr.text, /The sign-in to "remote" failed: /);
  assert.equal(opened, 0);
  assert.deepEqual(await place.stored(), []);
});

Deno.test("mcp login refuses to use another port than oauth.redirect_port", async () => {
  const port = freePort();
  const taken = Deno.listen({ port, hostname: "127.0.0.1" });
  await using place = await openPlace({ oauth: { redirect_port: port } });
  const { world: { cli } } = place;
  assert.equal(await cli.run("mcp", "login", "remote"), 1);
  assert.match(cli.stderr.text, new RegExp(`Port ${port} of oauth.redirect_port is in use`));
  taken.close();
  await untilFree(port);
  assert.equal(await cli.run("mcp", "login", "remote"), 0, cli.stderr.text);
  assert.match(cli.stdout.text, new RegExp(`redirect_uri=http%3A%2F%2F127.0.0.1%3A${port}%2F`));
});

Deno.test("mcp remove revokes and forgets the sign-in, and logout forgets without the server", async () => {
  await using place = await openPlace();
  const { world: { cli }, auth } = place;
  assert.equal(await cli.run("mcp", "login", "remote"), 0);
  assert.equal(await cli.run("mcp", "remove", "remote", "-y"), 0);
  assert.equal(auth.revoked.length, 2);
  assert.deepEqual(await place.stored(), []);
  await using another = await openPlace();
  assert.equal(await another.world.cli.run("mcp", "login", "remote"), 0);
  another.auth.intercept = () => new Response("down", { status: 503 });
  assert.equal(await another.world.cli.run("mcp", "logout", "remote"), 0);
  const { text } = another.world.cli.stderr;
  assert.match(
    text.replaceAll(/\s+/g, " "),
    /may still be valid, because .*\/revoke answered HTTP 503/,
  );
  assert.deepEqual(await another.stored(), []);
});

Deno.test("mcp login continues every run that waits for this server, and no other", async () => {
  await using place = await openPlace();
  const { world: { cli } } = place;
  const { runtime } = cli;
  for (const server of ["remote", "other", "remote"]) {
    const { id } = runtime.addExecution({ agentId: "daily" });
    ask(cli, id, { toolName: "sign_in", toolArgs: { server } });
  }
  const { id } = runtime.addExecution({ agentId: "daily" });
  ask(cli, id);
  assert.equal(await cli.run("mcp", "login", "remote"), 0, cli.stderr.text);
  assert.match(cli.stderr.text, /Continues 2 runs that waited for the sign-in\n$/);
  // The service continues the other run by the same answer.
  const given = runtime.responses.map(({ id, answer }) => ({ id, answer }));
  assert.deepEqual(given, [{ id: 3, answer: { approved: true } }]);
});
