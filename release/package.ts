// `deno task package`: the npm package as a file, or with `--unpacked` as the folder that npm would install.
import { resolve } from "node:path";
import { copyTree } from "./folder.ts";
import { packNpmPackage, toNpmPackage } from "./npm_package.ts";
import { openStage } from "./stage.ts";
import { parseFlags, runTask } from "./task.ts";

async function pack(): Promise<void> {
  const flags = parseFlags(Deno.args, ["folder", "unpacked"]);
  await using stage = await openStage();
  await toNpmPackage(stage);
  if (flags.unpacked !== undefined) {
    await copyTree(stage.directory, resolve(flags.unpacked));
    return console.log(resolve(flags.unpacked));
  }
  const folder = resolve(flags.folder ?? "dist");
  await Deno.mkdir(folder, { recursive: true });
  console.log(await packNpmPackage(stage.directory, folder));
}

Deno.exit(await runTask(pack));
