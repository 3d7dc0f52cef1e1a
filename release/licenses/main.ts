// `deno task licenses`: writes the list of third-party licenses and the SBOM. With `--check`, writes nothing and fails if a
// stored file differs from the file that would be written.
import { join } from "node:path";
import { LICENSE_LIST, REPOSITORY, SBOM } from "../product.ts";
import { openStage } from "../stage.ts";
import { runTask, UsageError } from "../task.ts";
import { shippedPackages, writeLicenseList } from "./license_list.ts";
import { writeSbom } from "./sbom.ts";

async function licenses(): Promise<void> {
  const isCheck = Deno.args.join(" ") === "--check";
  if (!isCheck && Deno.args.length > 0) throw new UsageError("The only flag is --check");
  await using stage = await openStage();
  const packages = await shippedPackages(stage);
  const contents = [
    [LICENSE_LIST, await writeLicenseList({ files: stage.files, packages })],
    [SBOM, await writeSbom(packages)],
  ] as const;
  for (const [file, text] of contents) {
    const path = join(REPOSITORY, file);
    if (!isCheck) await Deno.writeTextFile(path, text);
    else if (await Deno.readTextFile(path) !== text) {
      throw new Error(`${file} differs from the packages: run "deno task licenses"`);
    }
  }
}

Deno.exit(await runTask(licenses));
