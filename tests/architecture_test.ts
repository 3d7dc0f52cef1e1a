// Tests of the architecture: the allowed imports between rooms and folders, and the files that may use certain packages and
// globals.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { type Import, importsOf, REPOSITORY, sourceFiles } from "./support/repository.ts";

const FILES = sourceFiles();
const IMPORTS = FILES.flatMap(importsOf);
const text = (file: string) => Deno.readTextFileSync(join(REPOSITORY, file));

/**
 * The layers of the runtime's folders. A folder imports only folders of lower layers. The files at the root of runtime/
 * belong to layer 10.
 */
const RUNTIME_LAYERS: Readonly<Record<string, number>> = {
  vocabulary: 0,
  secrets: 1,
  service_log: 2,
  sandbox: 2,
  database: 2,
  audit: 3,
  folders: 3,
  people: 4,
  config: 3,
  agents: 4,
  mail: 4,
  events: 5,
  models: 5,
  prompt: 5,
  tools: 5,
  executions: 6,
  triggers: 6,
  notify: 7,
  replay: 7,
  storage: 8,
  telemetry: 8,
  permissions: 8,
  interface: 8.5,
  wiring: 9,
  // The files at the root of runtime/: mod.ts imports every folder.
  root: 10,
};
function layerOf(file: string): string {
  const [, folder, rest] = file.split("/");
  return rest === undefined ? "root" : folder ?? "root";
}

const isLocal = ({ to }: Import) =>
  /^(main\.ts|deno\.json|(app|api|base|cli|ops|page|present|reach|server|runtime|scoped|release|demo|site)\/)/
    .test(
      to,
    );

function offenders(rule: (one: Import) => boolean): string[] {
  return IMPORTS.filter(isLocal).filter(rule).map(({ from, to }) => `${from} -> ${to}`);
}

/** The runtime's vocabulary: the files whose values the API, the service and the page may use. */
const VOCABULARY =
  /^runtime\/(vocabulary\/[^/]+|interface\/runtime|config\/(time_zone|agent_settings)|events\/frame|executions\/states|triggers\/schedule\/slot_store)\.ts$/;
const CLIENT = /^api\/client\/(client|client_errors)\.ts$/;

/** The rooms whose values a room may import, and the further rooms whose types it may import. */
const ROOMS: Readonly<
  Record<string, { values: readonly RegExp[]; types?: readonly RegExp[] }>
