// `deno task licences`: writes the list of third-party licenses, or compares it with `--check`.
import { join } from "node:path";
import { writeLicenceList } from "./licence_list.ts";
import { LICENCE_LIST, REPOSITORY } from "./product.ts";
import { openStage } from "./stage.ts";
import { runTask, UsageError } from "./task.ts";

async function licences(): Promise<void> {
  const isCheck = Deno.args.join(" ") === "--check";
  if (!isCheck && Deno.args.length > 0) throw new UsageError("The only flag is --check");
  await using stage = await openStage();
  const list = await writeLicenceList(stage);
  const path = join(REPOSITORY, LICENCE_LIST);
  if (!isCheck) await Deno.writeTextFile(path, list);
  else if (await Deno.readTextFile(path) !== list) {
    throw new Error(`${LICENCE_LIST} is not what the packages say: "deno task licences" writes it`);
  }
}

Deno.exit(await runTask(licences));
