// Opens folders for tests of changes to entries: with a descriptor, or without one.
import { findDescriptors, linkDescriptors } from "../../../../base/files/descriptor_link.ts";
import { FolderHandle } from "../../../../runtime/tools/files/folder_handle.ts";
import type { FolderEntry } from "../../../../runtime/tools/files/staged_file.ts";

/** A temporary folder, and the function that opens folders in it. */
export interface HeldWorld {
  dir: string;
  descriptors: string | undefined;
  /** Opens a folder and returns an entry of it. The folder is closed at the end of the test. */
  entry(folder: string, name: string): Promise<FolderEntry>;
}

/** Returns the sorted names of a folder's entries. */
export const names = (dir: string): string[] =>
  [...Deno.readDirSync(dir)].map(({ name }) => name).sort();

/** Returns a predicate for errors with this code. */
export const codeOf = (code: string): (error: unknown) => boolean => (error) =>
  error instanceof Error && "code" in error && error.code === code;

let calmFolder = "";
let createdAt = 0;
let isRegistered = false;

/**
 * Registers the folder for inCalmFolder(). Other tests change the folder of temporary files. In the first second of a folder
 * in it, that looks like a swap of this folder, so one folder is created before all tests.
 */
export function shareCalmFolder(): void {
  if (isRegistered) return;
  isRegistered = true;
  let base = "";
  Deno.test.beforeAll(async () => {
    base = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-test-" }));
    calmFolder = `${base}/calm`;
    await Deno.mkdir(calmFolder);
    createdAt = Date.now();
  });
  Deno.test.afterAll(() => Deno.remove(base, { recursive: true }));
}

/** Runs `body` with a new folder, beside which only the test changes entries. Removes the folder afterwards. */
export async function inCalmFolder(body: (dir: string) => Promise<void>): Promise<void> {
  // Change times are read in whole seconds.
  await new Promise((resolve) => setTimeout(resolve, createdAt + 1_050 - Date.now()));
  const dir = await Deno.makeTempDir({ dir: calmFolder });
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/**
 * Defines one test for folders with descriptors, if the system supports them, and one test for folders without descriptors.
 */
export function testHeld(name: string, test: (world: HeldWorld) => Promise<void>): void {
  shareCalmFolder();
  for (const way of ["descriptor", "path"]) {
    Deno.test({
      name: `${name} (folders held by ${way})`,
      ignore: way === "descriptor" && Deno.build.os !== "linux",
      fn: () => inCalmFolder((parent) => inWorld({ parent, way }, test)),
    });
  }
}

async function inWorld(
  { parent, way }: { parent: string; way: string },
  test: (world: HeldWorld) => Promise<void>,
): Promise<void> {
  const [state, dir] = [`${parent}/state`, `${parent}/folder`];
  for (const path of [state, dir]) await Deno.mkdir(path);
  using held = new DisposableStack();
  if (way === "descriptor") linkDescriptors(state);
  const descriptors = findDescriptors(state);
  const options = { descriptors, stateDir: "/nowhere", access: "write" } as const;
  const entry = async (folder: string, name: string) => ({
    folder: held.use(await FolderHandle.open(folder, options)),
    name,
  });
  await test({ dir, descriptors, entry });
}
