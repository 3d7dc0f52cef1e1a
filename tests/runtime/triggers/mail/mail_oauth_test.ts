// A service whose mail account signs in with OAuth: its runs, its restart, and the end of the sign-in.
import assert from "node:assert/strict";
import { withDovecot } from "../../../support/machine/mail_servers.ts";
import { payloadsOf } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { OAuthWorld } from "../../mail/oauth_world.ts";
import { mailOf } from "./mail_world.ts";

withDovecot.test("a service reads mail with the stored sign-in, also after a restart, says when it has ended, and shows no token", async () => {
  await using world = await OAuthWorld.create();
  const { place, imap, auth } = world;
  const config = `${place.configDir}/config.yaml`;
  const channel =
    "notify: { channels: { phone: { type: ntfy, topic: t, url: 'http://127.0.0.1:9' } } }\n";
  await Deno.writeTextFile(config, await Deno.readTextFile(config) + channel);
  const line = "trigger: { type: mail, account: home }\nmail: home";
  const search = { name: "mail_search", arguments: { folder: "INBOX" } };
  await place.writeScript("reader", [{ call: [search] }, { say: "{result}" }], line);
  await imap.deliver("ann", mailOf({ subject: "old" }));
  await world.signIn();
  const shown: unknown[] = [];
  const runs = async (runtime: Awaited<ReturnType<typeof place.open>>) =>
    (await runtime.listExecutions({ agentId: "reader", limit: 9, offset: 0 }))
      .filter(({ status }) => status === "success");
  for (const subject of ["one", "two"]) {
    await using runtime = await place.open();
    await until(
      async () => (await place.all("SELECT 1 FROM mail_positions")).length === 1,
      "the agent has its position",
    );
    await imap.deliver("ann", mailOf({ subject }));
    const wanted = subject === "one" ? 1 : 2;
    await until(async () => (await runs(runtime)).length === wanted, `a run for ${subject}`);
    for (const run of await runs(runtime)) shown.push(run, await payloadsOf(runtime, run.id));
    if (wanted === 1) continue;
    auth.refreshTokens.clear();
    auth.accessTokens.clear();
    imap.cut();
    const reason = async () => (await runtime.getAgent("reader"))?.inactiveReason;
    await until(async () => /sign-in/.test(await reason() ?? ""), "the end of the sign-in is told");
    assert.match(await reason() ?? "", /needs a sign-in.*inkling mail login home/s);
    shown.push(await runtime.getAgent("reader"));
  }
  const output = JSON.stringify([
    shown,
    place.logged.map((one) => Deno.inspect(one, { depth: 9 })),
  ]);
  assert.match(output, /mail_search/);
  world.assertNoToken(output);
});
