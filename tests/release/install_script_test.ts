// Tests of install.sh with a local release: what it installs and what it refuses. A refusal leaves the home unchanged.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { signReleaseFolder } from "../../release/signed_folder.ts";
import { TARGETS } from "../../release/target.ts";
import { FILE, InstallWorld, pathOf, program, versionOf } from "./install_world.ts";
import { createThrowawayKey } from "./throwaway_key.ts";

Deno.test("install.sh installs for the present user, and prints the remaining steps", async () => {
  await using world = await InstallWorld.open();
  const first = await world.install();
  assert.deepEqual([first.code, first.stderr], [0, ""]);
  assert.match(
    first.stdout,
    /^Fetching Inkling 1\.2\.3 for x86_64-unknown-linux-gnu\nCompared only the checksum: this release is not signed\nInkling 1\.2\.3 is installed: /,
  );
  assert.ok(first.stdout.includes(`export PATH="${dirname(world.installed)}:$PATH"`));
  assert.deepEqual(world.files(), [".local/", ".local/bin/", ".local/bin/inkling"]);
  assert.equal(await versionOf(world.installed), "1.2.3");

  const onPath = {
    path: `${dirname(world.installed)}:${join(world.root, "bin")}:${Deno.env.get("PATH")}`,
  };
  const again = await world.install(onPath);
  assert.match(again.stdout, /^inkling setup makes the first configuration\.$/m);
  assert.doesNotMatch(again.stdout, /PATH/);
});

for (const shell of [["dash"], ["bash", "--posix"], ["bash"], ["zsh"], ["busybox", "sh"]]) {
  const name = shell.join(" ");
  Deno.test({
    name: `install.sh works in ${name}`,
    ignore: await pathOf(shell[0] ?? "") === "",
    async fn() {
      await using world = await InstallWorld.open();
      const { code, stderr } = await world.install({ shell });
      assert.deepEqual([code, stderr], [0, ""]);
      assert.equal(await versionOf(world.installed), "1.2.3");
    },
  });
}

Deno.test("install.sh finds the release of each machine", async () => {
  await using world = await InstallWorld.open();
  const machines = [
    ["Linux", "x86_64", "x86_64-unknown-linux-gnu"],
    ["Linux", "aarch64", "aarch64-unknown-linux-gnu"],
    ["Darwin", "x86_64", "x86_64-apple-darwin"],
    ["Darwin", "arm64", "aarch64-apple-darwin"],
  ];
  for (const [system = "", machine = "", target = ""] of machines) {
    Object.assign(world, { system, machine });
    const { code, stdout, stderr } = await world.install();
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(`for ${target}\n`));
    assert.equal(world.server.asked.at(-1), `inkling-1.2.3-${target}`);
  }
  // On an emulated processor, `uname` reports x86_64, and `sysctl` reports the emulation.
  Object.assign(world, { system: "Darwin", machine: "x86_64" });
  await world.stub("sysctl", "echo 1");
  assert.match((await world.install()).stdout, /for aarch64-apple-darwin\n/);
});

Deno.test("install.sh replaces the program in one step, and only with a working program", async () => {
  await using world = await InstallWorld.open();
  await Deno.mkdir(dirname(world.installed), { recursive: true });
  await Deno.writeTextFile(world.installed, program("1.0.0"));
  await Deno.chmod(world.installed, 0o755);
  using old = await Deno.open(world.installed);
  assert.equal((await world.install()).code, 0);
  assert.equal(await versionOf(world.installed), "1.2.3");
  // A running old program stays intact, because the new program is another file.
  assert.notEqual((await old.stat()).ino, (await Deno.stat(world.installed)).ino);

  for (
    const [script, reason] of [
      ["echo 'no such library' >&2; exit 127", /does not start here: no such library/],
      ["echo 0.9.0", /is not version 1\.2\.3: it says 0\.9\.0/],
    ] as const
  ) {
    await world.publish(`#!/bin/sh\n${script}\n`);
    await world.refuses(reason);
    assert.equal(await versionOf(world.installed), "1.2.3");
  }
});

Deno.test("install.sh refuses a wrong, incomplete or unprotected download", async () => {
  await using world = await InstallWorld.open();
  // The header announces more bytes than the server sends.
  const headers = { "content-length": "100000" };
  const cutOff = () => new Response(new Blob([program("1.2.3")]).stream(), { headers });
  const elsewhere = `${world.server.address}elsewhere`;
  world.server.answers.set("elsewhere", () => new Response(program("1.2.3")));
  const cases: [answer: () => Response, reason: RegExp][] = [
    [
      () => new Response(program("6.6.6")),
      /the checksum of inkling-1\.2\.3-\S+ is wrong, so it is not installed/,
    ],
    [cutOff, /cannot fetch .*inkling-1\.2\.3-/],
    [() => Response.redirect(elsewhere), /cannot fetch/],
  ];
  for (const [answer, reason] of cases) {
    world.server.answers.set(FILE, answer);
    await world.refuses(reason);
  }
  assert.ok(!world.server.asked.includes("elsewhere"));
});

