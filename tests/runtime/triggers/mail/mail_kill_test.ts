// A service that dies while it takes mails, one whose server is silent, and two that share a database.
import assert from "node:assert/strict";
import { startImap, withDovecot } from "../../../support/machine/mail_servers.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { until } from "../../../support/until.ts";
import { openUntilDeath } from "../mortal_process.ts";
import { MailWorld } from "./mail_world.ts";

/** A clock of the machine whose time a test can move ahead. Sleeps end at their moved time. */
class AheadClock extends SystemClock {
  #ahead = 0;
  readonly #sleepers = new Set<{ until: number; wake: () => void }>();

  override now(): number {
    return super.now() + this.#ahead;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const sleeper = { until: this.now() + ms, wake: () => stop.abort("moved") };
    this.#sleepers.add(sleeper);
    try {
      await super.sleep(ms, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    } catch (error) {
      if (!stop.signal.aborted || signal?.aborted) throw error;
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }

  /** Moves the time ahead. */
  move(ms: number): void {
    this.#ahead += ms;
    for (const sleeper of this.#sleepers) if (sleeper.until <= this.now()) sleeper.wake();
  }
}

interface Row {
  id: number;
  request: string;
}

withDovecot.test("a service killed before and after each acceptance starts one run for a mail", async () => {
  await using world = await MailWorld.create();
  const { place } = world;
  await world.agent("reader");
  await world.open();
  await world.close();
  const subjects = Array.from({ length: 5 }, (_, index) => `mail ${index}`);
  for (const subject of subjects) await world.deliver({ subject });
  for (const when of ["before", "after"] as const) {
    await openUntilDeath(place, { when, nth: 2, trigger: "mail" });
  }
  await world.open();
  const rows = () =>
    place.all<Row>("SELECT id, request FROM executions WHERE trigger = 'mail' ORDER BY id");
  await until(async () => (await rows()).length >= subjects.length, "a run for each mail");
  const taken = (await rows()).map(({ request }) => JSON.parse(request).cause.values.subject);
  assert.deepEqual(taken, subjects);
});

withDovecot.test("an account that is silent is noticed, reported after 15 minutes, and read again", async () => {
  await using world = await MailWorld.create({
    config:
      "notify: { channels: { phone: { type: ntfy, topic: t, url: 'http://127.0.0.1:9' } } }\n",
  });
  const { place, imap } = world;
  const clock = new AheadClock();
  await world.agent("reader");
  await world.open({ clock });
  imap.silence(true);
  const reason = async () => (await world.runtime.getAgent("reader"))?.inactiveReason;
  await until(async () => {
    clock.move(60_000);
    return await reason() !== undefined;
  }, "the silence is noticed");
  assert.match(await reason() ?? "", /cannot be reached: no answer for a minute/);
  const messages = () =>
    place.all<{ title: string; body: string }>("SELECT title, body FROM outbox");
  await until(async () => {
    clock.move(60_000);
    return (await messages()).length > 0;
  }, "a message is stored");
  const [message, ...others] = await messages();
  assert.equal(others.length, 0);
  assert.equal(message?.title, "The mail account home cannot be reached");
  assert.match(message?.body ?? "", /^Since .*cannot be reached.*\nNo mail is lost/s);
  await world.deliver({ subject: "late" });
  imap.silence(false);
  // The time moves slowly, because a connection is made in real time.
  let polls = 0;
  await until(async () => {
    if (polls++ % 20 === 0) clock.move(60_000);
    return (await world.runs("reader")).length === 1;
  }, "the mail is taken");
  await until(async () => await reason() === undefined, "the account can be reached again");
});

/** Stores twenty open runs of the agent `reader`, as many as it may have. */
const OPEN_RUNS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) " +
  "INSERT INTO executions (agent_id, display_name, status, trigger, instance_id, request, model, started_at) " +
  "SELECT 'reader', 'reader', 'waiting', 'mail', (SELECT min(id) FROM instances), '{}', 'open', 0 FROM n";

withDovecot.test("paused triggers and a used-up limit of open runs let mails wait", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader");
  await world.agent("witness");
  await world.open({ positions: 2 });
  await world.runtime.pauseScheduler();
  await world.deliver({ subject: "one" });
  await world.deliver({ subject: "news", headers: ["List-Id: <x>"] });
  await until(() => world.imap.open === 1, "the account is read");
  assert.deepEqual(await world.runs("reader"), []);
  await world.place.run(OPEN_RUNS);
  await world.runtime.resumeScheduler();
  await world.untilTaken("witness", "one");
  assert.equal((await world.runs("reader")).length, 20);
  await world.place.run("DELETE FROM executions WHERE model = 'open'");
  await world.runtime.resumeScheduler();
  await world.untilTaken("reader", "one");
});

withDovecot.test("nothing is opened for an account that no agent reads", async () => {
  await using imap = await startImap();
  await using world = await MailWorld.create({
    config:
      `  other: { address: a@b.example, imap: "127.0.0.1:${imap.port}", smtp: "127.0.0.1:9", password_env: P, tls: false }\n`,
  });
  await world.place.writeScript("manual", [{ say: "done" }]);
  await world.place.writeScript(
    "off",
    [{ say: "done" }],
    "enabled: false\ntrigger: { type: mail, account: other }",
  );
  await world.open({ positions: 0 });
  assert.equal(imap.accepted + world.imap.accepted, 0);
});
