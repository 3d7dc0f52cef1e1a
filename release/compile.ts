// `deno task compile`: builds one executable, for this machine by default.
import { basename, dirname, join, resolve } from "node:path";
import { compileExecutable, requireWorking } from "./executable.ts";
import { openStage } from "./stage.ts";
import { removeIfThere } from "./folder.ts";
import { NAME } from "./product.ts";
import { executableName, ownTarget, parseTarget } from "./target.ts";
import { parseFlags, runTask } from "./task.ts";

async function compile(): Promise<void> {
  const flags = parseFlags(Deno.args, ["target", "output", "address", "public-key"]);
  const target = flags.target === undefined ? ownTarget() : parseTarget(flags.target);
  const output = resolve(flags.output ?? `dist/${executableName(NAME, target)}`);
  const partial = join(dirname(output), `.partial-${basename(output)}`);
  await using stage = await openStage(flags);
  await Deno.mkdir(dirname(output), { recursive: true });
  try {
    await compileExecutable(stage.directory, { target, output: partial });
    // An executable for another machine cannot be tried here.
    if (target === Deno.build.target) await requireWorking(partial);
    await Deno.rename(partial, output);
  } finally {
    await removeIfThere(partial);
  }
  console.log(output);
}

Deno.exit(await runTask(compile));
