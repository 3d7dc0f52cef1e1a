// A sample of `deno task mail`: a few mails, and one node that kills itself.
import assert from "node:assert/strict";
import { runStorm } from "../../proof/mail/mail_storm.ts";
import { HAS_DOVECOT } from "../support/machine/mail_servers.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";

Deno.test({
  name: "mail: each mail of a storm has one run, also if the node that reads it is killed",
  ignore: !HAS_POSTGRES || !HAS_DOVECOT,
  async fn() {
    const size = { mails: 24, agents: 12, deaths: 1, silences: 0, seed: 3 };
    const { violations, faults } = await runStorm(size);
    assert.deepEqual(violations, []);
    assert.ok(faults.deaths >= 1);
  },
});
