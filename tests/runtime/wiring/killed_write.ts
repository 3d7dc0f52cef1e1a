// A program that stages files in a folder as file tools do and then kills itself. One file is half-written, and another one
// has lost its name.
import * as fs from "node:fs";
import { identityOf } from "../../../runtime/tools/files/place.ts";
import { FolderHandle } from "../../../runtime/tools/files/folder_handle.ts";
import { retryIfPlaceChanged } from "../../../runtime/tools/files/file_failure.ts";
import { StagedFile } from "../../../runtime/tools/files/staged_file.ts";

const [path = "", stateDir = ""] = Deno.args;
using folder = await FolderHandle.open(path, { descriptors: undefined, stateDir, access: "write" });
fs.writeFileSync(`${path}/moved.txt`, "the only copy");
// Other processes change the folder of temporary files meanwhile, which can look like a changed place.
const retry = (work: () => Promise<unknown>) =>
  retryIfPlaceChanged({ action: "write", text: path }, work);
const identity = identityOf(fs.lstatSync(`${path}/moved.txt`, { bigint: true }));
await retry(() => StagedFile.moveAside({ folder, name: "moved.txt" }, identity));
const chunks = function* () {
  yield new TextEncoder().encode("half of ");
  Deno.kill(Deno.pid, "SIGKILL");
};
await retry(() =>
  StagedFile.write({ folder, name: "new.txt" }, chunks(), {
    signal: new AbortController().signal,
  })
);
