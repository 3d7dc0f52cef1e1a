// Mail triggers on a real IMAP server: each mail starts one run, whatever happens to the connection and the service.
import assert from "node:assert/strict";
import { withDovecot } from "../../../support/machine/mail_servers.ts";
import { until } from "../../../support/until.ts";
import { mailOf, MailWorld } from "./mail_world.ts";

withDovecot.test("a mail starts one run with its words and files, an old or copied mail none, and a thread is one session", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader");
  await world.open();
  await world.deliver({ from: "Bob <bob@example.org>", subject: "Invoice 7", text: "It is due." });
  await world.untilTaken("reader", "Invoice 7");
  const [run] = await world.runs("reader");
  assert.equal(run?.trigger, "mail");
  const turn = await world.turn(run?.id ?? 0);
  assert.match(
    turn,
    /A mail arrived in the folder "INBOX" of the account home. Its sender is proven/,
  );
  assert.match(turn, /<untrusted>\nfrom:\nBob <bob@example.org>\n\nto:\nann@example.com/);
  assert.match(turn, /text:\nIt is due\.\n<\/untrusted>/);
  const part = (name: string, text: string) =>
    `--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${text}\r\n`;
  const source = mailOf({ subject: "files", id: "<root@example.org>" }).replace(
    /Content-Type: text\/plain[^]*/,
    `Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nSee files\r\n${
      part("../../../.env", "1")
    }${part("a.txt", "2")}${part("A.TXT", "3")}--x--\r\n`,
  );
  await world.imap.deliver("ann", source);
  await world.untilTaken("reader", "Invoice 7", "files");
  const [, files] = await world.runs("reader");
  const paths = [...(await world.turn(files?.id ?? 0)).matchAll(/^- "(mail\/[^"]*)"/gm)]
    .map(([, path]) => path ?? "");
  assert.deepEqual(paths.map((path) => path.split("/").at(-1)), ["env", "a.txt", "A (2).TXT"]);
  for (const [index, path] of paths.entries()) {
    const written = await Deno.readTextFile(`${world.place.workspace}/${path}`);
    assert.equal(written.trim(), String(index + 1));
  }
  const same = { id: "<same@example.org>" };
  const answer = ["References: <root@example.org>", "In-Reply-To: <root@example.org>"];
  await world.deliver({ subject: "reply", headers: answer, ...same });
  await world.deliver({ subject: "copy", ...same });
  await world.deliver({ subject: "stranger", ...same, from: "eve@example.org" });
  // A mail without Message-ID starts its own run.
  await world.deliver({ subject: "none", id: "" });
  await world.deliver({ subject: "none again", id: "" });
  await world.untilTaken(
    "reader",
    ...["Invoice 7", "files", "reply", "stranger", "none", "none again"],
  );
  const sessions = (await world.runs("reader")).map(({ sessionId }) => sessionId);
  assert.ok(sessions[1]?.startsWith("mail-"));
  assert.equal(sessions[1], sessions[2]);
  assert.equal(new Set(sessions).size, 5);
});

withDovecot.test("since takes mails of that age at the first start", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader", "since: 2d");
  await world.open();
  await world.untilTaken("reader", "old");
});

withDovecot.test("each mail starts one run across restarts, cut connections and edits of the agent", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader");
  await world.deliver({ subject: "done" }, "Done");
  await world.open();
  const delivered: string[] = [];
  const deliver = async (subject: string, folder?: string) => {
    delivered.push(subject);
    await world.deliver({ subject }, folder);
  };
  const take = async (subject: string, folder?: string) => {
    await deliver(subject, folder);
    await until(async () => {
      await world.runtime.resumeScheduler();
      return (await world.runs("reader")).length === delivered.length;
    }, `${subject} is taken`);
  };
  await take("one");
  await world.close();
  await deliver("while the service is down");
  await world.open();
  await take("two");
  world.imap.cut();
  await take("three");
  world.imap.stop();
  await deliver("while the server is down");
  world.imap.start();
  await take("four");
  assert.equal(world.imap.open, 1);
  const edit = async (trigger: string) => {
    await world.agent("reader", trigger);
    await world.runtime.reloadAgents();
  };
  await edit("from: '*@example.org'");
  await take("five");
  // Another folder begins from then on.
  await edit("folder: Done");
  const position = "SELECT 1 FROM mail_positions WHERE folder = 'Done'";
  await until(async () => (await world.place.all(position)).length === 1, "the other folder");
  await take("six", "Done");
  await world.untilTaken("reader", ...delivered);
});