> = {
  base: { values: [] },
  runtime: { values: [/^base\//] },
  ops: { values: [/^(base|runtime)\//] },
  api: { values: [/^base\//, VOCABULARY], types: [/^runtime\//] },
  reach: { values: [/^(base|present)\//, CLIENT, VOCABULARY], types: [/^(api|runtime)\//] },
  server: { values: [/^(base|api|reach)\//, VOCABULARY], types: [/^runtime\//] },
  present: {
    values: [/^base\//, /^api\/client\/client\.ts$/, /^runtime\/vocabulary\/trigger_kinds\.ts$/],
    types: [/^api\/schemas\//],
  },
  page: { values: [/^(base|present)\//, CLIENT, VOCABULARY], types: [/^api\//] },
  cli: {
    values: [
      /^(base|present|reach)\//,
      CLIENT,
      /^runtime\/vocabulary\/(trigger_kinds|rights|audit_actions|sign_in_names|budget_periods)\.ts$/,
    ],
    types: [
      /^(api|ops|server\/ui)\//,
      /^runtime\/(config\/service_defaults|permissions\/derive_flags|storage\/history\/move_history|wiring\/message_channels)\.ts$/,
    ],
  },
  app: { values: [/^(base|runtime|ops|api|server|cli|reach)\//, /^deno\.json$/] },
  // The executable is also the host of custom tools: main.ts starts the host before it loads other modules.
  "main.ts": {
    values: [/^(app|cli|base)\//, /^deno\.json$/, /^runtime\/tools\/custom\/host\/run_host\.ts$/],
  },
  // Separate programs beside the product. `scoped` derives the flags of `start` from its settings, `release` packs the
  // product's files, and `demo` starts the product.
  scoped: {
    values: [
      /^cli\/(self_command\.ts|command_line\/|declarations\/)/,
      /^(app\/settings\.ts|runtime\/permissions\/|base\/files\/descriptor_link\.ts$)/,
    ],
  },
  release: {
    values: [/^(cli\/(self_command|update\/(release_address|minisign))\.ts|(page\/)?deno\.json)$/],
  },
  demo: { values: [/^cli\/self_command\.ts$/] },
  // The documentation site: it reads docs/ and no code.
  site: { values: [] },
};

const roomOf = (path: string) => path.split("/")[0] ?? "";

/** The import rules. Each function returns true for an import that breaks the rule. */
const FORBIDDEN: Readonly<Record<string, (one: Import) => boolean>> = {
  "rooms import only the rooms below them": ({ from, to, typeOnly }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === other) return false;
    const { values, types = [] } = ROOMS[room] ?? { values: [] };
    return ![...values, ...typeOnly ? types : []].some((allowed) => allowed.test(to));
  },
  "inside runtime, a folder imports only folders of lower layers": ({ from, to }) => {
    if (roomOf(from) !== "runtime" || roomOf(to) !== "runtime") return false;
    const [a, b] = [layerOf(from), layerOf(to)];
    // Folders of one layer do not import each other.
    return a !== b && (RUNTIME_LAYERS[a] ?? -1) <= (RUNTIME_LAYERS[b] ?? 99);
  },
};

for (const [rule, isForbidden] of Object.entries(FORBIDDEN)) {
  Deno.test(`imports: ${rule}`, () => assert.deepEqual(offenders(isForbidden), []));
}

Deno.test("imports: every folder of runtime has a layer, and every listed file exists", () => {
  const inRuntime = FILES.filter((file) => roomOf(file) === "runtime");
  assert.deepEqual(new Set(inRuntime.map(layerOf)), new Set(Object.keys(RUNTIME_LAYERS)));
});

Deno.test("imports: adapters, the price table and the database driver are loaded lazily", () => {
  const late = [
    ...["@pydantic/genai-prices", "pg"],
    ...FILES.filter((file) => /new ProviderModel\(/.test(text(file))),
    ...["runtime/models/demo/demo.ts", "runtime/models/calls/model_supply.ts"],
    ...["runtime/tools/mcp/open_session.ts", "runtime/tools/mcp/mcp_servers.ts"],
    ...["server/routes/mcp.ts", "reach/mcp/stdio.ts", "server/openid/openid_sign_in.ts"],
    ...["runtime/tools/skills/skills.ts", "runtime/tools/custom/custom_tools.ts"],
    ...["runtime/triggers/watch/watcher.ts", "runtime/telemetry/open_telemetry.ts"],
    ...["runtime/executions/loop/loop.ts", "runtime/executions/loop/prepare.ts"],
  ];
  const loads = IMPORTS.filter(({ to, typeOnly }) => !typeOnly && late.includes(to));
  assert.deepEqual(new Set(loads.map(({ to }) => to)), new Set(late));
  assert.deepEqual(loads.filter(({ dynamic }) => !dynamic), []);
});

Deno.test("imports: the service loads late modules through lazyModule()", () => {
  assert.deepEqual(
    FILES.filter((file) =>
      /^(api|base|ops|runtime|server)\//.test(file) &&
      /(await|return) import\(/.test(text(file))
    ),
    [
      // This file loads a package before the first request.
      "runtime/config/files/yaml_library.ts",
      // These files run in separate processes.
      "runtime/tools/custom/host/run_host.ts",
      "runtime/tools/custom/host/tool_worker.ts",
    ],
  );
});

Deno.test("imports: adapters are opened only through paid_model.ts, which requires a CallBilling", () => {
  const ADAPTERS = "runtime/models/providers/adapters.ts";
  const DOOR = "runtime/models/calls/paid_model.ts";
  const importersOf = (path: string) =>
    IMPORTS.filter(({ to, typeOnly }) => !typeOnly && to === path).map(({ from }) => from);
  // Only adapters.ts imports the adapters, and only paid_model.ts imports adapters.ts.
  for (const { to } of IMPORTS.filter(({ from, dynamic }) => from === ADAPTERS && dynamic)) {
    assert.deepEqual(importersOf(to), [ADAPTERS], to);
  }
  assert.deepEqual(importersOf(ADAPTERS), [DOOR]);
  assert.match(text(DOOR), /return \(billing\) => withBilling\(adapter, billing\);/);
  // The files that open paid models, call models, or decide about money. Review each new entry.
  assert.deepEqual(importersOf(DOOR).sort(), [
    "runtime/models/calls/model_supply.ts",
    "runtime/models/calls/resolve.ts",
  ]);
  const sources = FILES.filter((file) => /^(app|api|cli|ops|runtime|scoped|server)\//.test(file));
  const having = (what: RegExp) => sources.filter((file) => what.test(withoutComments(text(file))));
  assert.deepEqual(having(/\.generate\(/), [
    "ops/authoring/agent_draft.ts",
    "ops/setup/model_trial.ts",
    "ops/testing/judge.ts",
    "runtime/executions/loop/turn.ts",
    "runtime/models/calls/fallback.ts",
    "runtime/models/calls/retry.ts",
    "runtime/models/calls/spending.ts",
  ]);
  assert.deepEqual(having(/implements SpendingGate|: SpendingGate = /), [
    "runtime/executions/budget/budget_gate.ts",
  ]);
  assert.deepEqual(having(/new BudgetGate\(/), [
    "runtime/wiring/open_parts.ts",
    "runtime/wiring/workspace_billing.ts",
  ]);
});

Deno.test("imports: no cycles", () => {
  const edges = new Map<string, string[]>();
  for (const { from, to } of IMPORTS.filter(isLocal)) {
    edges.set(from, [...edges.get(from) ?? [], to]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `a cycle: ${[...path, file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
});

Deno.test("imports: no two folders import each other", () => {
  const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");
  const pairs = new Set(
    IMPORTS.filter(isLocal).map(({ from, to }) => `${folderOf(from)} -> ${folderOf(to)}`),
  );
  const mutual = [...pairs].filter((pair) => {
    const [from = "", to = ""] = pair.split(" -> ");
    return from !== to && pairs.has(`${to} -> ${from}`);
  });
  assert.deepEqual(mutual, []);
});

Deno.test("imports: every package is pinned, is used, and has one version in both import maps", () => {
  const product = JSON.parse(text("deno.json")).imports as Record<string, string>;
  const tests = JSON.parse(text("tests/deno.json")).imports as Record<string, string>;
  for (const [name, version] of Object.entries(product)) {
    assert.equal(tests[name], version, `${name} differs in tests/deno.json`);
    assert.match(version, /^npm:.+@\d+\.\d+\.\d+$/, `${name} is not pinned`);
  }
  const bare = new Set(
    IMPORTS.filter((one) =>
      !isLocal(one) && !isOfPage(one) && roomOf(one.from) !== "site" && one.from !== BUNDLER
    ).map((
      { to },
    ) => to),
  );
  for (const name of bare) {
    const known = name.startsWith("node:") ||
      Object.keys(product).some((one) => name === one || name.startsWith(`${one}/`));
    assert.ok(known, `${name} is not in deno.json`);
  }
  for (const name of Object.keys(product)) {
    const used = [...bare].some((one) => one === name || one.startsWith(`${name}/`));
    assert.ok(used, `${name} stands in deno.json and nothing uses it`);
  }
});

/** The file that uses the bundler. The bundler is not part of the product, so its package is only in tests/deno.json. */
const BUNDLER = "release/bundle.ts";

/** The browser page is a separate program: it is bundled, and the service never loads its packages. */
const isOfPage = ({ from }: Import) => roomOf(from) === "page";

Deno.test("imports: the page's packages are pinned, used, and have the product's versions", () => {
  const own = JSON.parse(text("page/deno.json")).imports as Record<string, string>;
  const product = JSON.parse(text("deno.json")).imports as Record<string, string>;
  const bare = IMPORTS.filter((one) => isOfPage(one) && !isLocal(one)).map(({ to }) => to);
  for (const [name, version] of Object.entries(own)) {
    assert.match(version, /^npm:.+@\d+\.\d+\.\d+$/, `${name} is not pinned`);
    assert.equal(version, product[name] ?? version, `${name} differs from the product's`);
    // The page imports the API's types, and their modules import yaml and zod.
    const used = ["yaml", "zod"].includes(name) ||
      bare.some((one) => one === name || one.startsWith(`${name}/`));
    assert.ok(used, `${name} stands in page/deno.json and nothing uses it`);
  }
  const strange = bare.filter((one) => !Object.keys(own).includes(packageOf(one)));
  assert.deepEqual(strange, []);
});

function packageOf(path: string): string {
  return path.split("/", path.startsWith("@") ? 2 : 1).join("/");
}

Deno.test("imports: the site's packages are pinned, used, and have the product's versions", () => {
  const own = JSON.parse(text("site/deno.json")).imports as Record<string, string>;
  const product = JSON.parse(text("deno.json")).imports as Record<string, string>;
  const bare = IMPORTS.filter(({ from, to }) =>
    roomOf(from) === "site" && !to.startsWith("node:") && !isLocal({ to } as Import)
  ).map(({ to }) => to);
  assert.deepEqual(new Set(bare), new Set(Object.keys(own)));
  for (const [name, version] of Object.entries(own)) {
    assert.match(version, /^npm:.+@\d+\.\d+\.\d+$/, `${name} is not pinned`);
    assert.equal(version, product[name] ?? version, `${name} differs from the product's`);
  }
});

/** The files that may use a package or a global: `what` matches the use, `where` the allowed files. */
const RESERVED: readonly { what: RegExp; where: RegExp }[] = [
  { what: /"node:sqlite"/, where: /^runtime\/storage\// },
  { what: /"hono(\/|")/, where: /^server\// },
  { what: /"@opentelemetry\//, where: /^runtime\/telemetry\// },
  {
    what: /\bDeno\.(exit|args)\b/,
    where:
      /^((main|app\/service_life|runtime\/tools\/custom\/host\/host_main)\.ts$|(scoped|release|demo|site)\/)/,
  },
  {
    what: /\bDeno\.env\b/,
    where:
      /^(main\.ts|app\/|runtime\/(config\/|tools\/custom\/host\/host_main)|release\/sign\.ts|api\/client\/http_client\.ts)/,
  },
  {
    what: /\bconsole\.|Deno\.(stdout|stderr)\.write/,
    where: /^(main\.ts$|(cli\/output|scoped|release|demo|site)\/)/,
  },
  {
    what: /\bDate\.now\(|new Date\(\)|\bsetTimeout\(/,
    // The files that may read the time: the clock; the log, which prints the machine's time; file_stamp.ts, which compares
    // with times of the file system; and a script of the site, which runs in a browser.
    where:
      /^(base\/clock|runtime\/service_log\/log_file|runtime\/config\/files\/file_stamp|site\/client\/copy)\.ts$/,
  },
  // The bundle has no source tree. So one file resolves the product's own paths, and deno.json is imported as a module. The
  // bundler must find every worker and late import except a user's tool. It replaces yaml_library.ts.
  {
    what: /import\.meta(?!\.main)\b/,
    where:
      /^((base\/(free_descriptors|program_files)|runtime\/config\/files\/yaml_library)\.ts$|(release|demo|site)\/)/,
  },
  {
    what: /\b(Deno|process)\.cwd\(/,
    where: /^(base\/plain_path|app\/app|scoped\/start)\.ts$/,
  },
  {
    what: /deno\.(json|lock)/,
    where: /^(main|base\/program_files|runtime\/tools\/mcp\/server_sandbox)\.ts$|^(release|site)\//,
  },
  { what: /\bDeno\.Command\b/, where: /^(base\/programs|scoped|release|demo|site)\// },
  {
    what: /\bnew (Worker|Thread)\(/,
    where: /^runtime\/tools\/(custom\/host\/(confined|script)_worker|search\/search_helper)\.ts$/,
  },
  {
    // A dynamic import without a string literal. `(?!["?])` skips regular expressions that search for imports.
    what: /(?<![\w.])import\(\s*(?!["?])\S/,
    where:
      /^(runtime\/(tools\/custom\/host\/tool_worker|config\/files\/yaml_library)|page\/state\/load_editor)\.ts$/,
  },
];

for (const { what, where } of RESERVED) {
  Deno.test(`source: ${what.source} occurs only in ${where.source}`, () => {
    assert.deepEqual(
      FILES.filter((file) => !where.test(file) && what.test(withoutComments(text(file)))),
      [],
    );
  });
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}

Deno.test("source: every file begins with a comment, has at most 300 lines, and uses no `any`", () => {
  for (const file of FILES) {
    const source = text(file);
    assert.match(source, /^(#!.*\n)?\/\/ \S/, `${file} does not say what it owns`);
    assert.ok(source.split("\n").length <= 301, `${file} has more than 300 lines`);
    assert.doesNotMatch(withoutComments(source), /:\s*any\b|\bas any\b|<any>/, `${file} uses any`);
    assert.doesNotMatch(source, /TODO|FIXME|@ts-ignore/, `${file} is unfinished`);
  }
});

Deno.test("source: file names are specific nouns in snake_case", () => {
  for (const file of FILES) {
    const name = file.split("/").at(-1) ?? "";
    assert.match(name, /^[a-z0-9_]+\.tsx?$/, file);
    assert.doesNotMatch(name, /^(utils?|helpers?|common|types|manager|service|handler)\./, file);
  }
});

Deno.test("source: no folder has more than 25 entries", () => {
  const crowded: string[] = [];
  const visit = (folder: string): void => {
    const entries = [...Deno.readDirSync(join(REPOSITORY, folder))];
    if (entries.length > 25) crowded.push(`${folder}: ${entries.length}`);
    for (const { name, isDirectory } of entries) if (isDirectory) visit(`${folder}/${name}`);
  };
  ["app", "api", "base", "cli", "ops", "page", "present", "reach", "server", "runtime"].forEach(
    visit,
  );
  ["scoped", "release", "demo", "site"].forEach(visit);
  ["tests", "proof", "docs", "examples"].forEach(visit);
  assert.deepEqual(crowded, []);
});

Deno.test("permissions: the tasks, main.ts and the self-start use the same flags, never -A", () => {
  const { tasks } = JSON.parse(text("deno.json")) as {
    tasks: Record<string, { command: string; description: string }>;
  };
  const flags = PERMISSION_FLAGS.join(" ");
  assert.ok(tasks["inkling"]?.command.includes(`deno run --quiet ${flags} main.ts`));
  assert.ok(tasks["start"]?.command.includes(`deno run --quiet ${flags} main.ts start`));
  assert.ok(text("main.ts").startsWith(`#!/usr/bin/env -S deno run --quiet ${flags}\n`));
  for (const [name, { command, description }] of Object.entries(tasks)) {
    assert.ok(description.length > 0, `${name} has no description`);
    assert.doesNotMatch(command, / -A\b|--allow-all|--allow-ffi/, name);
  }
});
