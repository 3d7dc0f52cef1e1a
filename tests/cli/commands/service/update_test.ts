// Tests of `inkling update` with a release server on this machine and shell scripts as binaries.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { releaseComment } from "../../../../cli/update/minisign.ts";
import { parseSigningKey, signFile } from "../../../../release/minisign_key.ts";
import { createThrowawayKey } from "../../../release/throwaway_key.ts";
import { assertPicture } from "../../picture.ts";
import { manifest, standIn, TARGET, UpdateWorld } from "../../update/release_server.ts";
import { freePort } from "../../../support/machine/free_port.ts";

const OLD = { version: "1.2.3", files: ["inkling"] };

/** Runs `update`, checks that it fails and changes nothing, and returns its error. */
async function refused(world: UpdateWorld, ...args: string[]): Promise<string> {
  assert.equal(await world.run(["update", ...args]), 1);
  assert.deepEqual(await world.state(), OLD);
  const { stdout, stderr } = world.cli;
  assert.equal(stdout.text, "");
  const said = stderr.text.replaceAll(world.base, "http://releases").replaceAll(
    world.directory,
    "/bin",
  );
  stderr.text = "";
  return said;
}

Deno.test("update installs the executable of the release, and leaves no other files", async () => {
  await using world = await UpdateWorld.open();
  // The new executable gets the permissions of the old one.
  await Deno.chmod(world.binary, 0o650);
  const content = standIn("1.3.0");
  const sha256 = createHash("sha256").update(content).digest("hex").toUpperCase();
  world.release("1.3.0", content, { sha256 });
  // The target of a symbolic link is replaced, not the link.
  const link = join(world.cli.stateDir, "inkling");
  await Deno.symlink(world.binary, link);
  const distribution = { kind: "binary", path: link, target: TARGET, keys: [] } as const;
  assert.equal(await world.run(["update"], { distribution }), 0);
  assert.ok((await Deno.lstat(link)).isSymlink);
  assert.deepEqual(await world.state(), { version: "1.3.0", files: ["inkling"] });
  assert.equal(((await Deno.stat(world.binary)).mode ?? 0) & 0o777, 0o750);
  assert.equal(world.cli.stdout.text, "Inkling 1.3.0 is installed (it was 1.2.3)\n");
  assert.equal(
    world.cli.stderr.text,
    "Downloading Inkling 1.3.0\n" +
      "Compared only the checksum: this Inkling has no key to verify signatures\n",
  );
});

Deno.test("update --check reports the newest release, and changes nothing", async (t) => {
  await using world = await UpdateWorld.open();
  const { stdout } = world.cli;
  for (const version of ["1.3.0", "1.2.3", "1.2.0"]) {
    stdout.text = "";
    world.release(version, standIn(version));
    assert.equal(await world.run(["update", "--check"]), 0);
    await assertPicture(t, stdout.text, import.meta.url);
  }
  assert.deepEqual(await world.state(), OLD);
  assert.ok(world.requested.every((path) => path.endsWith("latest.json")));
});

Deno.test("update downloads an older or equal release only with --force", async () => {
  await using world = await UpdateWorld.open();
  world.release("1.2.0", standIn("1.2.0"));
  assert.match(
    await refused(world),
    /The newest release is 1\.2\.0, .* --force installs the older one/,
  );
  world.release("1.2.3", `${standIn("1.2.3")}# another build\n`);
  assert.equal(await world.run(["update"]), 0);
  assert.equal(world.cli.stdout.text, "Inkling 1.2.3 is the newest version\n");
  assert.ok(world.requested.every((path) => path.endsWith("latest.json")));
  assert.equal(await world.run(["update", "--force"]), 0);
  assert.match(await Deno.readTextFile(world.binary), /another build/);
  world.release("1.2.0", standIn("1.2.0"));
  assert.equal(await world.run(["update", "--force"]), 0);
  assert.equal((await world.state()).version, "1.2.0");
});

