// Opens folders for tests of changes to entries: with a descriptor, or without one.
import assert from "node:assert/strict";
import { findDescriptors, linkDescriptors } from "../../../../base/files/descriptor_link.ts";
import { PlaceChanged } from "../../../../runtime/tools/files/file_failure.ts";
import { FolderHandle } from "../../../../runtime/tools/files/folder_handle.ts";
import type { FolderEntry } from "../../../../runtime/tools/files/staged_file.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

/** A temporary folder, and the function that opens folders in it. */
export interface HeldWorld {
  dir: string;
  descriptors: string | undefined;
  /** Opens a folder and returns an entry of it. The folder is closed at the end of the test. */
  entry(folder: string, name: string): Promise<FolderEntry>;
}

/** The attempts of a test without descriptors. Each may fail if other tests change the folder of temporary files. */
const ATTEMPTS = 5;

/**
 * Defines one test for folders with descriptors, if the system supports them, and one test for folders without descriptors.
 */
export function testHeld(name: string, test: (world: HeldWorld) => Promise<void>): void {
  for (const way of ["descriptor", "path"]) {
    Deno.test({
      name: `${name} (folders held by ${way})`,
      ignore: way === "descriptor" && Deno.build.os !== "linux",
      async fn() {
        for (let attempt = 1;; attempt++) {
          try {
            return await inWorld(way, test);
          } catch (error) {
            const isLast = way === "descriptor" || attempt === ATTEMPTS;
            // A test that expects another error fails with the actual one in its assertion.
            const cause = error instanceof assert.AssertionError ? error.actual : error;
            if (isLast || !(cause instanceof PlaceChanged)) throw error;
          }
        }
      },
    });
  }
}

async function inWorld(way: string, test: (world: HeldWorld) => Promise<void>): Promise<void> {
  await withTempDir((state) =>
    withTempDir(async (parent) => {
      const dir = `${parent}/folder`;
      await Deno.mkdir(dir);
      using held = new DisposableStack();
      if (way === "descriptor") linkDescriptors(state);
      const descriptors = findDescriptors(state);
      const options = { descriptors, stateDir: "/nowhere", access: "write" } as const;
      const entry = async (folder: string, name: string) => ({
        folder: held.use(await FolderHandle.open(folder, options)),
        name,
      });
      await test({ dir, descriptors, entry });
    })
  );
}