/** A stand-in for minisign that accepts every file, and prints this comment. */
const accepts = (comment: string) => `[ "$1 $2 $3 $4" = '-V -Q -P RWkey' ] && echo '${comment}'`;

Deno.test("install.sh verifies the signature with minisign, or prints that minisign is not installed", async () => {
  await using world = await InstallWorld.open();
  world.keys = ["RWkey"];
  await world.publish(program("1.2.3"));
  // The release contains no signature.
  await world.stub("minisign", accepts("anything"));
  await world.refuses(/cannot fetch \S+\/inkling-1\.2\.3-x86_64-unknown-linux-gnu\.minisig/);
  await Deno.writeTextFile(join(world.release, `${FILE}.minisig`), "a signature");
  for (const comment of [`version:1.1.0 file:${FILE}`, "version:1.2.3 file:other", ""]) {
    await world.stub("minisign", accepts(comment));
    await world.refuses(/the signature of \S+ is for another file, so it is not installed/);
  }
  await world.stub("minisign", "echo 'Signature verification failed' >&2; exit 1");
  await world.refuses(/is wrong, so it is not installed: Signature verification failed/);
  await world.stub("minisign", accepts(`version:1.2.3 file:${FILE}`));
  const verified = await world.install();
  assert.deepEqual([verified.code, verified.stderr], [0, ""]);
  assert.match(verified.stdout, /^Verified the checksum and the signature$/m);
  await Deno.remove(join(world.root, "bin/minisign"));
  const without = await world.install({ path: await world.pathWith("curl", "sha256sum") });
  assert.deepEqual([without.code, without.stderr], [0, ""]);
  assert.match(
    without.stdout,
    /^Compared only the checksum: minisign, which verifies signatures, is not installed$/m,
  );
});

Deno.test({
  name: "install.sh accepts a release that release:sign has signed",
  ignore: await pathOf("minisign") === "",
  async fn() {
    await using world = await InstallWorld.open();
    const key = await createThrowawayKey();
    world.keys = [key.publicLine];
    await world.publish(program("1.2.3"));
    const keys = { secret: key.secret, publicKeys: world.keys };
    await signReleaseFolder(world.release, { version: "1.2.3", keys });
    assert.match((await world.install()).stdout, /^Verified the checksum and the signature$/m);
    const other = await createThrowawayKey();
    world.keys = [other.publicLine];
    await world.publish(program("1.2.3"));
    await signReleaseFolder(world.release, {
      version: "1.2.3",
      keys: { secret: other.secret, publicKeys: world.keys },
    });
    const signature = join(world.release, `${FILE}.minisig`);
    await Deno.writeTextFile(
      signature,
      (await Deno.readTextFile(signature)).replace("version:1.2.3", "version:1.2.4"),
    );
    await world.refuses(/the signature of \S+ is wrong, so it is not installed/);
  },
});

Deno.test("install.sh refuses a release that is unreadable or lacks the machine's file", async () => {
  await using world = await InstallWorld.open();
  const sha256 = "0".repeat(64);
  const entry = (name: string, sum: string) =>
    JSON.stringify({ version: "1.2.3", files: { [TARGETS[0]]: { name, sha256: sum } } });
  const cases: [manifest: string, reason: RegExp][] = [
    ["<html>404</html>", /names no version/],
    [
      '{"version": "1.2.3", "files": {}}',
      /not available for this machine \(x86_64-unknown-linux-gnu\)/,
    ],
    [entry("../evil", sha256), /names no file/],
    [entry("a b;rm -rf $HOME", sha256), /names no file/],
    [entry(FILE, "abc"), /has no checksum/],
    [entry("missing", sha256), /cannot fetch .*missing/],
  ];
  for (const [manifest, reason] of cases) {
    world.server.answers.set("latest.json", () => new Response(manifest));
    await world.refuses(reason);
  }
  world.server.answers.set("latest.json", () => new Response("no", { status: 404 }));
  await world.refuses(/cannot fetch .*latest\.json/);
});

