// Two agents on two accounts that answer each other's mails.
import assert from "node:assert/strict";
import { startSmtp, withDovecot } from "../../../support/machine/mail_servers.ts";
import { until } from "../../../support/until.ts";
import { homeAccount, mailOf, MailWorld } from "./mail_world.ts";

/** Opens two accounts whose agents answer each mail, and the server that delivers their answers. */
async function openLoop(trigger: string) {
  const stack = new AsyncDisposableStack();
  const smtp = stack.use(await startSmtp());
  const world = stack.use(await MailWorld.create({ smtp: smtp.port }));
  const { place, imap } = world;
  const ben = homeAccount(imap.port, { smtp: smtp.port }).replace("mail:\n", "")
    .replace("home:", "ben:").replace("ann@example.com", "ben@example.com")
    .replace("user: ann", "user: ben");
  await Deno.writeTextFile(`${place.configDir}/config.yaml`, ben, { append: true });
  await imap.deliver("ben", mailOf({ subject: "old" }));
  for (const [id, account, to] of [["a", "home", "ben"], ["b", "ben", "ann"]] as const) {
    const mail = { to: [`${to}@example.com`], subject: "Thanks", text: "Thank you too" };
    const steps = [{ call: [{ name: "mail_send", arguments: mail }] }, { say: "answered" }];
    const lines = `trigger: { type: mail, account: ${account}, ${trigger} }\n` +
      `mail: ${account}\nauto_approve: [mail_send]`;
    await place.writeScript(id, steps, lines);
  }
  await world.open({ positions: 2 });
  const end = new AbortController();
  const deliver = async () => {
    for (let at = 0; !end.signal.aborted;) {
      const mail = smtp.sent[at];
      if (mail === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        continue;
      }
      at++;
      const proof = "Authentication-Results: mx.example.com; dmarc=pass header.from=example.com";
      const [user = ""] = (mail.to[0] ?? "").split("@");
      await imap.deliver(user, `${proof}\r\n${mail.source}`);
    }
  };
  const delivering = deliver();
  stack.defer(async () => {
    end.abort();
    await delivering;
  });
  const countRuns = async () => {
    const runs = await Promise.all(["a", "b"].map((id) => world.runs(id)));
    return runs.map(({ length }) => length);
  };
  return { stack, world, smtp, countRuns };
}

/** Waits until the last mail that was sent has started nothing. */
async function untilQuiet({ world, id }: { world: MailWorld; id: string }): Promise<string> {
  await until(
    async () => (await world.runtime.getAgent(id)).passedMail !== undefined,
    "a mail starts nothing",
  );
  return (await world.runtime.getAgent(id)).passedMail?.reason ?? "";
}

withDovecot.test("the answer of an agent starts no other agent, because a program has written it", async () => {
  const { stack, world, smtp, countRuns } = await openLoop("folder: INBOX");
  await using _ = stack;
  await world.deliver({ from: "cleo@example.org", subject: "Hello" });
  assert.match(await untilQuiet({ world, id: "b" }), /trigger.automatic: true takes it/);
  assert.deepEqual(await countRuns(), [1, 0]);
  assert.equal(smtp.sent.length, 1);
});

withDovecot.test("two agents that take automatic mail stop after 20 runs by one sender", async () => {
  const { stack, world, smtp, countRuns } = await openLoop("automatic: true");
  await using _ = stack;
  await world.deliver({ from: "cleo@example.org", subject: "Hello" });
  for (const count of [10, 20, 30, 41]) {
    await until(() => smtp.sent.length >= count, `${count} mails are sent`);
  }
  const reasons = await Promise.race([
    untilQuiet({ world, id: "a" }),
    untilQuiet({ world, id: "b" }),
  ]);
  assert.match(reasons, /its sender has started 20 runs within an hour/);
  // The first run of one agent was started by a person.
  assert.deepEqual(await countRuns(), [21, 20]);
  assert.equal(smtp.sent.length, 41);
});
