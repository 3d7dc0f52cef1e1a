// A test of kill -9 while mails are sent: no mail is sent twice, and its outcome is found among the sent mails.
import assert from "node:assert/strict";
import { call, idsOf, resultsOf } from "../../runtime/executions/executions_of.ts";
import { MailWorld } from "../../runtime/triggers/mail/mail_world.ts";
import { startSmtp, withDovecot } from "../../support/machine/mail_servers.ts";
import { toEnd } from "../../support/test_workspace.ts";
import { type Death, startAndDie } from "./start_and_die.ts";

const UNKNOWN = /its outcome is unknown\. It was not repeated/;

/** The moments of the kill, with the number of sent mails and the result. Each agent sends a mail with its name as subject. */
const DEATHS: readonly (Death & { sent: number; result: RegExp })[] = [
  { agent: "before", method: "startCall", when: "after", nth: 1, sent: 0, result: UNKNOWN },
  {
    ...{ agent: "accepted", method: "finishCall", when: "before", nth: 1, sent: 1 },
    result: /The mail was sent before the service stopped: it is in "Sent"/,
  },
  // The test deletes the copy of this mail.
  { agent: "uncopied", method: "finishCall", when: "before", nth: 1, sent: 1, result: UNKNOWN },
];

withDovecot.test("a mail is not sent twice by a killed service, whose copy tells its outcome", async () => {
  await using smtp = await startSmtp();
  await using world = await MailWorld.create({ smtp: smtp.port });
  const { place, imap } = world;
  for (const { agent } of DEATHS) {
    const mail = call("mail_send", { to: ["bob@example.org"], subject: agent, text: "Hello" });
    const settings = "mail: home\nauto_approve: [mail_send]\non_restart: resume";
    await place.writeScript(agent, [{ call: [mail] }, { say: "Done." }], settings);
  }
  await startAndDie(place, { start: DEATHS.map(({ agent }) => agent), deaths: [...DEATHS] });
  for (const folder of ["cur", "new"].map((name) => `${imap.folderOf("ann", "Sent")}/${name}`)) {
    for (const { name } of Deno.readDirSync(folder)) {
      const source = await Deno.readTextFile(`${folder}/${name}`);
      if (source.includes("Subject: uncopied")) await Deno.remove(`${folder}/${name}`);
    }
  }
  await using runtime = await place.open();
  for (const { agent, result } of DEATHS) {
    const [id = 0] = await idsOf(runtime, agent);
    assert.equal((await toEnd(runtime, id)).status, "success");
    const [found, ...others] = await resultsOf(runtime, id);
    assert.deepEqual(others, []);
    assert.match(String(found?.["content"]), result, agent);
  }
  assert.equal(smtp.sent.length, 2);
  assert.equal((await imap.list("ann", "Sent")).length, 1);
});
