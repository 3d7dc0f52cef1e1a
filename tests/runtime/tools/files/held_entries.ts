// Opens folders for tests of changes to entries: with a descriptor, or without one.
import { findDescriptors, linkDescriptors } from "../../../../base/files/descriptor_link.ts";
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

/**
 * Defines one test for folders with descriptors, if the system supports them, and one test for folders without descriptors.
 */
export function testHeld(name: string, test: (world: HeldWorld) => Promise<void>): void {
  for (const way of ["descriptor", "path"]) {
    Deno.test({
      name: `${name} (folders held by ${way})`,
      ignore: way === "descriptor" && Deno.build.os !== "linux",
      fn: () =>
        withTempDir((state) =>
          withTempDir(async (parent) => {
            // Other programs change the folder of temporary files all the time, so isUnmoved() would fail for a folder
            // directly in it.
            const dir = `${parent}/folder`;
            await Deno.mkdir(dir);
            using held = new DisposableStack();
            if (way === "descriptor") linkDescriptors(state);
            const descriptors = findDescriptors(state);
            const entry = async (folder: string, name: string) => ({
              folder: held.use(
                await FolderHandle.open(folder, {
                  descriptors,
                  stateDir: "/nowhere",
                  access: "write",
                }),
              ),
              name,
            });
            await test({ dir, descriptors, entry });
          })
        ),
    });
  }
}
