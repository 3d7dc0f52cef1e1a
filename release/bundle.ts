// Bundles the program for shipping into a few JavaScript modules that include all packages. Compared with hundreds of
// files, Deno starts them in two thirds of the time and searches no package folders.
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
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
import { lastOutput, runCommand } from "./command.ts";
import { filesBelow } from "./folder.ts";
import { MAIN, NAME, REPOSITORY } from "./product.ts";

/** The module that selects a build of the `yaml` package at run time. In a bundle, resolveId() selects it. */
const YAML_LIBRARY = "runtime/config/files/yaml_library.ts";

/** The CommonJS plugin. Deno's types do not describe its default import as a function, so it needs a cast. */
const convertCommonJs = commonjs as unknown as () => Plugin;

/** The builds of packages that differ from the build for Node.js. The one of Discord's package has no HTTP client. */
const BUILDS: Readonly<Record<string, string>> = {
  yaml: "browser/index.js",
  "@discordjs/rest": "dist/web.mjs",
};

/** A package that Discord's package uses only if somebody has installed it. */
const ABSENT = "zlib-sync";

const SOURCES = ["app", "api", "base", "cli", "ops", "present", "reach", "runtime", "server"];
const HOST = "runtime/tools/custom/host";
const ENTRIES = {
  main: "main.ts",
  host_main: `${HOST}/host_main.ts`,
  tool_worker: `${HOST}/tool_worker.ts`,
  script_worker: `${HOST}/script_worker.ts`,
  pdf_worker: `${HOST}/pdf_worker.ts`,
  search_worker: "runtime/tools/search/search_worker.ts",
};

/**
 * The groups of modules. Each group is bundled into one file together with the imports of its modules: a file for tool
 * hosts, one for the most used commands, one for a service until its port is open, and one for the rest of a service. A
 * module belongs to the first group that contains it. A module outside of the groups gets its own file if it is imported
 * dynamically.
 */
const MODULE_GROUPS: Record<string, readonly string[]> = {
  host: [`${HOST}/run_host.ts`, ENTRIES.tool_worker, ENTRIES.script_worker],
  command: [
    ...["cli/mod.ts", "app/app.ts", "app/settings.ts"],
    ...["runtime/config/places.ts", "runtime/config/workspace_folder.ts"],
    ...[
      "cli/commands/agents/list.ts",
      "cli/commands/service/status.ts",
      "cli/commands/agents/run.ts",
    ],
  ],
  start: [
    ...["cli/commands/service/start.ts", "runtime/config/service_defaults.ts"],
    "app/service_life.ts",
  ],
  service: ["runtime/mod.ts", "server/mod.ts", "app/local_client.ts"],
};

/** The inputs and outputs of a bundle. */
export interface BundleOptions {
  /** The folder whose `node_modules` contains the packages. The sources are written to it as JavaScript. */
  workFolder: string;
  /** The folder to which the modules are written. */
  output: string;
  /** The content of deno.json that main.ts imports. */
  settings: unknown;
  /** Functions that change the source of a module, by the module's path in the repository. */
  changes: Readonly<Record<string, (source: string) => string>>;
}

/**
 * Builds the bundle. Returns the files in it, relative to the work folder: the program's own files, and the files of
 * packages. Throws Error for an unresolved import, which would fail on another machine.
 */
export async function bundleProgram(
  options: BundleOptions,
): Promise<Record<"own" | "packaged", readonly string[]>> {
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
      asciiChunks,
      lineMaps,
    ],
    onwarn: refuseUnresolved,
    // No tree shaking: it takes a third of the build time, makes the modules only 3 % smaller and does not speed up the
    // start.
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
      // Map to a URL: for a file path inside an npm package, Deno would report the source's line with the name of the
      // bundled file.
      sourcemapPathTransform: (path, map) =>
        `${NAME}:${relative(workFolder, resolve(dirname(map), path))}`,
      manualChunks: groupModules(place),
    });
    refuseExternalImports(chunks);
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

/** Transpiles each source to a JavaScript file with a source map in the work folder. */
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
  if (!result.success) throw new Error(`deno transpile failed: ${lastOutput(result)}`);
}

