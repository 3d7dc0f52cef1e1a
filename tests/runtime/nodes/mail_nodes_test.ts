// Nodes that share a database and a mail account: one of them reads it.
import assert from "node:assert/strict";
import { startImap, withDovecot } from "../../support/machine/mail_servers.ts";
import { HAS_POSTGRES, sharePostgres } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import { homeAccount, mailOf } from "../triggers/mail/mail_world.ts";
import { NodeWorld } from "./node_world.ts";

if (HAS_POSTGRES) sharePostgres();

(HAS_POSTGRES ? withDovecot.test : Deno.test.ignore)(
  "nodes: one node reads a mail account, and another one after it",
  async () => {
    await using world = await NodeWorld.create();
    await using imap = await startImap();
    world.workspace.shell["HOME_PASSWORD"] = "secret";
    await imap.deliver("ann", mailOf({ subject: "old" }));
    const trigger = "trigger: { type: mail, account: home, input: '{subject}' }";
    await world.workspace.writeScript("reader", [{ say: "done" }], trigger);
    const deliver = (subject: string) => imap.deliver("ann", mailOf({ subject }));
    const taken = async () => {
      const rows = await world.query(
        "SELECT request FROM inkling.executions WHERE trigger = 'mail' ORDER BY id",
      );
      return rows.map(({ request }) => JSON.parse(String(request)).cause.values.subject);
    };
    const one = await world.open("one", homeAccount(imap.port));
    await using two = await world.open("two", homeAccount(imap.port));
    await until(
      async () => (await world.query("SELECT 1 FROM inkling.mail_positions")).length === 1,
      "the agent has its position",
    );
    await deliver("first");
    await until(async () => (await taken()).length === 1, "the first mail is taken");
    assert.deepEqual([imap.accepted, imap.open], [1, 1]);
    await one[Symbol.asyncDispose]();
    await deliver("second");
    await until(async () => (await taken()).length === 2, "the other node takes the second mail");
    assert.deepEqual(await taken(), ["first", "second"]);
    assert.deepEqual([imap.accepted, imap.open], [2, 1]);
    assert.equal((await two.getAgent("reader")).inactiveReason, undefined);
  },
);
