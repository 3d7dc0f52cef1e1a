// Tests of kill -9 while a mail is sent: the mail is never sent twice, and its outcome is found among the sent mails.
import assert from "node:assert/strict";
import { call, resultsOf } from "../../runtime/executions/executions_of.ts";
import { MailWorld } from "../../runtime/triggers/mail/mail_world.ts";
import { startSmtp, withDovecot } from "../../support/machine/mail_servers.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { type DeathOrder, startAndDie } from "./start_and_die.ts";

const MAIL = { to: ["bob@example.org"], subject: "Hi", text: "Hello" };
const UNKNOWN = /its outcome is unknown\. It was not repeated/;

/** The moments of the kill, with the number of sent mails and the result. */
const DEATHS: readonly {
  moment: string;
  crash: DeathOrder["crash"];
  sent: number;
  result: RegExp;
  /** True if the kill happens before the copy is stored. */
  isCopyLost?: true;
}[] = [
  {
    moment: "before the mail is sent",
    crash: { method: "startCall", when: "after", nth: 1 },
    ...{ sent: 0, result: UNKNOWN },
  },
  {
    moment: "after the server accepted the mail",
    crash: { method: "finishCall", when: "before", nth: 1 },
    ...{ sent: 1, result: /The mail was sent before the service stopped: it is in "Sent"/ },
  },
  {
    moment: "after the server accepted the mail, without a copy",
    crash: { method: "finishCall", when: "before", nth: 1 },
    ...{ sent: 1, result: UNKNOWN, isCopyLost: true },
  },
];

for (const { moment, crash, sent, result, isCopyLost } of DEATHS) {
  withDovecot.test(`a mail is not sent twice by a service that is killed ${moment}`, async () => {
    await using smtp = await startSmtp();
    await using world = await MailWorld.create({ smtp: smtp.port });
    const { place, imap } = world;
    const settings = "mail: home\nauto_approve: [mail_send]\non_restart: resume";
    const steps = [{ call: [call("mail_send", MAIL)] }, { say: "Done." }];
    await place.writeScript("sender", steps, settings);
    await startAndDie(place, { start: ["sender"], crash });
    if (isCopyLost) {
      for (const folder of ["cur", "new"]) {
        await Deno.remove(`${imap.folderOf("ann", "Sent")}/${folder}`, { recursive: true });
      }
    }
    await using runtime = await place.open();
    const [started] = await runtime.listExecutions({ agentId: "sender", limit: 1, offset: 0 });
    const { id, status } = await toEnd(runtime, started?.id ?? 0);
    assert.equal(status, "success");
    const [found, ...others] = await resultsOf(runtime, id);
    assert.deepEqual(others, []);
    assert.match(String(found?.["content"]), result);
    assert.equal(smtp.sent.length, sent);
    assert.equal((await imap.list("ann", "Sent")).length, isCopyLost ? 0 : sent);
  });
}
