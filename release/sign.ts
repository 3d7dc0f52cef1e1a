// `deno task release:sign`: writes the checksums and the signatures of the files in a release's folder.
import { resolve } from "node:path";
import { readPublicKeys } from "./minisign_key.ts";
import { VERSION } from "./product.ts";
import { signReleaseFolder } from "./signed_folder.ts";
import { parseFlags, runTask } from "./task.ts";

/** The environment variable with the content of the secret key file. An argument would be in the list of processes. */
const VARIABLE = "INKLING_SIGNING_KEY";

async function sign(): Promise<void> {
  const flags = parseFlags(Deno.args, ["folder", "key-file", "public-key"]);
  const file = flags["key-file"];
  const secret = file === undefined
    ? Deno.env.get(VARIABLE) || undefined
    : await Deno.readTextFile(file);
  const publicKeys = await readPublicKeys(flags["public-key"]);
  const folder = resolve(flags.folder ?? "dist/release");
  const signed = await signReleaseFolder(folder, {
    version: VERSION,
    keys: { secret, publicKeys },
  });
  console.log(
    signed.length === 0
      ? "Wrote SHA256SUMS. Nothing is signed, because release/minisign.pub does not exist"
      : `Wrote SHA256SUMS and the signatures of ${signed.length} files`,
  );
}

Deno.exit(await runTask(sign));