/** Returns the plugin that resolves the program's modules, and the text and data files that they import. */
function ownModules({ workFolder, settings, changes }: BundleOptions): Plugin {
  const text = /\?text$/;
  return {
    name: "own-modules",
    resolveId(id, importer, { attributes }) {
      const build = BUILDS[id];
      if (id === ABSENT) return `\0${ABSENT}`;
      if (build !== undefined) return join(workFolder, "node_modules", id, build);
      if (importer?.includes("/node_modules/") || !/^\.|^\//.test(id)) return null;
      const path = resolve(dirname(importer ?? ""), id);
      return attributes["type"] === "text" ? `${path}?text` : path;
    },
    async load(id) {
      // The name was created by another plugin.
      if (id === `\0${ABSENT}`) return "export default undefined;";
      if (id.startsWith("\0") || id.includes("?") && !text.test(id)) return null;
      if (id.includes("/node_modules/")) return await loadPackaged(id);
      const file = relative(workFolder, id);
      if (file === "deno.json") return `export default ${JSON.stringify(settings)};`;
      if (text.test(file)) {
        const content = await Deno.readTextFile(join(REPOSITORY, file.replace(text, "")));
        return { code: `export default ${JSON.stringify(content)};`, moduleSideEffects: false };
      }
      if (file === YAML_LIBRARY) return 'export * from "yaml";';
      const path = id.replace(/\.ts$/, ".js");
      const code = await Deno.readTextFile(path);
      return {
        code: changes[file]?.(code) ?? code,
        map: { ...JSON.parse(await Deno.readTextFile(`${path}.map`)), sources: [id] },
      };
    },
  };
}

/**
 * Writes the modules in ASCII. V8 stores a module with two bytes for each character, as long as the process runs, if one
 * character is above U+00FF. Escapes change no line, so the source map still names the lines.
 */
const asciiChunks: Plugin = {
  name: "ascii-chunks",
  renderChunk: (code) => ({ code: toAscii(code), map: null }),
};

/** Returns the code with escapes for other characters. Throws Error if String.raw contains one, because it keeps escapes. */
export function toAscii(code: string): string {
  const raw = /String\.raw`[^`]*?\P{ASCII}[^`]*`/u.exec(code);
  if (raw !== null) throw new Error(`String.raw needs ASCII in a bundle: ${raw[0]}`);
  return code.replace(/(\\*)(\P{ASCII}+)/gu, (_, backslashes: string, text: string) => {
    const escapes = text.split("").map((unit) =>
      `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    );
    // A needless backslash before the character is dropped, because it would escape the backslash of the escape.
    return backslashes.slice(backslashes.length % 2) + escapes.join("");
  });
}

/**
 * Reduces the source maps to lines. Deno keeps a parsed map as long as the process runs, also without any error to report.
 * Stacks name the exact line, and the column of the first code of that line.
 */
const lineMaps: Plugin = {
  name: "line-maps",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "asset" || !file.fileName.endsWith(".js.map")) continue;
      const map = JSON.parse(String(file.source));
      file.source = JSON.stringify({ ...map, names: [], mappings: toLineMappings(map.mappings) });
    }
  },
};

/** Returns the mappings of a source map without the segments that stay on the source line of the segment before them. */
export function toLineMappings(mappings: string): string {
  return encode(
    decode(mappings).map((segments) => {
      let [file, line]: (number | undefined)[] = [];
      return segments.flatMap((segment): SourceMapSegment[] => {
        if (segment[1] === file && segment[2] === line) return [];
        [, file, line] = segment;
        return segment.length === 1
          ? [segment]
          : [[segment[0], segment[1], segment[2], segment[3]]];
      });
    }),
  );
}

async function loadPackaged(id: string) {
  // Leave out Zod's error texts in forty languages, which the program never uses.
  if (/zod\/v4\/locales\/(?!en\.js|index\.js)/.test(id)) return "export default () => ({});";
  const code = await Deno.readTextFile(id);
  // Packages get no source maps, which would be larger than the packages. An error in a package names the bundled file.
  return id.endsWith(".json") ? `export default ${code};` : { code, map: { mappings: "" } };
}

function refuseUnresolved({ code, message }: RollupLog): void {
  if (code === "UNRESOLVED_IMPORT" || code === "MISSING_EXPORT") throw new Error(message);
}

/**
 * Throws if a bundled file imports a file outside the bundle. Deno would search for this file in the parent folders, to
 * which other users may write.
 */
function refuseExternalImports(chunks: readonly (OutputChunk | OutputAsset)[]): void {
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
  for (const [group, files] of Object.entries(MODULE_GROUPS)) {
    const pending = files.map(place);
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (groups.has(id)) continue;
      const info = getModuleInfo(id);
      if (info === null) throw new Error(`${id} is no part of the program`);
      // An entry, which is main.ts, host_main.ts or a worker, keeps its own file.
      if (!info.isEntry) groups.set(id, group);
      pending.push(...info.importedIds.filter((one) => !isBuiltin(one)));
    }
  }
  return groups;
}
