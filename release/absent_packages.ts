// Packages that other packages ask for and can do without: bufferutil, supports-color and their like. They do not ship, and
// the search for a package that is not there goes on in the folders above. Of an executable, whose files appear below the
// temporary folder, that is a `node_modules` which any user of the machine may make. So each absent package gets a
// stand-in, which is found first and says that it is not there.
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { filesBelow, forEachFile, writeJson } from "./folder.ts";

const CODE = /\.(js|mjs|cjs)$/;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** The package that a module asks for by a text, in `require`, in `import` as a call or a statement, or after `from`. */
const ASKED =
  /\b(?:(?:require|import)\(\s*|from\s*|import\s*)["']((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*)(?:\/[\w./-]*)?["']/g;

/** Puts a stand-in into `node_modules` for each package that another one asks for and does not find. Returns their names. */
export async function writeStandIns(directory: string): Promise<string[]> {
  const nodeModules = join(directory, "node_modules");
  const files = await filesBelow(nodeModules);
  const there = new Set(files.map((file) => file.replaceAll("\\", "/")));
  const absent = new Set<string>();
  await forEachFile(files.filter((file) => CODE.test(file)), async (file) => {
    const source = await Deno.readTextFile(join(nodeModules, file));
    for (const [, name = ""] of source.replaceAll(COMMENT, "").matchAll(ASKED)) {
      if (!isBuiltin(name) && !isFound(name, file, there)) absent.add(name);
    }
  });
  for (const name of absent) await writeStandIn(join(nodeModules, name), name);
  return [...absent].sort();
}

/** By Node's rules: in the `node_modules` of a package around the file, or among all packages. */
function isFound(name: string, file: string, there: ReadonlySet<string>): boolean {
  const around = file.replaceAll("\\", "/").split("/node_modules/").slice(0, -1);
  const places = around.map((_, depth) =>
    [...around.slice(0, depth + 1), name].join("/node_modules/")
  );
  return [name, ...places].some((place) => there.has(`${place}/package.json`));
}

async function writeStandIn(folder: string, name: string): Promise<void> {
  await Deno.mkdir(dirname(folder), { recursive: true });
  // Fails where there is one: its files may be links to those of Deno's cache.
  await Deno.mkdir(folder);
  // Whatever is asked for in it is this one module: with `exports`, nothing is looked for elsewhere.
  const exports = { ".": "./index.js", "./*": "./index.js" };
  await writeJson(join(folder, "package.json"), { name, version: "0.0.0", exports });
  const message = JSON.stringify(`Cannot find module '${name}': it does not ship`);
  const code = `throw Object.assign(new Error(${message}), { code: "MODULE_NOT_FOUND" });\n`;
  await Deno.writeTextFile(join(folder, "index.js"), code);
}
