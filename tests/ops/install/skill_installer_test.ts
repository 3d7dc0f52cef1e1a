import assert from "node:assert/strict";
import { join } from "node:path";
import { NotInstalled } from "../../../ops/install/not_installed.ts";
import { readPackageName } from "../../../ops/install/package_name.ts";
import type { SkillRequest } from "../../../ops/install/skill_installer.ts";
import { SkillInstaller } from "../../../ops/install/skill_installer.ts";
import { parseSkillSource } from "../../../ops/install/skill_source.ts";
import { SystemClock } from "../../../base/clock.ts";
import { describeLockViolation } from "../../../runtime/tools/skills/skill_lock.ts";
import { createTempDir } from "../../support/temp_dir.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

const SKILL = "---\nname: haiku\ndescription: Writes haiku\n---\nWrite one.\n";
const { signal } = new AbortController();

interface Place extends AsyncDisposable {
  place: TestWorkspace;
  /** An empty folder for the sources that a test creates. */
  sources: string;
  skillsDir: string;
  prepare(request: SkillRequest): ReturnType<SkillInstaller["prepare"]>;
  /** Returns the error message of a refused installation. */
  refusal(request: SkillRequest): Promise<string>;
}

async function openPlace(shell: Record<string, string> = {}): Promise<Place> {
  const place = await createTestWorkspace({
    shell: { PATH: Deno.env.get("PATH") ?? "", ...shell },
  });
  const sources = join(place.root, "sources");
  await Deno.mkdir(sources);
  const settings = await place.settings();
  const installer = new SkillInstaller({ settings, clock: new SystemClock(), cwd: sources });
  const { skillsDir } = settings.directories;
  return {
    place,
    sources,
    skillsDir,
    prepare: (request) => installer.prepare(request, signal),
    async refusal(request) {
      const error = await installer.prepare(request, signal).then(
        () => undefined,
        (thrown) => thrown,
      );
      assert.ok(error instanceof NotInstalled, `expected NotInstalled, got ${error}`);
      // The refused download has left no files.
      const left = await Array.fromAsync(Deno.readDir(skillsDir)).catch(() => []);
      assert.deepEqual(left.filter(({ name }) => name.startsWith(".")), []);
      return error.message;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

async function write(folder: string, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
  return folder;
}

Deno.test("SkillInstaller adds a folder unchanged with a lock file, and leaves no other files", async () => {
  await using at = await openPlace();
  const folder = await write(join(at.sources, "haiku"), {
    "SKILL.md": SKILL,
    "scripts/fill.py": "print(1)",
    "scripts/lib/x.ts": "",
    "data/y.sh": "",
    ".git/config": "none of it",
    "skill.lock": "somebody else's",
  });
  await Deno.chmod(join(folder, "data/y.sh"), 0o755);
  await Deno.symlink("../SKILL.md", join(folder, "data/link.md"));
  {
    await using skill = await at.prepare({ source: "haiku" });
    const { name, description, pinned, scripts, changes, files, target } = skill;
    assert.deepEqual({ name, description, pinned, scripts, changes }, {
      name: "haiku",
      description: "Writes haiku",
      pinned: folder,
      scripts: ["scripts/fill.py", "scripts/lib/x.ts"],
      changes: undefined,
    });
    assert.deepEqual([...files].sort(), [
      ...["SKILL.md", "data/link.md", "data/y.sh", "scripts/fill.py", "scripts/lib/x.ts"],
    ]);
    assert.equal(target, join(at.skillsDir, "haiku"));
    await skill.add();
  }
  const target = join(at.skillsDir, "haiku");
  assert.equal(await describeLockViolation(target), undefined);
  assert.ok((await Deno.lstat(join(target, "data/link.md"))).isFile);
  assert.equal(((await Deno.stat(join(target, "data/y.sh"))).mode ?? 0) & 0o777, 0o755);
  const names = (await Array.fromAsync(Deno.readDir(at.skillsDir))).map(({ name }) => name);
  assert.deepEqual(names, ["haiku"]);
  assert.equal(JSON.parse(await Deno.readTextFile(join(target, "skill.lock"))).source, folder);
});

Deno.test("SkillInstaller replaces a skill that it added, but never a person's own skill", async () => {
  await using at = await openPlace();
  await write(join(at.sources, "haiku"), { "SKILL.md": SKILL, "a.md": "1", "b.md": "1" });
  {
    await using first = await at.prepare({ source: "haiku" });
    await first.add();
  }
  await write(join(at.sources, "haiku"), { "a.md": "2", "c.md": "2" });
  await Deno.remove(join(at.sources, "haiku", "b.md"));
  {
    await using second = await at.prepare({ source: "haiku" });
    assert.deepEqual(second.changes, { changed: ["a.md"], added: ["c.md"], missing: ["b.md"] });
    assert.equal(await Deno.readTextFile(join(at.skillsDir, "haiku/a.md")), "1");
    await second.add();
  }
  assert.equal(await Deno.readTextFile(join(at.skillsDir, "haiku/a.md")), "2");
  assert.equal(await describeLockViolation(join(at.skillsDir, "haiku")), undefined);
  await Deno.remove(join(at.skillsDir, "haiku", "skill.lock"));
  const message = await at.refusal({ source: "haiku" });
  assert.match(message, /^There is a skill "haiku" that was not added/);
});

Deno.test("SkillInstaller refuses outside links, invalid names, and folders without a skill", async () => {
  await using at = await openPlace();
  const secret = await write(join(at.place.root, "elsewhere"), { "key": "CANARY" });
  const folder = await write(join(at.sources, "haiku"), { "SKILL.md": SKILL });
  for (const target of [join(secret, "key"), secret, "../../elsewhere/key", "..", "nowhere"]) {
    await Deno.symlink(target, join(folder, "link"));
    const message = await at.refusal({ source: "haiku" });
    assert.match(message, /^link in it is a link to a place outside/);
    await Deno.remove(join(folder, "link"));
  }
  for (const name of ["..", "a/b", ".hidden", "", "a\u001b[2J", "C:\\x", " a"]) {
    assert.match(await at.refusal({ source: "haiku", name }), /^The name of a skill must/);
  }
  await write(join(at.sources, "bad"), { "SKILL.md": SKILL.replace("haiku", "../../x") });
  assert.match(await at.refusal({ source: "bad" }), /^The name of a skill must/);
  assert.match(await at.refusal({ source: "haiku", path: "../bad" }), /--path leads out/);
  assert.match(await at.refusal({ source: "nowhere" }), /^nowhere does not exist/);
  await write(join(at.sources, "empty"), { "README.md": "x" });
  assert.match(
    await at.refusal({ source: "empty" }),
    /^It has no SKILL\.md at its top: name its folder/,
  );
  await write(join(at.sources, "mute"), { "SKILL.md": "---\nname: mute\n---\n" });
  assert.match(await at.refusal({ source: "mute" }), /The skill has no instructions/);
});

Deno.test("SkillInstaller downloads a git repository at a commit, and runs none of its hooks", async () => {
  await using at = await openPlace();
  const folder = await write(join(at.sources, "repository"), {
    "pdf/SKILL.md": SKILL,
    "x.md": "x",
  });
  const git = async (...args: string[]) => {
    const config = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
    const command = new Deno.Command("git", { args: ["-C", folder, ...config, ...args] });
    const { code, stdout } = await command.output();
    assert.equal(code, 0);
    return new TextDecoder().decode(stdout).trim();
  };
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "one");
  await git("tag", "v1");
  const commit = await git("rev-parse", "HEAD");
  await write(folder, { "pdf/SKILL.md": SKILL.replace("Write one", "Write two") });
  await git("commit", "--quiet", "-am", "two");
  for (const ref of ["v1", commit]) {
    await using skill = await at.prepare({ source: `file://${folder}#${ref}`, path: "pdf" });
    assert.equal(skill.pinned, `file://${folder}#${commit} pdf`);
    assert.deepEqual(skill.files, ["SKILL.md"]);
    await skill.add();
  }
  assert.equal(await Deno.readTextFile(join(at.skillsDir, "haiku/SKILL.md")), SKILL);
  const message = await at.refusal({ source: `file://${folder}#v2` });
  assert.match(message, /^git could not download it: .*v2/);
});

Deno.test("SkillInstaller downloads an npm package without running its scripts", async () => {
  await using folder = await createTempDir();
  const bin = folder.path;
  // A fake npm that records its arguments and leaves an archive as npm does.
  await write(bin, {
    "package/SKILL.md": SKILL,
    "npm":
      `#!/bin/sh\necho "$@" > "${bin}/arguments"\nenv > "${bin}/environment"\ntar -czf haiku-1.2.0.tgz -C "${bin}" package\n` +
      `echo '[{"name":"@acme/haiku","version":"1.2.0","integrity":"sha512-abc=","filename":"haiku-1.2.0.tgz"}]'\n`,
  });
  await Deno.chmod(join(bin, "npm"), 0o755);
  await using at = await openPlace({
    PATH: `${bin}:${Deno.env.get("PATH")}`,
    OPENAI_API_KEY: "sk-canary",
  });
  await using skill = await at.prepare({ source: "npm:@acme/haiku@^1" });
  assert.equal(skill.pinned, "npm:@acme/haiku@1.2.0 sha512-abc=");
  await skill.add();
  assert.equal(await Deno.readTextFile(join(at.skillsDir, "haiku/SKILL.md")), SKILL);
  const given = await Deno.readTextFile(join(bin, "arguments"));
  assert.match(given, /^pack --json .*--ignore-scripts .*-- @acme\/haiku@\^1\n$/);
  const staging = /--cache=(\S+)\/cache/.exec(given)?.[1] ?? "";
  assert.ok(staging.startsWith(at.skillsDir));
  assert.doesNotMatch(await Deno.readTextFile(join(bin, "environment")), /sk-canary/);
});

Deno.test("parseSkillSource() accepts folders, repositories with authenticated addresses, and names of packages", () => {
  const at = { cwd: "/work", home: "/home/me" };
  assert.deepEqual(parseSkillSource("~/x", at), { kind: "folder", path: "/home/me/x" });
  assert.deepEqual(parseSkillSource("-x", at), { kind: "folder", path: "/work/-x" });
  const expected = { kind: "git", url: "git@example.com:a/b.git", ref: "v1" };
  assert.deepEqual(parseSkillSource("git@example.com:a/b.git#v1", at), expected);
  const wanted = { kind: "git", url: "ssh://git@example.com/a" };
  assert.deepEqual(parseSkillSource("git+ssh://git@example.com/a", at), wanted);
  const refused = [
    ...["http://example.com/x.git", "git://example.com/x.git", "git+ext::sh -c id"],
    ...["https://me:token@example.com/x", "https://token@example.com/x"],
    ...["https://example.com/x#--upload-pack=id", "https://example.com/x#a#b"],
    ...["npm:../x", "npm:x; id", "npm:git+https://example.com/x", "npm:--prefix=/", "npm:"],
  ];
  for (const one of refused) assert.throws(() => parseSkillSource(one, at), NotInstalled, one);

  assert.deepEqual(readPackageName("npm:a.b-c", "npm"), { name: "a.b-c" });
  const [scoped, tagged] = ["npm:@a/b@1.2.3-rc.1", "npm:b@latest"];
  assert.deepEqual(readPackageName(scoped, "npm"), { name: "@a/b", version: "1.2.3-rc.1" });
  assert.deepEqual(readPackageName(tagged, "npm"), { name: "b", version: "latest" });
  assert.equal(readPackageName("pypi:b", "npm"), undefined);
  const others = ["a/b", "@a", "A", "./a", "a@", "a@npm:b", "a@https://x", "a@file:x", "a b", "-a"];
  for (const one of others) {
    assert.throws(() => readPackageName(`npm:${one}`, "npm"), /names no package/, one);
  }
});
