// `deno task mail`: a storm of mails on one account, with twelve agents and two nodes. Needs Dovecot and PostgreSQL. Arguments:
// mails (10,000), deaths (20), silences (2), seed (random).
import { runStorm } from "./mail_storm.ts";

const [mails = 10_000, deaths = 20, silences = 2, seed = Date.now() % 1_000_000] = Deno.args
  .map(Number);
console.log(`Seed ${seed}`);
const { violations, faults, connections, seconds } = await runStorm({
  ...{ mails, deaths, silences, seed, agents: 12 },
  say: console.log,
});
for (const violation of violations) console.log(violation);
const done = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`).join(", ");
console.log(
  `${
    violations.length === 0 ? "held" : "FAILED"
  }: ${mails} mails for 12 agents on one account in ` +
    `${seconds} s, two nodes, ${done}, ${connections} connections one after the other`,
);
if (violations.length > 0) Deno.exit(1);
