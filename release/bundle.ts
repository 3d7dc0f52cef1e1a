// The program as it ships: a few modules of JavaScript with everything that they use of packages inside. Deno starts that in
// two thirds of the time that hundreds of files take, and nothing is looked for in folders of packages any more.
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import {
  type GetModuleInfo,
  type OutputAsset,
  type OutputChunk,
  type Plugin,
  rollup,
  type RollupLog,
} from "rollup";
import { lastWords, runCommand } from "./command.ts";
import { filesBelow } from "./folder.ts";
import { MAIN, NAME, REPOSITORY } from "./product.ts";

/** The package tells the compiler that it is a module with a default; Deno takes it by its word, and sees no function. */
const convertCommonJs = commonjs as unknown as () => Plugin;

const SOURCES = ["app", "api", "base", "cli", "ops", "present", "runtime", "server"];
const HOST = "runtime/tools/custom/host";
const ENTRIES = {
  main: "main.ts",
  tool_worker: `${HOST}/tool_worker.ts`,
  script_worker: `${HOST}/script_worker.ts`,
  pdf_worker: `${HOST}/pdf_worker.ts`,
};

/**
 * Modules that are loaded together, each with all that it imports: what hosts a tool, what the commands need that people type
 * most, what the service needs to listen. The first that has a module keeps it; the rest is split where it is loaded late.
 */
const TOGETHER: Record<string, readonly string[]> = {
  host: [`${HOST}/run_host.ts`, ENTRIES.tool_worker, ENTRIES.script_worker],
  command: [
    ...["cli/mod.ts", "app/app.ts", "app/settings.ts"],
    ...["runtime/config/places.ts", "runtime/config/first_use.ts"],
    ...[
      "cli/commands/agents/list.ts",
      "cli/commands/service/status.ts",
      "cli/commands/agents/run.ts",
    ],
  ],
  service: [
    ...["cli/commands/service/start.ts", "app/service_life.ts", "runtime/mod.ts"],
    ...["app/local_client.ts", "runtime/config/files/service_defaults.ts"],
  ],
};

/** What a bundle is made from and made to. */
export interface BundleOptions {
  /** A folder with the packages in its `node_modules`; sources as JavaScript are put into it. */
  workFolder: string;
  /** Where the modules go. */
  output: string;
  /** What main.ts finds as deno.json. */
  settings: unknown;
  /** Texts of modules that are other ones in what ships, by their path in the repository. */
  changes: Readonly<Record<string, (source: string) => string>>;
}

/** Files that a bundle was made of, relative to the folder that they were in: the program's own, and those of packages. */
export interface BundledFiles {
  own: readonly string[];
  packaged: readonly string[];
}

/** Makes the bundle. Throws Error where something cannot be found: it would fail on somebody else's machine. */
export async function bundleProgram(options: BundleOptions): Promise<BundledFiles> {
  const { workFolder, output } = options;
  await transpile(workFolder);
  const place = (file: string) => join(workFolder, file);
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, place(file)])),
    external: (id) => isBuiltin(id),
    plugins: [
      ownModules(options),
      nodeResolve({ preferBuiltins: true, exportConditions: ["deno", "node"] }),
      convertCommonJs(),
    ],
    onwarn: refuseUnresolved,
    // Without what packages do not use, the modules would be 3 % smaller and start no sooner; looking for it takes a third of
    // the build's time.
    treeshake: false,
  });
  try {
    const { output: chunks } = await bundle.write({
      dir: output,
      format: "es",
      entryFileNames: ({ name }) => name === "main" ? MAIN : `modules/${name}.js`,
      chunkFileNames: "modules/[name].js",
      hoistTransitiveImports: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
      // A URL: of a package of npm, Deno would tell the line of the source with the file of the bundle.
      sourcemapPathTransform: (path, map) =>
        `${NAME}:${relative(workFolder, resolve(dirname(map), path))}`,
      manualChunks: groupModules(place),
    });
    refuseStrangers(chunks);
    const files = chunks.flatMap((one) => one.type === "chunk" ? Object.keys(one.modules) : [])
      .map((id) => id.replace(/^\0/, "").replace(/\?.*$/, ""))
      .filter((id) => id.startsWith(workFolder)).map((id) => relative(workFolder, id));
    const isPackaged = (file: string) => file.startsWith("node_modules/");
    return {
      own: files.filter((file) => !isPackaged(file)).sort(),
      packaged: files.filter(isPackaged).sort(),
    };
  } finally {
    await bundle.close();
  }
}

