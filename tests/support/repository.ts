// The repository as tests read it: its root, its source files and their imports.
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds deno.json. */
export const REPOSITORY = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** The permissions of a test file: the product's permissions, without prompts. */
export const TEST_PERMISSIONS: readonly string[] = [
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
];

const PRODUCT = [
  "main.ts",
  "app",
  "api",
  "base",
  "cli",
  "ops",
  "page",
  "present",
  "reach",
  "server",
  "runtime",
];
/** The folders of separate programs, which the tasks of deno.json start. */
const BESIDE_PRODUCT = ["scoped", "release", "demo", "site"];

/**
 * Returns the source files of the product and of the separate programs, without the tests. The paths are relative to the
 * repository.
 */
export function sourceFiles(): string[] {
  return [...PRODUCT, ...BESIDE_PRODUCT].flatMap((name) => filesBelow(join(REPOSITORY, name)))
    .filter((path) => path.endsWith(".ts") || path.endsWith(".tsx"))
    .map((path) => relative(REPOSITORY, path))
    .sort();
}

export function filesBelow(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return [...Deno.readDirSync(path)].flatMap(({ name }) => filesBelow(join(path, name)));
}

/** An import statement or expression of a source file. */
export interface Import {
  from: string;
  /** The imported file relative to the repository, or a bare specifier. */
  to: string;
  typeOnly: boolean;
  dynamic: boolean;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/g;

/** Returns the imports of a file. */
export function importsOf(file: string): Import[] {
  const text = Deno.readTextFileSync(join(REPOSITORY, file));
  return [...text.matchAll(IMPORT)].map(([whole, typeOnly, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? "";
    return {
      from: file,
      to: specifier.startsWith(".") ? join(dirname(file), specifier) : specifier,
      // The compiler erases `import { type A, type B }` like `import type`.
      typeOnly: typeOnly !== undefined || onlyTypes(whole),
      dynamic: dynamic !== undefined,
    };
  });
}

function onlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/.exec(statement)?.[1]?.split(",").map((name) => name.trim())
    .filter((name) => name !== "");
  return names !== undefined && names.length > 0 && !/import\s+\w+\s*,/.test(statement) &&
    names.every((name) => name.startsWith("type "));
}

/** Returns Deno's cache folder. A test with a temporary home needs it, because tests download nothing. */
export function denoDirectory(): string {
  return Deno.env.get("DENO_DIR") ??
    join(Deno.env.get("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "deno");
}
