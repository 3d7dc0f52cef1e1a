// Tests of the replacement of an executable.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { openSwapPlaces, swapBinary } from "../../../cli/update/binary_swap.ts";

async function createBinary(): Promise<{ directory: string; binary: string } & AsyncDisposable> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-swap-" }));
  const binary = join(directory, "inkling");
  await Deno.writeTextFile(binary, "old");
  return {
    directory,
    binary,
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

const filesIn = (directory: string) => [...Deno.readDirSync(directory)].map(({ name }) => name);

Deno.test("swapBinary() never leaves the path without a complete executable", async () => {
  await using world = await createBinary();
  {
    await using places = await openSwapPlaces(world.binary);
    await Deno.writeTextFile(places.next, "new");
    await swapBinary(places, async (path) => {
      assert.equal(path, world.binary);
      assert.equal(await Deno.readTextFile(path), "new");
      assert.equal(await Deno.readTextFile(places.previous), "old");
    });
  }
  assert.equal(await Deno.readTextFile(world.binary), "new");
  assert.deepEqual(filesIn(world.directory), ["inkling"]);
});

Deno.test("swapBinary() copies the old executable if it cannot be linked", async () => {
  await using world = await createBinary();
  await using places = await openSwapPlaces(world.binary);
  await Deno.writeTextFile(places.next, "new");
  // The link fails because its name is in use, as it fails on a file system without links.
  await Deno.writeTextFile(places.previous, "in the way");
  const fail = () => Promise.reject(new Error("it does not start"));
  await assert.rejects(swapBinary(places, fail), /it does not start/);
  assert.equal(await Deno.readTextFile(world.binary), "old");
});

Deno.test({
  name: "openSwapPlaces() reports a read-only folder before the download",
  // Without Deno's write permission the test also works as root.
  permissions: { read: true },
  async fn() {
    const path = await Deno.realPath(Deno.execPath());
    await assert.rejects(openSwapPlaces(path), {
      name: "CommandFailure",
      message: `Cannot replace ${path}: nothing can be written to ${dirname(path)}. ` +
        "Run the command as its owner, or install Inkling to a folder of your own",
    });
  },
});
