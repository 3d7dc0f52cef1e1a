// Folders for tests of what is done to entries: held by descriptor, and by their path where that cannot be.
import { findDescriptors, linkDescriptors } from "../../../../base/files/descriptor_link.ts";
import { HeldFolder } from "../../../../runtime/tools/files/held_folder.ts";
import type { HeldEntry } from "../../../../runtime/tools/files/staged_file.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

/** A temporary folder, and how folders are held in a test. */
export interface HeldWorld {
  dir: string;
  descriptors: string | undefined;
  /** An entry of a folder, which is closed at the end. */
  entry(folder: string, name: string): Promise<HeldEntry>;
}

/** A test for each way to hold folders that this system has. */
export function testHeld(name: string, test: (world: HeldWorld) => Promise<void>): void {
  for (const way of ["descriptor", "path"]) {
    Deno.test({
      name: `${name} (folders held by ${way})`,
      ignore: way === "descriptor" && Deno.build.os !== "linux",
      fn: () =>
        withTempDir((state) =>
          withTempDir(async (parent) => {
            // Other programs change the folder of temporary files all the time: a folder right in it never settles.
            const dir = `${parent}/folder`;
            await Deno.mkdir(dir);
            using held = new DisposableStack();
            if (way === "descriptor") linkDescriptors(state);
            const descriptors = findDescriptors(state);
            const entry = async (folder: string, name: string) => ({
              folder: held.use(
                await HeldFolder.open(folder, {
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
