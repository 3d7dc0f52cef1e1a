// Tests docs/many-machines.md and its files: the product's parsers read each example, and its numbers are those of the
// code.
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { parseConfig } from "../../runtime/config/parse_config.ts";
import { readDatabaseSettings } from "../../runtime/config/database_settings.ts";
import { QUEUE_OPTIONS } from "../../runtime/storage/postgres/pg_boss.ts";
import { toSystemdUnit } from "../../cli/service/units/systemd_unit.ts";
import { STOP_SECONDS } from "../../cli/service/units/unit.ts";
import { readUnit } from "../cli/service/units/unit_reader.ts";
import { parse as parseAgentFile } from "../runtime/agents/parsed_file.ts";
import { REPOSITORY } from "../support/repository.ts";
import { createTempDir } from "../support/temp_dir.ts";

const PAGE = Deno.readTextFileSync(join(REPOSITORY, "docs/many-machines.md"));
const EXAMPLES = join(REPOSITORY, "docs/examples/many-machines");

function blocksOf(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))]
    .map(([, text = ""]) => text);
}

function example(name: string): string {
  return Deno.readTextFileSync(join(EXAMPLES, name));
}

/** Parses the config.yaml of a node, which must have no unknown or ineffective keys. */
function nodeOf(text: string) {
  const result = parseConfig(text, { path: "/config/config.yaml", home: "/home/me" });
  assert.ok("config" in result, JSON.stringify(result));
  assert.deepEqual(result.config.warnings, [], text);
  const { config } = result;
  const database = readDatabaseSettings(config, { variable: undefined });
  assert.ok(database, text);
  return { config, database };
}

Deno.test("docs/many-machines.md: each config.yaml sets up a node of the same database", () => {
  const nodes = blocksOf("yaml").map(nodeOf);
  assert.deepEqual(
    nodes.map(({ database: { node: { name, labels, runs } } }) => [name, labels, runs]),
    [["alpha", [], 100], ["beta", [], 100], ["gamma", ["gpu"], 4]],
  );
  const shared = nodes.map(({ config, database }) => [
    ...[config.workspace, config.publicUrl, database.address, database.connections],
  ]);
  assert.deepEqual(shared, nodes.map(() => shared[0]));
});

Deno.test("docs/many-machines.md: its agent requires the label of a node", () => {
  const [text = "", ...more] = blocksOf("markdown");
  assert.deepEqual(more, []);
  const parsed = parseAgentFile(text);
  assert.ok("agent" in parsed, JSON.stringify(parsed));
  assert.deepEqual(parsed.agent.nodes, ["gpu"]);
});

Deno.test("docs/many-machines.md: its numbers are those of the queue and of config.yaml", () => {
  const page = PAGE.replaceAll(/\s+/g, " ");
  const { database } = nodeOf("database: postgres://inkling@db.example/inkling");
  const seconds = QUEUE_OPTIONS.heartbeatSeconds;
  assert.ok(page.includes(`the lease on its runs expires after ${seconds} seconds`));
  assert.ok(page.includes(`After ${seconds} seconds without a sign of life`));
  assert.equal(QUEUE_OPTIONS.deleteAfterSeconds, 3_600);
  assert.ok(page.includes("Jobs of the queue are removed an hour after their end"));
  assert.ok(page.includes(`\`database_connections\` (${database.connections}), and 4 more`));
  assert.ok(page.includes(`\`node.runs\` (${database.node.runs})`));
});

Deno.test("docs: a database is created in UTF-8, whatever the cluster's encoding is", () => {
  const commands = ["many-machines", "operations"].flatMap((name) =>
    Deno.readTextFileSync(join(REPOSITORY, `docs/${name}.md`)).match(/^.*createdb .*$/gm) ?? []
  );
  assert.equal(commands.length, 2);
  for (const command of commands) {
    assert.match(command, /--owner=inkling --encoding=UTF8 --template=template0 inkling$/);
  }
});

/** The part of a compose file that this test reads. */
interface Compose {
  services: Record<string, {
    hostname?: string;
    environment?: Record<string, string>;
    configs?: { source: string; target: string }[];
    volumes?: string[];
    depends_on?: Record<string, { condition: string }>;
    image?: string;
    healthcheck?: { test: unknown[] };
    stop_grace_period?: string;
  }>;
  configs: Record<string, { content: string }>;
  volumes: Record<string, null>;
}

