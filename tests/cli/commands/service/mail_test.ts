// Tests `inkling mail login` and `inkling mail logout` with a real authorization server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { AuthorizationServer } from "../../../support/machine/authorization_server.ts";
import { createSetupWorld } from "../../setup_world.ts";

Deno.test("mail login opens the browser and stores the tokens, mail logout revokes them", async () => {
  await using auth = new AuthorizationServer();
  auth.clients.set("inkling", {});
  await using world = await createSetupWorld({
    config: `mail:
  home: { address: ann@example.com, imap: "imap.example.com:993", smtp: "smtp.example.com:465", oauth: { issuer: "${auth.issuer}", client_id: inkling } }
  keyed: { address: ann@example.com, imap: "imap.example.com:993", smtp: "smtp.example.com:465", password_env: PW }
`,
  });
  const { cli } = world;
  cli.app.openBrowser = async (address) => {
    await (await fetch(await auth.consent(address))).body?.cancel();
    return true;
  };
  const stored = () => world.files().filter((path) => /mcp-tokens\/[^/]*\.json$/.test(path));
  assert.equal(await cli.run("mail", "login", "home"), 0, cli.stderr.text);
  assert.match(cli.stderr.text, /To sign in to the mail account home, open this address:/);
  assert.match(
    cli.stdout.text,
    /✔ Signed in to the mail account home at http:\/\/127\.0\.0\.1:\d+\n$/,
  );
  const [file = "", ...others] = stored();
  assert.equal(others.length, 0);
  assert.equal((await Deno.stat(join(world.home, file))).mode! & 0o777, 0o600);
  for (const secret of auth.secrets) {
    assert.ok(!(cli.stdout.text + cli.stderr.text).includes(secret));
  }
  assert.equal(await cli.run("mail", "logout", "home"), 0);
  assert.equal(auth.revoked.length, 2);
  assert.deepEqual(stored(), []);
  assert.equal(await cli.run("mail", "logout", "home"), 0);
  assert.match(cli.stderr.text, /There is no sign-in to the mail account home\n$/);
  const refusals = [
    [
      "keyed",
      1,
      /The sign-in to the mail account keyed failed: mail\.keyed in config\.yaml has no oauth/,
    ],
    [
      "hme",
      2,
      /The sign-in to the mail account hme failed: config\.yaml has no mail account "hme"/,
    ],
  ] as const;
  for (const [name, code, problem] of refusals) {
    assert.equal(await cli.run("mail", "login", name), code);
    assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), problem);
  }
  // A machine without a screen gets the command for it.
  cli.app.openBrowser = async (address) => {
    await (await fetch(await auth.consent(address))).body?.cancel();
    return false;
  };
  assert.equal(await cli.run("mail", "login", "home"), 0);
  assert.match(cli.stderr.text.replaceAll(/\s+/g, " "), /inkling mail login home --no-browser/);
});
