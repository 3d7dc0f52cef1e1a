// A sample of `deno task mail`: a few mails for two nodes. The whole proof also kills the nodes.
import assert from "node:assert/strict";
import { runStorm } from "../../proof/mail/mail_storm.ts";
import { HAS_DOVECOT } from "../support/machine/mail_servers.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";

Deno.test({
  name: "mail: each mail of a storm has one run on one of two nodes",
  ignore: !HAS_POSTGRES || !HAS_DOVECOT,
  async fn() {
    const size = { mails: 8, agents: 2, deaths: 0, silences: 0, seed: 3 };
    const { violations } = await runStorm(size);
    assert.deepEqual(violations, []);
  },
});