withDovecot.test("a folder that was created again begins at its newest mail, and says so", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader", "folder: Done");
  await world.deliver({ subject: "first" }, "Done");
  await world.open();
  await world.deliver({ subject: "one" }, "Done");
  await world.untilTaken("reader", "one");
  await world.close();
  const folder = world.imap.folderOf("ann", "Done");
  const list = `${folder}/dovecot-uidlist`;
  const text = await Deno.readTextFile(list);
  await Deno.writeTextFile(
    list,
    text.replace(/ V(\d+) /, (_, validity) => ` V${Number(validity) + 7} `),
  );
  for (const name of ["dovecot.index", "dovecot.index.log", "dovecot.index.cache"]) {
    await Deno.remove(`${folder}/${name}`).catch(() => {});
  }
  await world.open();
  await until(
    () =>
      world.place.logged.some(({ message }) =>
        message.startsWith("A mail folder was created again")
      ),
    "the new folder is noticed",
  );
  await world.deliver({ subject: "two" }, "Done");
  await world.untilTaken("reader", "one", "two");
});

withDovecot.test("agents share one connection, take their own mails, and do `then` after the run was accepted", async () => {
  await using world = await MailWorld.create();
  await world.agent("marker", 'subject: "mark *", then: seen');
  await world.agent("mover", 'subject: "move *", then: "move:Done"');
  await world.open({ positions: 2 });
  await world.deliver({ subject: "mark this" });
  await world.deliver({ subject: "move this" });
  await world.untilTaken("marker", "mark this");
  await world.untilTaken("mover", "move this");
  await until(async () => (await world.imap.list("ann", "Done")).length === 1, "it is moved");
  const isMarked = async () =>
    (await world.imap.list("ann")).some((name) => (name.split(":2,")[1] ?? "").includes("S"));
  await until(isMarked, "it is marked");
  assert.equal(world.imap.accepted, 1);
});

withDovecot.test("a mail is moved when no other agent waits for it", async () => {
  await using world = await MailWorld.create();
  const ask = [{ name: "ask_user", arguments: { question: "Well?" } }];
  await world.agent("asker", "", { steps: [{ call: ask }, { say: "done" }] });
  await world.agent("mover", 'then: "move:Done"');
  const runtime = await world.open({ positions: 2 });
  const thread = ["References: <root@example.org>"];
  await world.deliver({ subject: "one", id: "<root@example.org>" });
  await world.untilTaken("asker", "one");
  await until(async () => (await world.imap.list("ann", "Done")).length === 1, "one is moved");
  const [first] = await world.runs("asker");
  const id = first?.id ?? 0;
  await until(async () => (await runtime.getExecution(id)).status === "waiting", "it waits");
  await world.deliver({ subject: "two", headers: thread });
  await world.untilTaken("mover", "one", "two");
  await world.deliver({ subject: "three", headers: thread });
  await world.untilTaken("mover", "one", "two", "three");
  assert.equal((await world.imap.list("ann", "Done")).length, 1);
  await runtime.cancel(id);
  // The asker takes the third mail, too, if the service reads it before the run of the second mail has asked.
  let taken: string[] = [];
  const areMoved = async () => {
    taken = await world.subjects("asker");
    return taken.length > 1 && (await world.imap.list("ann", "Done")).length === taken.length;
  };
  await until(areMoved, "the mails that the asker took are moved");
  assert.deepEqual(taken, ["one", "two", "three"].slice(0, taken.length));
});
