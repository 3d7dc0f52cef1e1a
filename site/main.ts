// `deno task site`: builds the site into dist/site, to publish anywhere, and into the file that the service serves.
import { join, resolve } from "node:path";
import { buildSite, packSite } from "./site.ts";

const REPOSITORY = resolve(import.meta.dirname ?? ".", "..");
const SERVED = join(REPOSITORY, "server/guide/site.json");

/** Returns the bundled script of the pages. Throws Error with Deno's output if bundling fails. */
async function bundleScript(): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const args = ["bundle", "--quiet", "--config", "site/deno.json", "--platform", "browser"];
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, "--minify", "--output", path, "site/client/main.ts"],
      cwd: REPOSITORY,
    });
    const { success, stderr } = await command.output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return await Deno.readTextFile(path);
  } finally {
    await Deno.remove(path);
  }
}

const { version } = JSON.parse(await Deno.readTextFile(join(REPOSITORY, "deno.json")));
const files = buildSite({ repository: REPOSITORY, version, script: await bundleScript() });
await Deno.writeTextFile(SERVED, packSite(files));
const folder = join(REPOSITORY, "dist/site");
await Deno.mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  await Deno.writeTextFile(join(folder, name), text);
}
console.log(`${Object.keys(files).length} files in ${folder}`);
