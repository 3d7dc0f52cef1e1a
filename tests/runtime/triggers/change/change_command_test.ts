// A change trigger whose source is a command.
import assert from "node:assert/strict";
import { join } from "node:path";
import { IGNORED_WITHOUT_SANDBOX } from "../../sandbox/system_sandbox.ts";
import { Site } from "./site.ts";

const write = (site: Site, command: string, more = "") =>
  site.write(
    `command: ${JSON.stringify(command)}${more && `, ${more}`}`,
    "shell: true\npaths: { notes: notes }",
  );

async function openSite(config = ""): Promise<{ site: Site; note: string }> {
  const site = await Site.open({ config });
  const folder = join(site.live.place.workspace, "notes");
  await Deno.mkdir(folder);
  const note = join(folder, "a.txt");
  await Deno.writeTextFile(note, "one");
  return { site, note };
}

Deno.test({
  name: "the output of a command is compared, and a failed command is no change",
  ignore: IGNORED_WITHOUT_SANDBOX,
  async fn() {
    const { site, note } = await openSite("sandbox: required\n");
    await using _ = site;
    await write(site, "cat a.txt; date +%N", "ignore: ['\\d{9}']");
    await site.start();
    assert.equal(await site.check(), "the first check");
    assert.equal(await site.check(), "no change");
    await Deno.writeTextFile(note, "two");
    assert.equal(await site.check(), null);
    await Deno.remove(note);
    await write(site, "cat a.txt");
    await site.live.runtime.reloadAgents();
    for (let check = 0; check < 2; check++) {
      assert.equal(
        await site.check(),
        "the check failed: cat: a.txt: No such file or directory",
      );
    }
    const [failures] = await site.live.runtime.listSlots("news", { limit: 1, offset: 0 });
    assert.equal(failures?.count, 2);
    const turns = await site.turns();
    assert.equal(turns.length, 1);
    assert.match(turns[0] ?? "", /The content of "cat a.*-one.*\+two/s);
    assert.equal(site.requests.length, 0);
  },
});

Deno.test({
  name: "a command runs in the sandbox of the agent's shell",
  ignore: IGNORED_WITHOUT_SANDBOX,
  async fn() {
    const { site } = await openSite("sandbox: required\n");
    await using _ = site;
    const { place } = site.live;
    place.shell["SITE_TOKEN"] = "geheim";
    const outside = join(place.root, "outside.txt");
    await Deno.writeTextFile(outside, "private");
    const port = new URL(site.url).port;
    const command = [
      `cat ${outside}`,
      `echo x > /dev/tcp/127.0.0.1/${port}`,
      'echo "token <$SITE_TOKEN>"',
      // Only a folder of the command's own may be written here.
      `echo x > ${outside}; true`,
    ].map((one) => `(${one}) 2>/dev/null || echo refused`).join("; ");
    await write(site, command);
    await site.start();
    assert.equal(await site.check(), "the first check");
    const [row] = await place.all<{ value: string }>(
      "SELECT value FROM settings WHERE key = 'check news'",
    );
    const { text } = JSON.parse(row?.value ?? "{}");
    assert.deepEqual(text.trim().split("\n"), [
      ...["refused", "refused", "token <>"],
    ]);
    assert.equal(await Deno.readTextFile(outside), "private");
    assert.equal(site.requests.length, 0);
  },
});

Deno.test("a command is not run where its sandbox is missing", async () => {
  const { site, note } = await openSite("sandbox: required\n");
  await using _ = site;
  // Bubblewrap is found by the path.
  site.live.place.shell["PATH"] = "/nowhere";
  await write(site, "cat a.txt");
  await site.start();
  assert.match(await site.check() ?? "", /^the check failed: /);
  await Deno.writeTextFile(note, "two");
  assert.match(await site.check() ?? "", /^the check failed: /);
  assert.deepEqual(await site.turns(), []);
});
