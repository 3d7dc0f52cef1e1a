// The sources of skills: a folder, a git repository or an npm package. Repositories and packages are downloaded at one
// version into the staging folder.
import { join, resolve } from "../../base/plain_path.ts";
import { z } from "zod";
import { isWholeJson } from "../../base/json.ts";
import { expandHome } from "../../runtime/config/places.ts";
import { type FetchContext, npmFlags, runFetch } from "./fetch_program.ts";
import { NotInstalled } from "./not_installed.ts";
import { type PackageName, readPackageName } from "./package_name.ts";

/** A parsed source. */
export type SkillSource =
  | { kind: "folder"; path: string }
  /** `ref` is a branch, a tag or a commit. The repository's default branch if absent. */
  | { kind: "git"; url: string; ref?: string }
  | { kind: "npm"; name: PackageName };

/** A downloaded source: its folder, and the source with its version and with a commit or digest. */
type FetchedSource = Record<"folder" | "pinned", string>;

/** Parses a source. Relative folders are resolved against `cwd`. Throws NotInstalled for any other text. */
export function parseSkillSource(
  text: string,
  { cwd, home }: { cwd: string; home: string },
): SkillSource {
  const name = readPackageName(text, "npm");
  if (name !== undefined) return { kind: "npm", name };
  const isGit = /^(git\+|https?:|ssh:|file:|git:)/.test(text) || /^\w[\w.-]*@\w[\w.-]*:/.test(text);
  if (!isGit) return { kind: "folder", path: resolve(cwd, expandHome(text, home)) };
  const [address = "", ref, ...more] = text.replace(/^git\+/, "").split("#");
  if (more.length > 0 || ref !== undefined && !/^[\w][\w./+-]*$/.test(ref)) {
    throw new NotInstalled("The text after # must be a branch, a tag or a commit");
  }
  const url = URL.parse(address);
  const isAllowed = url === null
    ? !/[\s\p{Cc}]/u.test(address)
    : ["https:", "ssh:", "file:"].includes(url.protocol);
  if (!isAllowed) {
    throw new NotInstalled("A repository must have an address of https, ssh or file");
  }
  if (url !== null && (url.password !== "" || url.protocol === "https:" && url.username !== "")) {
    throw new NotInstalled(
      "The address contains a user or a password: configure them in git instead",
    );
  }
  return { kind: "git", url: address, ...(ref !== undefined && { ref }) };
}

/** Downloads a source. Throws NotInstalled, or rethrows the signal's reason. */
export async function fetchSource(
  source: SkillSource,
  context: FetchContext,
): Promise<FetchedSource> {
  switch (source.kind) {
    case "folder":
      return { folder: source.path, pinned: source.path };
    case "git":
      return await fetchRepository(source, context);
    case "npm":
      return await fetchPackage(source.name, context);
    default:
      return source satisfies never;
  }
}

async function fetchRepository(
  { url, ref = "HEAD" }: { url: string; ref?: string },
  context: FetchContext,
): Promise<FetchedSource> {
  const folder = join(context.staging, "repository");
  const git = (...args: string[]) => runFetch("git", args, context);
  // Templates can contain hooks, which are programs that git would run.
  await git("init", "--quiet", "--template=", folder);
  const inside = ["-C", folder, "-c", "core.hooksPath=/dev/null"];
  await git(...inside, "fetch", "--quiet", "--depth=1", "--no-recurse-submodules", "--", url, ref);
  await git(...inside, "checkout", "--quiet", "--detach", "FETCH_HEAD");
  const commit = (await git(...inside, "rev-parse", "HEAD")).trim();
  return { folder, pinned: `${url}#${commit}` };
}

const packed = z.tuple([
  z.object({
    name: z.string(),
    version: z.string(),
    integrity: z.string(),
    filename: z.string().regex(/^[^/]+$/),
  }),
]);

async function fetchPackage(
  { name, version }: PackageName,
  context: FetchContext,
): Promise<FetchedSource> {
  const { staging } = context;
  // npm searches this folder and its parents for project settings. This file ends the search.
  await Deno.writeTextFile(join(staging, "package.json"), "{}");
  const wanted = version === undefined ? name : `${name}@${version}`;
  const printed = await runFetch(
    "npm",
    ["pack", "--json", `--pack-destination=${staging}`, ...npmFlags(staging), "--", wanted],
    context,
  );
  const result = packed.safeParse(isWholeJson(printed) ? JSON.parse(printed) : undefined);
  if (!result.success) throw new NotInstalled("npm did not report the downloaded package");
  const [{ filename, integrity, name: found, version: exact }] = result.data;
  const folder = join(staging, "package");
  await Deno.mkdir(folder);
  const archive = join(staging, filename);
  const flags = ["--strip-components=1", "--no-same-owner", "--no-same-permissions"];
  await runFetch("tar", ["-xzf", archive, "-C", folder, ...flags], context);
  return { folder, pinned: `npm:${found}@${exact} ${integrity}` };
}
