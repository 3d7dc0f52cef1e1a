// Creates a folder and a file in two open folders and prints the results. The caller chooses Deno's flags.
import { findDescriptors } from "../../../../base/files/descriptor_link.ts";
import { FolderHandle } from "../../../../runtime/tools/files/folder_handle.ts";
import { StagedFile } from "../../../../runtime/tools/files/staged_file.ts";

const [dir = ""] = Deno.args;
const descriptors = findDescriptors(`${dir}/state`);
if (descriptors === undefined) throw new Error("there is no link to hold folders with");
const said: Record<string, string> = {};
for (const name of ["readable", "open"]) {
  said[name] = await change(name).catch((error: Error) => error.message.split(" to ")[0] ?? "");
}
console.log(JSON.stringify(said));

async function change(name: string): Promise<string> {
  const options = { descriptors, stateDir: `${dir}/open/nowhere`, access: "write" } as const;
  using folder = await FolderHandle.open(`${dir}/${name}`, options);
  const refusals: unknown[] = [];
  const attempts = [
    async () => (await FolderHandle.create(`${dir}/${name}/folder`, options))[Symbol.dispose](),
    async () => {
      const { signal } = new AbortController();
      const staged = await StagedFile.write({ folder, name: "file" }, [], { signal });
      await staged.publish();
    },
  ];
  for (const attempt of attempts) await attempt().catch((error) => refusals.push(error));
  if (refusals.length === 1) throw new Error("only one of two was refused");
  if (refusals.length === 2) throw refusals[0];
  return "written";
}