Deno.test("update rejects an incomplete download, with and without an announced length", async () => {
  await using world = await UpdateWorld.open();
  const content = standIn("1.3.0");
  world.release("1.3.0", content);
  for (const headers of [`content-length: ${content.length}\r\n`, ""]) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const location = `http://127.0.0.1:${listener.addr.port}/`;
    world.answers.set(
      "/releases/inkling-linux",
      () => new Response(null, { status: 302, headers: { location } }),
    );
    const cut = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(4_096));
      const head = `HTTP/1.1 200 OK\r\n${headers}connection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(head + content.slice(0, 10)));
      connection.close();
    });
    const says = headers === "" ? /its checksum is wrong/ : /the connection broke after 10 bytes/;
    assert.match(await refused(world), says);
    await cut;
  }
});

Deno.test("update keeps the old executable if the new one does not work", async (t) => {
  await using world = await UpdateWorld.open();
  // The new program starts under its temporary name, but fails under its final name.
  const shy = '#!/bin/sh\n[ "${0##*/}" != inkling ] && echo 1.3.0\n';
  const good = standIn("1.3.0");
  const contents = [
    ...["#!/bin/sh\necho bad library >&2\nexit 127\n", "#!/nowhere/sh\n", shy],
    ...["1.2.9", "1.3.0-rc.1", "1.3.01"].map(standIn),
  ];
  for (const content of contents) {
    world.release("1.3.0", content);
    await assertPicture(t, await refused(world), import.meta.url);
  }
  world.release("1.3.0", good, { sha256: "0".repeat(64) });
  await assertPicture(t, await refused(world), import.meta.url);
});

/** Serves the file's signature by `key`, for the given version and name. */
async function serveSignature(
  world: UpdateWorld,
  { content, secret, version = "1.3.0", name = "inkling-linux" }: {
    content: string;
    secret: string;
    version?: string;
    name?: string;
  },
): Promise<void> {
  const path = join(world.cli.stateDir, "signed");
  await Deno.writeTextFile(path, content);
  const key = await parseSigningKey(secret);
  const text = await signFile(path, { key, comment: releaseComment({ version, name }) });
  world.answers.set("/releases/inkling-linux.minisig", () => new Response(text));
}

Deno.test("update with keys installs a release that one of the keys has signed", async () => {
  await using world = await UpdateWorld.open();
  const [old, present] = [await createThrowawayKey(), await createThrowawayKey()];
  world.keys = [old.publicLine, present.publicLine];
  const content = standIn("1.3.0");
  world.release("1.3.0", content);
  await serveSignature(world, { content, secret: present.secret });
  assert.equal(await world.run(["update"]), 0);
  assert.equal((await world.state()).version, "1.3.0");
  assert.equal(world.cli.stderr.text, "Downloading Inkling 1.3.0\n");
});

Deno.test("update with keys rejects a missing, foreign, wrong or old signature, and starts no file", async (t) => {
  await using world = await UpdateWorld.open();
  const [key, foreign] = [await createThrowawayKey(), await createThrowawayKey()];
  world.keys = [key.publicLine];
  const log = join(world.cli.stateDir, "started");
  const content = `#!/bin/sh\necho started > '${log}'\necho 1.3.0\n`;
  const { secret } = key;
  // The checksum of latest.json is right in all cases.
  world.release("1.3.0", content);
  const said = [await refused(world)];
  assert.ok(!world.requested.includes("/releases/inkling-linux"), "nothing is downloaded");
  await serveSignature(world, { content, secret: foreign.secret });
  said.push(await refused(world));
  await serveSignature(world, { content: standIn("1.3.0"), secret });
  said.push(await refused(world));
  // An old release, which latest.json offers as a new one.
  await serveSignature(world, { content, secret, version: "1.1.0" });
  said.push(await refused(world));
  await serveSignature(world, { content, secret, name: "inkling-darwin" });
  said.push(await refused(world));
  world.answers.set("/releases/inkling-linux.minisig", () => new Response("x".repeat(10_001)));
  said.push(await refused(world));
  for (const one of said) await assertPicture(t, one, import.meta.url);
  await assert.rejects(Deno.stat(log), Deno.errors.NotFound);
});

Deno.test("update tests the new program before and after the swap", async () => {
  await using world = await UpdateWorld.open();
  const log = join(world.cli.stateDir, "started");
  const beside = join(world.directory, ".inkling-next-inkling");
  for (const [answer, started] of [["3", [beside]], ["0", [beside, world.binary]]] as const) {
    await Deno.writeTextFile(log, "");
    world.release("1.3.0", `#!/bin/sh\necho "$0" >> '${log}'\necho 1.3.0\nexit ${answer}\n`);
    assert.equal(await world.run(["update"]), answer === "0" ? 0 : 1);
    assert.deepEqual((await Deno.readTextFile(log)).trim().split("\n"), started);
  }
});

