// Reads the committed documentation site and builds a new one from its sources.
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import { buildSite, type SiteFiles } from "../../site/site.ts";
import { REPOSITORY } from "../support/repository.ts";

/** The path of the file that the service serves. */
export const SERVED = join(REPOSITORY, "server/guide/site.json");

/** Returns the files of the committed site by name. */
export function readCommittedSite(): SiteFiles {
  const lines = JSON.parse(Deno.readTextFileSync(SERVED)) as Record<string, string[]>;
  return Object.fromEntries(Object.entries(lines).map(([name, list]) => [name, list.join("\n")]));
}

/** Builds the site from its current sources, including the script of its pages. */
export async function buildPresentSite(): Promise<SiteFiles> {
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const flags = ["--quiet", "--config", "site/deno.json", "--platform", "browser", "--minify"];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", ...flags, "--output", path, "site/client/main.ts"],
      cwd: REPOSITORY,
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const script = await Deno.readTextFile(path);
    return buildSite({ repository: REPOSITORY, version: denoJson.version, script });
  } finally {
    await Deno.remove(path);
  }
}
