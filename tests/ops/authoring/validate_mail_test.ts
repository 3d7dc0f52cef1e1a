import assert from "node:assert/strict";
import { configOf } from "../../runtime/agents/parsed_file.ts";
import { DEMO, validate } from "./validated.ts";

const ACCOUNT =
  "mail: { home: { address: a@b.example, imap: 'i.example:993', smtp: 's.example:465', password_env: MAIL_PW } }";

Deno.test("validate reports a mail trigger without its account, password or proof of senders", async () => {
  const check = async (trigger: string, config = "") =>
    (await validate(`${DEMO}\ntrigger: { type: mail${trigger} }`, { config: configOf(config) }))
      .filter((line) => /mail|account/i.test(line)).join("\n");
  assert.match(await check(""), /trigger.account is missing/);
  assert.match(
    await check(", account: hone", ACCOUNT),
    /no mail account "hone".*did you mean "home"/,
  );
  assert.match(await check(", account: home"), /it has none/);
  const lines = await check(", account: home", ACCOUNT);
  assert.match(lines, /MAIL_PW is not set/);
  assert.match(lines, /no sender is proven without mail.home.auth_server/);
  const tools = async (lines: string) =>
    (await validate(`${DEMO}\n${lines}`, { config: configOf(ACCOUNT) }))
      .filter((line) => /mail/i.test(line)).join("\n");
  assert.match(await tools("mail: hone"), /no mail account "hone".*did you mean "home"/);
  assert.match(await tools("mail: { account: home, to: [] }"), /mail.to must not be empty/);
  assert.match(await tools("mail: { account: home, to: ['*@'] }"), /must be a mail address/);
  const open = await tools("mail: home\nauto_approve: [mail_send]");
  assert.match(open, /may send mails to everybody without asking/);
  const narrow = await tools("mail: { account: home, to: a@b.example }\nauto_approve: [mail_send]");
  assert.doesNotMatch(narrow, /everybody/);
  const trusting = await check(", account: home, unproven: true", ACCOUNT);
  assert.doesNotMatch(trusting, /proven/);
});
