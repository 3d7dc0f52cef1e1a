// Tests that `--version` prints before anything is loaded, and reports a closed output.
import assert from "node:assert/strict";
import denoJson from "../../../deno.json" with { type: "json" };
import { createRealHome, type RealHome } from "../real_process.ts";

/** Runs a command whose standard output is a file. */
async function writeTo(
  home: RealHome,
  file: string,
  ...args: string[]
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", 'file=$1; shift; exec "$@" > "$file"', "sh", file, ...await home.command(args)],
    env: home.environment(),
    cwd: home.root,
    stdin: "null",
    stderr: "piped",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("--version prints the version and nothing else", async () => {
  await using home = await createRealHome();
  const expected = { code: 0, stdout: `${denoJson.version}\n`, stderr: "" };
  assert.deepEqual(await home.inkling("-V"), expected);
});

Deno.test({
  name: "--version reports an unwritable output without a stack trace",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using home = await createRealHome();
    const other = await writeTo(home, "/dev/full", "--help");
    assert.match(other.stderr, /^Error: .*No space left on device.*\n$/);
    assert.deepEqual(await writeTo(home, "/dev/full", "--version"), other);
    assert.equal(other.code, 1);
  },
});
