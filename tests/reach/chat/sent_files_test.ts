// Files of agents that go out: those that the run has written itself and that its answer names.
import assert from "node:assert/strict";
import { call } from "../../runtime/executions/executions_of.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { createChatWorld, OWNER } from "./chat_world.ts";

/** No call is asked about. */
const SETTINGS = "auto_approve: [file_write, file_edit, file_move]";
const write = (path: string, content = `text of ${path}`) => call("file_write", { path, content });

Deno.test("an answer's files are sent if the run has written them, and nothing else is", async () => {
  await using world = await createChatWorld();
  const { app, place } = world;
  await Deno.writeTextFile(`${place.workspace}/private.txt`, "not of this run");
  await Deno.writeTextFile(`${place.workspace}/a report.md`, "not of this run");
  await using big = await Deno.open(`${place.workspace}/big.bin`, { write: true, create: true });
  await big.truncate(21 * 1_024 * 1_024);
  await place.writeScript("concierge", [
    {
      call: [
        ...[write("out/report.md"), write("./own notes.txt"), write("unnamed.md")],
        ...[write("report.md"), write(`${place.workspace}/absolute.md`)],
        call("file_edit", { path: "private.txt", old_text: "no such text", new_text: "x" }),
        call("file_move", { source: "big.bin", destination: "moved.bin" }),
      ],
    },
    {
      say: "See [the report](out/report.md), `own notes.txt`, {workspace}/unnamed.md, " +
        `private.txt, a report.md.bak, [hosts](/etc/hosts), ../outside.md, moved.bin. ` +
        `Also ${place.workspace}/absolute.md.`,
    },
  ], SETTINGS);
  await using _service = await world.open();
  app.say(OWNER, "Write");
  assert.match((await world.seen(OWNER, "Not sent")).text, /"moved\.bin" is too big/);
  await until(() => app.isRead, "all is read");
  assert.deepEqual(app.files.map(({ name, text }) => [name, text]), [
    ["report.md", "text of out/report.md"],
    ["own notes.txt", "text of ./own notes.txt"],
    ["absolute.md", `text of ${place.workspace}/absolute.md`],
  ]);
});

Deno.test("a file that became a link to a place outside or a closed place is not sent", async () => {
  await using world = await createChatWorld();
  const { app, place } = world;
  await using outside = await createTempDir();
  await Deno.writeTextFile(`${outside.path}/secret`, "secret");
  await place.writeScript("concierge", [
    { call: [write("one.md"), write("two.md"), write("three.md")] },
    { call: [call("ask_user", { question: "Go on?" })] },
    { say: "one.md, two.md and three.md" },
  ], SETTINGS);
  await using _service = await world.open();
  app.say(OWNER, "Write");
  await world.seen(OWNER, "Go on?");
  const targets = { one: `${outside.path}/secret`, two: `${place.configDir}/config.yaml` };
  for (const [name, target] of Object.entries(targets)) {
    await Deno.remove(`${place.workspace}/${name}.md`);
    await Deno.symlink(target, `${place.workspace}/${name}.md`);
  }
  app.say(OWNER, "yes");
  await until(() => app.files.length === 1, "a file");
  assert.deepEqual(app.files.map(({ name }) => name), ["three.md"]);
  const refused = app.in(OWNER).filter(({ text }) => text.startsWith("Not sent"));
  assert.equal(refused.length, 2);
  assert.ok(refused.every(({ text }) => !text.includes("secret\n")));
});

Deno.test("at most ten files are sent, each once although the service stops between them", async () => {
  await using world = await createChatWorld();
  const { app, place } = world;
  const names = Array.from({ length: 12 }, (_, index) => `page-${index}.md`);
  await place.writeScript("concierge", [
    { call: names.map((name) => write(name)) },
    { say: names.join(" ") },
  ], SETTINGS);
  const stopped = Promise.withResolvers<void>();
  app.isReceived = (method) => {
    if (method !== "sendDocument" || app.files.length < 4) return true;
    stopped.resolve();
    return false;
  };
  {
    await using _service = await world.open();
    app.say(OWNER, "Write");
    await stopped.promise;
  }
  app.isReceived = () => true;
  await using _again = await world.open();
  await until(() => app.files.length === 10, "ten files");
  assert.deepEqual(app.files.map(({ name }) => name), names.slice(0, 10));
  assert.equal(app.in(OWNER).length, 1);
});