/** Puts a JavaScript file with its source map beside the place that each source would have in the folder. */
async function transpile(workFolder: string): Promise<void> {
  const files = [ENTRIES.main];
  for (const folder of SOURCES) {
    for (const file of await filesBelow(join(REPOSITORY, folder))) {
      if (file.endsWith(".ts")) files.push(join(folder, file));
    }
  }
  const flags = ["--no-check", "--source-map", "separate", "--outdir", workFolder];
  const command = [Deno.execPath(), "transpile", ...flags, ...files];
  const result = await runCommand(command, { cwd: REPOSITORY });
  if (!result.success) throw new Error(`deno transpile failed: ${lastWords(result)}`);
}

/** Finds the program's own modules as sources name them, and the texts and data that they import. */
function ownModules({ workFolder, settings, changes }: BundleOptions): Plugin {
  const text = /\?text$/;
  return {
    name: "own-modules",
    resolveId(id, importer, { attributes }) {
      if (id === "yaml") return join(workFolder, "node_modules/yaml/browser/index.js");
      if (importer?.includes("/node_modules/") || !/^\.|^\//.test(id)) return null;
      const path = resolve(dirname(importer ?? ""), id);
      return attributes["type"] === "text" ? `${path}?text` : path;
    },
    async load(id) {
      // A name that a plugin made up.
      if (id.startsWith("\0") || id.includes("?") && !text.test(id)) return null;
      if (id.includes("/node_modules/")) return await loadPackaged(id);
      const file = relative(workFolder, id);
      if (file === "deno.json") return `export default ${JSON.stringify(settings)};`;
      if (text.test(file)) {
        const content = await Deno.readTextFile(join(REPOSITORY, file.replace(text, "")));
        return { code: `export default ${JSON.stringify(content)};`, moduleSideEffects: false };
      }
      const path = id.replace(/\.ts$/, ".js");
      const code = await Deno.readTextFile(path);
      return {
        code: changes[file]?.(code) ?? code,
        map: { ...JSON.parse(await Deno.readTextFile(`${path}.map`)), sources: [id] },
      };
    },
  };
}

async function loadPackaged(id: string) {
  // Words of errors in forty languages, of which the program asks for none.
  if (/zod\/v4\/locales\/(?!en\.js|index\.js)/.test(id)) return "export default () => ({});";
  const code = await Deno.readTextFile(id);
  // An error in a package names the bundle: maps for them would be larger than they are themselves.
  return id.endsWith(".json") ? `export default ${code};` : { code, map: { mappings: "" } };
}

function refuseUnresolved({ code, message }: RollupLog): void {
  if (code === "UNRESOLVED_IMPORT" || code === "MISSING_EXPORT") throw new Error(message);
}

/** What is not in the bundle would be looked for in the folders above it, where anybody may have put something. */
function refuseStrangers(chunks: readonly (OutputChunk | OutputAsset)[]): void {
  const inside = new Set(chunks.map(({ fileName }) => fileName));
  for (const chunk of chunks) {
    if (chunk.type === "asset") continue;
    for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
      if (!inside.has(name) && !isBuiltin(name)) {
        throw new Error(`${chunk.fileName} imports ${name}, which does not ship`);
      }
    }
  }
}

function groupModules(place: (file: string) => string) {
  let groups: Map<string, string> | undefined;
  return (id: string, { getModuleInfo }: { getModuleInfo: GetModuleInfo }): string | undefined => {
    groups ??= findGroups(place, getModuleInfo);
    return groups.get(id);
  };
}

function findGroups(place: (file: string) => string, getModuleInfo: GetModuleInfo) {
  const groups = new Map<string, string>();
  for (const [group, files] of Object.entries(TOGETHER)) {
    const pending = files.map(place);
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (groups.has(id)) continue;
      const info = getModuleInfo(id);
      if (info === null) throw new Error(`${id} is no part of the program`);
      // A worker is a module of its own.
      if (!info.isEntry) groups.set(id, group);
      pending.push(...info.importedIds.filter((one) => !isBuiltin(one)));
    }
  }
  return groups;
}
