// `deno task release`: builds the executables for all machines into a folder that a web server can serve.
import { resolve } from "node:path";
import { compileExecutable, requireWorking } from "./executable.ts";
import { openStage } from "./stage.ts";
import { parseReleaseAddress } from "./given_address.ts";
import { readPublicKeys } from "./minisign_key.ts";
import { NAME, VERSION } from "./product.ts";
import { writeReleaseFolder } from "./release_folder.ts";
import { TARGETS } from "./target.ts";
import { parseFlags, runTask } from "./task.ts";

async function release(): Promise<void> {
  const flags = parseFlags(Deno.args, ["folder", "address", "public-key"]);
  const folder = resolve(flags.folder ?? "dist/release");
  await using stage = await openStage(flags);
  await writeReleaseFolder(folder, {
    name: NAME,
    version: VERSION,
    targets: TARGETS,
    address: flags.address && parseReleaseAddress(flags.address),
    keys: await readPublicKeys(flags["public-key"]),
    async build(target, output) {
      console.log(`Compiling for ${target}`);
      await compileExecutable(stage.directory, { target, output });
      // Executables for other machines are tried there before the release is published.
      if (target === Deno.build.target) await requireWorking(output);
    },
  });
  console.log(folder);
}

Deno.exit(await runTask(release));
