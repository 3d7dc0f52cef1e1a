// Tests of a release's signatures: `release:sign` writes them, minisign verifies them, and the product verifies signatures
// of minisign.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  parsePublicKey,
  releaseComment,
  SignatureError,
  verifySignature,
} from "../../cli/update/minisign.ts";
import { hashFile, parseSigningKey, readPublicKeys, signFile } from "../../release/minisign_key.ts";
import { VERSION } from "../../release/product.ts";
import { signReleaseFolder } from "../../release/signed_folder.ts";
import { REPOSITORY } from "../support/repository.ts";
import { createTempDir } from "../support/temp_dir.ts";
import { runReleaseTask } from "./task_run.ts";
import { createThrowawayKey, type ThrowawayKey } from "./throwaway_key.ts";

const MINISIGN = "/usr/bin/minisign";
const hasMinisign = await Deno.stat(MINISIGN).then(() => true, () => false);
const NAME = `inkling-${VERSION}-x86_64-unknown-linux-gnu`;

/** Writes a release with one executable, and the files of a key pair. */
async function writeRelease({ path }: { path: string }, key: ThrowawayKey): Promise<string> {
  const folder = join(path, "release");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, NAME), "a program");
  await Deno.writeTextFile(join(folder, "latest.json"), "{}");
  await Deno.writeTextFile(join(path, "secret"), key.secret);
  await Deno.writeTextFile(join(path, "public"), key.publicFile);
  return folder;
}

/** Verifies the signature of a file with these keys, and returns the trusted comment. */
async function verify(path: string, ...keys: ThrowawayKey[]): Promise<string> {
  return await verifySignature(await Deno.readTextFile(`${path}.minisig`), {
    hash: new Uint8Array(await hashFile(path, "blake2b512")),
    keys: keys.map(({ publicLine }) => parsePublicKey(publicLine)),
  });
}

