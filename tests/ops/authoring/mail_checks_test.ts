// The check of mail accounts by doctor, with real servers.
import assert from "node:assert/strict";
import { mailChecks } from "../../../ops/doctor/mail_checks.ts";
import { performChecks } from "../../../ops/doctor/finding.ts";
import { SystemClock } from "../../../base/clock.ts";
import { startImap, startSmtp, withDovecot } from "../../support/machine/mail_servers.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

withDovecot.test("doctor signs in to both servers, and finds the server that proves senders", async () => {
  await using imap = await startImap();
  await using smtp = await startSmtp();
  await imap.deliver(
    "ann",
    "Authentication-Results: mx.example.com; spf=pass\r\nFrom: b@c.d\r\n\r\nx",
  );
  const findings = async (password: string, more = "") => {
    await using place = await createTestWorkspace({ shell: { PW: password } });
    await place.configure(
      "mail: { home: { address: ann@example.com, user: ann, " +
        `imap: "127.0.0.1:${imap.port}", smtp: "127.0.0.1:${smtp.port}", password_env: PW, tls: false${more} } }\n`,
    );
    const settings = await place.settings();
    const { findings } = await performChecks(mailChecks(settings, new SystemClock()));
    return findings.map(({ severity, problem, remedy }) => `${severity}: ${problem}: ${remedy}`);
  };
  const [unproven, ...others] = await findings("secret");
  assert.deepEqual(others, []);
  assert.match(
    unproven ?? "",
    /^warning: no sender is proven.*set auth_server: mx\.example\.com in mail\.home/,
  );
  assert.deepEqual(await findings("secret", ", auth_server: mx.example.com"), []);
  const wrong = await findings("wrong");
  assert.equal(wrong.length, 1, wrong.join("\n"));
  assert.match(wrong[0] ?? "", /^error: .* refuses the user ann or its password.*Correct PW/);
  assert.deepEqual(smtp.sent, []);
});
