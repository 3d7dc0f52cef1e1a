import assert from "node:assert/strict";
import { join } from "node:path";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";

async function createWorld(options: { hasPerson?: boolean } = {}): Promise<SetupWorld> {
  const world = await createSetupWorld(options);
  const folder = join(world.home, "source");
  await Deno.mkdir(join(folder, "scripts"), { recursive: true });
  await Deno.writeTextFile(
    join(folder, "SKILL.md"),
    '---\nname: haiku\ndescription: "Writes\\u202E \\e[2Jhaiku"\n---\nDo.\n',
  );
  await Deno.writeTextFile(join(folder, "scripts/a.sh"), "echo");
  return world;
}

const LOCK = "inkling/agents/_config/skills/haiku/skill.lock";

Deno.test("skill add shows the skill and its scripts, asks, and adds it", async () => {
  await using world = await createWorld();
  const { cli } = world;
  cli.input.answers = [false, true];
  assert.equal(await cli.run("skill", "add", "source"), 0);
  assert.equal(cli.stderr.text, "Nothing was added\n");
  assert.ok(!world.files().includes(LOCK));
  assert.equal(await cli.run("skill", "add", "source"), 0);
  assert.deepEqual(cli.input.asked.map(({ message }) => message), [
    "Add the skill haiku?",
    "Add the skill haiku?",
  ]);
  const shown = cli.stdout.text.replaceAll(/\s+/g, " ");
  assert.match(shown, /Agents can run scripts\/a\.sh: with your permissions/);
  assert.match(shown, /Files 2 \(\d+ B\): SKILL\.md, scripts\/a\.sh/);
  assert.ok(!/[\p{Cf}]/u.test(cli.stdout.text) && !cli.stdout.text.includes("\x1b[2J"));
  assert.match(shown, /To use it, write into an agent's file: skills: \[haiku\]/);
  assert.ok(world.files().includes(LOCK));
  assert.equal(await cli.run("skill", "list"), 0);
  assert.match(cli.stdout.text.replaceAll(/\s+/g, " "), /Skill .* haiku \S*source - Writes/);
  assert.equal(await cli.run("skill", "remove", "haiku", "--yes"), 0);
  assert.ok(!world.files().includes(LOCK));
  assert.equal(await cli.run("skill", "remove", "haiku", "--yes"), 2);
  assert.match(cli.stderr.text, /There is no skill "haiku"/);
});

Deno.test("skill add without a terminal adds nothing without --yes", async () => {
  await using world = await createWorld({ hasPerson: false });
  const { cli } = world;
  assert.equal(await cli.run("skill", "add", "source"), 2);
  assert.match(
    cli.stderr.text,
    /this is not a terminal\. Check the details above, then repeat the command with --yes/,
  );
  assert.ok(!world.files().includes(LOCK));
  assert.equal(await cli.run("skill", "add", "source", "--yes", "--name", "poem", "-q"), 0);
  assert.ok(world.files().includes(LOCK.replace("haiku", "poem")));
  assert.match(cli.stdout.text, /skills\/poem\n$/);
  assert.equal(await cli.run("skill", "add", "nowhere", "--yes"), 2);
  assert.match(cli.stderr.text, /nowhere does not exist/);
});