Deno.test("docs/examples: the compose file is consistent, and each node's config.yaml parses", () => {
  const { services, configs, volumes } = parse(example("compose.yaml"), { merge: true }) as Compose;
  const nodes = ["alpha", "beta", "gamma"];
  assert.deepEqual(Object.keys(services), ["postgres", ...nodes, "proxy"]);
  for (const service of Object.values(services)) {
    for (const name of Object.keys(service.depends_on ?? {})) {
      // The image of the nodes has a health check.
      const { healthcheck, image } = services[name] ?? {};
      assert.ok(healthcheck ?? image === "inkling", `${name} says when it is healthy`);
    }
    for (const volume of service.volumes ?? []) {
      const [from = ""] = volume.split(":");
      assert.ok(from.startsWith("./") || from in volumes, volume);
    }
    for (const word of service.healthcheck?.test ?? []) assert.equal(typeof word, "string");
  }
  for (const name of nodes) {
    const { hostname, configs: [config] = [], environment = {}, volumes: mounts = [], ...rest } =
      services[name] ?? {};
    assert.equal(hostname, name, "each node has a name of its own");
    assert.equal(config?.target, "/config/config.yaml");
    const { config: { workspace }, database } = nodeOf(configs[config.source]?.content ?? "");
    assert.ok(mounts.includes(`./workspace:${workspace}`), "all have one workspace");
    assert.ok(mounts.includes(`${name}:/state`), "each has a state folder of its own");
    const { hostname: host, username, pathname } = new URL(database.address);
    assert.ok(host in services, host);
    assert.deepEqual([username, pathname], ["inkling", "/inkling"]);
    assert.equal(
      environment["PGPASSWORD"],
      services["postgres"]?.environment?.["POSTGRES_PASSWORD"],
    );
    assert.equal(rest.stop_grace_period, `${STOP_SECONDS}s`);
    assert.match(example("nginx.conf"), new RegExp(`server ${name}:8420 `));
  }
});

Deno.test("docs/examples: the unit restarts a node during any outage of its database", async (t) => {
  const text = example("inkling.service");
  const unit = readUnit(text);
  const [program = "", ...args] = unit.values("Service", "ExecStart").join().split(" ");
  assert.deepEqual(args, ["start", "--keep-alive", "--port", "8420", "--host", "0.0.0.0"]);
  assert.deepEqual(unit.values("Unit", "StartLimitIntervalSec"), ["0"]);
  // systemd does not retry a start whose requirement failed.
  for (const name of ["Requires", "RequiresMountsFor", "BindsTo"]) {
    assert.deepEqual(unit.values("Unit", name), [], name);
  }
  assert.deepEqual(unit.values("Service", "Restart"), ["on-failure"]);
  const [first = ""] = blocksOf("yaml");
  assert.deepEqual(unit.values("Service", "ExecStartPre"), [
    `/usr/bin/test -d ${nodeOf(first).config.workspace}/agents`,
  ]);
  // The commands in the document use the same folders as the unit.
  const wrapper = blocksOf("sh").find((block) => block.startsWith("#!/bin/sh")) ?? "";
  const [folders = ""] = unit.values("Service", "Environment");
  assert.ok(wrapper.includes(`sudo -u ${unit.values("Service", "User").join()} env ${folders} `));
  assert.deepEqual(unit.values("Service", "TimeoutStopSec"), [`${STOP_SECONDS}`]);
  // The document states the unit's start limit, and shows a line that switches off the limit.
  assert.match(PAGE.replaceAll(/\s+/g, " "), /gives up after five such starts within five minutes/);
  const printed = readUnit(toSystemdUnit({
    ...{ printCommand: "", command: ["/usr/bin/inkling"], environment: {} },
    ...{
      environmentFile: "/service.env",
      serviceKeyFile: "/.env",
      logFile: "/inkling.log",
      keysFile: "/.env",
    },
  }));
  assert.deepEqual(printed.values("Unit", "StartLimitBurst"), ["5"]);
  assert.deepEqual(printed.values("Unit", "StartLimitIntervalSec"), ["300"]);
  const [added = ""] = blocksOf("ini");
  assert.deepEqual(readUnit(added).values("Unit", "StartLimitIntervalSec"), ["0"]);
  const analyze = "/usr/bin/systemd-analyze";
  const isHere = await Deno.stat(analyze).then(() => true, () => false);
  await t.step({
    name: "docs/examples: systemd accepts the unit",
    ignore: !isHere,
    async fn() {
      await using folder = await createTempDir();
      const path = join(folder.path, "inkling.service");
      // The path of a program that exists, because systemd-analyze checks it.
      await Deno.writeTextFile(path, text.replaceAll(program, Deno.execPath()));
      const { code, stderr } = await new Deno.Command(analyze, { args: ["verify", path] }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    },
  });
});