async function minisign(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(MINISIGN, {
    args: [...args],
    cwd,
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${out}${err}`);
  return out ?? "";
}

Deno.test("deno task release:sign writes checksums and signs every file except latest.json", async () => {
  await using temp = await createTempDir();
  const key = await createThrowawayKey();
  const folder = await writeRelease(temp, key);
  const args = ["--folder", folder, "--public-key", join(temp.path, "public")];
  const run = await runReleaseTask("release:sign", args, { INKLING_SIGNING_KEY: key.secret });
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  assert.equal(run.stdout, "Wrote SHA256SUMS and the signatures of 2 files\n");
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "SHA256SUMS",
    "SHA256SUMS.minisig",
    NAME,
    `${NAME}.minisig`,
    "latest.json",
  ]);
  const { code } = await new Deno.Command("sha256sum", {
    args: ["--check", "--strict", "--quiet", "SHA256SUMS"],
    cwd: folder,
  }).output();
  assert.equal(code, 0);
  assert.equal(
    await verify(join(folder, NAME), await createThrowawayKey(), key),
    releaseComment({ version: VERSION, name: NAME }),
  );
  // A second run replaces the files, and does not sign the signatures.
  const again = await runReleaseTask("release:sign", [
    ...args,
    ...["--key-file", join(temp.path, "secret")],
  ]);
  assert.equal(again.stdout, run.stdout, again.stderr);
});

Deno.test("signReleaseFolder() writes nothing if the executables do not accept the signing key", async () => {
  await using temp = await createTempDir();
  const key = await createThrowawayKey();
  const folder = await writeRelease(temp, key);
  const other = await createThrowawayKey();
  const cases: [secret: string | undefined, publicKeys: string[], reason: RegExp][] = [
    [undefined, [key.publicLine], /accept only signed releases, and there is no signing key/],
    [key.secret, [], /contain no public key/],
    [key.secret, [other.publicLine, key.publicLine], /the first public key of the release is/],
    ["nonsense", [key.publicLine], /not of minisign/],
  ];
  for (const [secret, publicKeys, reason] of cases) {
    const keys = { secret, publicKeys };
    await assert.rejects(signReleaseFolder(folder, { version: VERSION, keys }), reason);
  }
  assert.equal([...Deno.readDirSync(folder)].length, 2);
  const keys = { secret: undefined, publicKeys: [] };
  assert.deepEqual(await signReleaseFolder(folder, { version: VERSION, keys }), []);
  assert.equal([...Deno.readDirSync(folder)].length, 3);
});

Deno.test("verifySignature() rejects every change of the file, the signature and the comment", async () => {
  await using temp = await createTempDir();
  const key = await createThrowawayKey();
  const path = join(temp.path, "file");
  await Deno.writeTextFile(path, "a program");
  const hash = new Uint8Array(await hashFile(path, "blake2b512"));
  const keys = [parsePublicKey(key.publicLine)];
  const text = await signFile(path, { key: await parseSigningKey(key.secret), comment: "one" });
  assert.equal(await verifySignature(text, { hash, keys }), "one");
  assert.equal(await verifySignature(text.replaceAll("\n", "\r\n"), { hash, keys }), "one");
  const lines = text.split("\n");
  const withLine = (index: number, line: string) => lines.with(index, line).join("\n");
  const flipped = (index: number, place: number) => {
    const bytes = Uint8Array.fromBase64(lines[index] ?? "");
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    return withLine(index, bytes.toBase64());
  };
  const unhashed = Uint8Array.fromBase64(lines[1] ?? "");
  unhashed[1] = "d".charCodeAt(0);
  const cases: [text: string, reason: RegExp][] = [
    [flipped(1, 20), /its signature is wrong/],
    [flipped(1, 3), /unknown key/],
    [flipped(3, 20), /comment of its signature is wrong/],
    [withLine(2, "trusted comment: two"), /comment of its signature is wrong/],
    [withLine(2, "comment: one"), /no trusted comment/],
    [withLine(1, unhashed.toBase64()), /not of a hashed file/],
    [withLine(1, "AAAA"), /wrong length/],
    [withLine(1, "%"), /not valid base64/],
    [withLine(3, ""), /comment of its signature is wrong/],
    ["<html>", /no trusted comment/],
    ["", /no trusted comment/],
  ];
  for (const [changed, reason] of cases) {
    await assert.rejects(
      verifySignature(changed, { hash, keys }),
      (error) => error instanceof SignatureError && reason.test(error.message),
      changed,
    );
  }
  const otherHash = hash.with(5, (hash[5] ?? 0) ^ 1) as Uint8Array<ArrayBuffer>;
  await assert.rejects(verifySignature(text, { hash: otherHash, keys }), /its signature is wrong/);
});

Deno.test("release/minisign.pub, if it exists, contains public keys", async () => {
  for (const line of await readPublicKeys()) parsePublicKey(line);
  await assert.rejects(readPublicKeys(join(REPOSITORY, "LICENSE")), SignatureError);
});

Deno.test({
  name: "minisign verifies a release's signatures, and the product verifies minisign's signatures",
  ignore: !hasMinisign,
  async fn() {
    await using temp = await createTempDir();
    const key = await createThrowawayKey();
    const folder = await writeRelease(temp, key);
    const keys = { secret: key.secret, publicKeys: [key.publicLine] };
    for (const name of await signReleaseFolder(folder, { version: VERSION, keys })) {
      const said = await minisign(["-V", "-Q", "-P", key.publicLine, "-m", name], folder);
      assert.equal(said, `${releaseComment({ version: VERSION, name })}\n`);
    }
    await minisign(["-G", "-W", "-p", "own.pub", "-s", "own.key"], temp.path);
    const file = join(folder, "latest.json");
    await minisign(["-S", "-s", "own.key", "-t", "a comment", "-m", file], temp.path);
    const [publicLine = ""] = await readPublicKeys(join(temp.path, "own.pub"));
    assert.equal(await verify(file, { ...key, publicLine }), "a comment");
    // minisign's own key signs a release.
    const secret = await Deno.readTextFile(join(temp.path, "own.key"));
    await signReleaseFolder(folder, {
      version: VERSION,
      keys: { secret, publicKeys: [publicLine] },
    });
    await minisign(["-V", "-p", join(temp.path, "own.pub"), "-m", NAME], folder);
  },
});

Deno.test("parseSigningKey() names the command that removes the password of a key", async () => {
  const { secret } = await createThrowawayKey();
  const [comment, line = ""] = secret.split("\n");
  const bytes = Uint8Array.fromBase64(line);
  bytes.set(new TextEncoder().encode("Sc"), 2);
  await assert.rejects(parseSigningKey(`${comment}\n${bytes.toBase64()}\n`), /minisign -C -W -s/);
});