Deno.test("update reports the problem of the release server", async (t) => {
  await using world = await UpdateWorld.open();
  const good = standIn("1.3.0");
  const manifests = [
    ...["<html>", "[]", '{"version": "1.3.0; rm -rf /", "files": {}}', '{"version": "1.3.0"}'],
    '{"version": "1.3.0", "files": {"wasm": {}}}',
    ...["../../../etc/passwd", "http://evil/x"].map((name) => manifest("1.3.0", good, { name })),
    ...[manifest("1.3.0", good, { sha256: 5 }), "x".repeat(1_048_577)],
  ];
  for (const latest of manifests) {
    // The response announces its length in the first round, and not in the second round.
    for (const body of [latest, new Blob([latest]).stream()]) {
      world.answers.set("/releases/latest.json", () => new Response(body));
      await assertPicture(t, await refused(world), import.meta.url);
    }
  }
  world.answers.clear();
  await assertPicture(t, await refused(world), import.meta.url);
});

Deno.test("update follows only redirects to trusted addresses", async () => {
  await using world = await UpdateWorld.open();
  const content = standIn("1.3.0");
  world.release("1.3.0", content);
  const redirect = (location: string) => () =>
    new Response(null, { status: 302, headers: { location } });
  world.answers.set("/releases/inkling-linux", redirect("/elsewhere/file"));
  // The announced length of a compressed response is not the length of its content.
  world.answers.set(
    "/elsewhere/file",
    ({ headers }) => new Response(headers.get("accept-encoding") === "identity" ? content : "zip"),
  );
  assert.equal(await world.run(["update"]), 0);
  assert.equal((await world.state()).version, "1.3.0");

  await using other = await UpdateWorld.open();
  other.release("1.3.0", content);
  other.answers.set("/releases/inkling-linux", redirect("http://releases.example/file"));
  assert.match(await refused(other), /it redirects to http:\/\/releases\.example.* is not trusted/);
  other.answers.set("/releases/inkling-linux", redirect("/releases/inkling-linux"));
  assert.match(await refused(other), /there are too many redirects/);
});

Deno.test("update reports a missing, invalid or unreachable release address", async () => {
  await using world = await UpdateWorld.open();
  const { stderr } = world.cli;
  const run = async (environment: Record<string, string>) => {
    stderr.text = "";
    assert.equal(await world.run(["update", "--check"], { environment }), 1);
    return stderr.text;
  };
  assert.match(await run({}), /This build of Inkling has no release address.*INKLING_RELEASE_URL/);
  for (
    const bad of [
      ...["http://releases.example/", "ftp://x/", "nonsense", "https://a:b@x/", "file:///x"],
      "https://releases.example/inkling?token=x",
    ]
  ) {
    assert.match(await run({ INKLING_RELEASE_URL: bad }), /is not a valid release address: /, bad);
  }
  assert.match(
    await run({ INKLING_RELEASE_URL: `http://127.0.0.1:${freePort()}` }),
    /Cannot fetch http:\/\/127\.0\.0\.1:\d+\/latest\.json: .*refused/i,
  );
});

Deno.test("update removes the files of a killed update, and does not wait for it", async () => {
  await using world = await UpdateWorld.open();
  for (const kind of ["next", "previous", "update-lock"]) {
    await Deno.writeTextFile(join(world.directory, `.inkling-${kind}-inkling`), "left");
  }
  world.release("1.3.0", standIn("1.3.0"));
  assert.equal(await world.run(["update"]), 0);
  assert.deepEqual(await world.state(), { version: "1.3.0", files: ["inkling"] });
});

/** Delays the response with the release's file until `answer()`; `asked` resolves when the file is requested. */
function holdBack(world: UpdateWorld, content: string): { asked: Promise<void>; answer(): void } {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  world.release("1.3.0", content);
  world.answers.set("/releases/inkling-linux", async () => {
    asked.resolve();
    await answered.promise;
    return new Response(content);
  });
  return { asked: asked.promise, answer: answered.resolve };
}

Deno.test("update allows only one of two concurrent updates", async () => {
  await using world = await UpdateWorld.open();
  const { asked, answer } = holdBack(world, standIn("1.3.0"));
  const first = world.run(["update"]);
  await asked;
  assert.equal(await world.run(["update"]), 1);
  assert.match(world.cli.stderr.text, /Error: Another update of .*inkling is in progress/);
  answer();
  assert.equal(await first, 0);
  assert.deepEqual(await world.state(), { version: "1.3.0", files: ["inkling"] });
});

Deno.test("update ends at Ctrl+C without changes", async () => {
  await using world = await UpdateWorld.open();
  const { asked, answer } = holdBack(world, standIn("1.3.0"));
  const code = world.run(["update"]);
  await asked;
  assert.ok(world.cli.interrupt());
  assert.equal(await code, 130);
  assert.deepEqual(await world.state(), OLD);
  answer();
});
