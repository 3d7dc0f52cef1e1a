// `deno task licenses`: writes the list of third-party licenses. With `--check`, compares the stored list with the present
// works instead.
import { join } from "node:path";
import { writeLicenseList } from "./license_list.ts";
import { LICENSE_LIST, REPOSITORY } from "./product.ts";
import { openStage } from "./stage.ts";
import { runTask, UsageError } from "./task.ts";

async function licenses(): Promise<void> {
  const isCheck = Deno.args.join(" ") === "--check";
  if (!isCheck && Deno.args.length > 0) throw new UsageError("The only flag is --check");
  await using stage = await openStage();
  const list = await writeLicenseList(stage);
  const path = join(REPOSITORY, LICENSE_LIST);
  if (!isCheck) await Deno.writeTextFile(path, list);
  else if (await Deno.readTextFile(path) !== list) {
    throw new Error(`${LICENSE_LIST} differs from the packages: run "deno task licenses"`);
  }
}

Deno.exit(await runTask(licenses));