Deno.test("install.sh refuses machines without a release before any download", async () => {
  await using world = await InstallWorld.open();
  for (
    const [system, machine, ldd, reason] of [
      ["SunOS", "sparc64", "", /no release for SunOS that this script can install/],
      ["MINGW64_NT-10.0", "x86_64", "", /no release for MINGW64_NT-10\.0/],
      ["Linux", "riscv64", "ldd (GNU libc)", /no release for Linux on riscv64/],
      ["Linux", "x86_64", "musl libc (x86_64)", /musl/],
    ] as const
  ) {
    Object.assign(world, { system, machine, ldd });
    await world.refuses(reason);
  }
  assert.deepEqual(world.server.asked, []);
});

Deno.test("install.sh refuses an address that others in the network could imitate", async () => {
  await using world = await InstallWorld.open();
  for (
    const address of [
      ...[
        "http://example.org/",
        "file:///tmp/",
        "ftp://localhost/",
        "http://localhost.example.org/",
      ],
      ...["http://localhost:1@example.org/", "http://127.0.0.1.example.org/", "-o/tmp/x"],
    ]
  ) {
    await world.refuses(/not an https address|must not contain a user name or a password/, {
      env: { INKLING_RELEASE_URL: address },
    });
  }
  assert.deepEqual(world.server.asked, []);
});

Deno.test("install.sh installs to another folder, and refuses a read-only folder", async () => {
  await using world = await InstallWorld.open();
  const folder = join(world.home, "it's mine");
  const { code, stderr } = await world.install({ env: { INKLING_INSTALL_DIR: folder } });
  assert.equal(code, 0, stderr);
  assert.equal(await versionOf(join(folder, "inkling")), "1.2.3");
  await world.refuses(/cannot create the folder .*set INKLING_INSTALL_DIR to another folder/, {
    env: { INKLING_INSTALL_DIR: join(folder, "inkling/below/a/file") },
  });
  // Root may write to every folder, so the test uses /proc, where the file system refuses.
  await world.refuses(/cannot (create|write to)/, {
    env: { INKLING_INSTALL_DIR: "/proc/inkling" },
  });
  await Deno.mkdir(join(world.home, "taken/inkling"), { recursive: true });
  await world.refuses(/taken\/inkling is a folder/, {
    env: { INKLING_INSTALL_DIR: join(world.home, "taken") },
  });
});

Deno.test("install.sh works in a home of any name and quotes it", async () => {
  await using world = await InstallWorld.open();
  for (const name of ['it\'s $HOME `x` "é"', "-n", "a:b", "trailing/"]) {
    const home = join(world.root, "homes", name);
    await Deno.mkdir(home, { recursive: true });
    const { code, stdout, stderr } = await world.install({ env: { HOME: home } });
    assert.deepEqual([code, stderr], [0, ""], name);
    assert.equal(await versionOf(join(home, ".local/bin/inkling")), "1.2.3");
    assert.equal(stdout.includes("export PATH"), !/["':$]/.test(name), stdout);
    assert.match(stdout, /is not on your PATH/);
  }
  await Deno.mkdir(join(world.root, "relative"));
  const relative = await world.install({ env: { HOME: "relative" } });
  assert.equal(relative.code, 0, relative.stderr);
  assert.match(
    relative.stdout,
    new RegExp(`installed: ${world.root}/relative/\\.local/bin/inkling`),
  );
  for (const HOME of ["", undefined]) {
    await world.refuses(/^install\.sh: HOME is not set: set HOME, or set INKLING_INSTALL_DIR/m, {
      env: { HOME },
    });
  }
});

Deno.test("install.sh works with the tools of other machines: wget, shasum", async () => {
  await using world = await InstallWorld.open();
  const path = await world.pathWith();
  await world.refuses(/needs curl or wget/, { path });
  // Imitates wget with a download program of this machine.
  const toFile = `for last; do :; done; while [ "$1" != -O ]; do shift; done`;
  await world.stub("wget", `${toFile}; exec ${await pathOf("curl")} -fsS -o "$2" "$last"`);
  await world.refuses(/needs sha256sum or shasum/, { path });
  await world.stub("shasum", `shift 2; exec ${await pathOf("sha256sum")}`);
  const { code, stderr } = await world.install({ path });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(await versionOf(world.installed), "1.2.3");
});

Deno.test("install.sh does nothing if its own download was cut off", async () => {
  await using world = await InstallWorld.open();
  const script = join(world.release, "install.sh");
  const text = await Deno.readTextFile(script);
  const before = world.files();
  for (const share of [0.5, 0.99]) {
    await Deno.writeTextFile(script, text.slice(0, Math.floor(text.length * share)));
    await world.install();
    assert.deepEqual(world.files(), before);
  }
  assert.deepEqual(world.server.asked, []);
});
