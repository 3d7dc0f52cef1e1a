// `deno task package`: writes the npm package to a file.
import { resolve } from "node:path";
import { packNpmPackage, toNpmPackage } from "./npm_package.ts";
import { openStage } from "./stage.ts";
import { parseFlags, runTask } from "./task.ts";

async function pack(): Promise<void> {
  const flags = parseFlags(Deno.args, ["folder", "repository"]);
  await using stage = await openStage();
  await toNpmPackage(stage, flags);
  const folder = resolve(flags.folder ?? "dist");
  await Deno.mkdir(folder, { recursive: true });
  console.log(await packNpmPackage(stage.directory, folder));
}

Deno.exit(await runTask(pack));
