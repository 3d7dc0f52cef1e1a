import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { documents, withTables } from "./field_tables.ts";
import { parseCommandLine } from "../../cli/command_line/parse.ts";
import { PROGRAM } from "../../cli/program.ts";
import { parseCase } from "../../ops/testing/case_files.ts";
import { parseConfig } from "../../runtime/config/parse_config.ts";
import { NAMED_PROVIDERS } from "../../runtime/config/providers.ts";
import { parsePriceFile } from "../../runtime/models/price_file.ts";
import { parseServers } from "../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { splitShellWords } from "../../runtime/tools/skills/shell_words.ts";
import { parseSkillFile } from "../../runtime/tools/skills/skill_file.ts";
import { parse as parseAgentFile } from "../runtime/agents/parsed_file.ts";
import { REPOSITORY } from "../support/repository.ts";

const README = join(REPOSITORY, "README.md");

for (const path of documents()) {
  const name = path.slice(REPOSITORY.length + 1);
  Deno.test(`${name}: its tables match the schemas (deno task docs writes them)`, () => {
    const text = Deno.readTextFileSync(path);
    assert.equal(withoutLayout(text), withoutLayout(withTables(text)));
    // A place without an end would stay empty.
    assert.equal(text.match(/<!-- table: /g)?.length, text.match(/<!-- end -->/g)?.length);
  });
}

Deno.test("docs: every link leads to an existing file and heading", () => {
  for (const path of [README, ...documents()]) {
    const text = Deno.readTextFileSync(path);
    for (const [, file = "", heading] of text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      if (/^https?:/.test(file)) continue;
      const target = file === "" ? path : join(dirname(path), file);
      assert.ok(existsSync(target), `${path}: ${file}`);
      if (heading === undefined) continue;
      assert.ok(anchorsOf(target).includes(heading), `${path}: ${file}#${heading}`);
    }
  }
});

Deno.test("docs: table cells have at most 120 characters, sentences at most 35 words", () => {
  const offenders: string[] = [];
  for (const path of [README, ...documents()]) {
    const text = Deno.readTextFileSync(path).replaceAll(/```[\s\S]*?```/g, "");
    const name = path.slice(REPOSITORY.length + 1);
    for (const [row] of text.matchAll(/^\s*\|.*$/gm)) {
      const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim()).filter((cell) =>
        // Skips the dashes below a table's header.
        !/^:?-+:?$/.test(cell)
      );
      // The reference is exempt, because its cells contain the texts of the product's declarations.
      if (!name.startsWith("docs/reference/")) {
        offenders.push(
          ...cells.filter((cell) => cell.length > 120).map((cell) => `${name}: the cell ${cell}`),
        );
      }
    }
    const prose = text.replaceAll(/^\s*\|.*$/gm, "").replaceAll(/`[^`]*`/g, "code");
    for (const sentence of prose.split(/\n\n|\n\s*- |\n\d+\. |(?<=[.:;!?])\s+/)) {
      const words = sentence.trim().split(/\s+/).length;
      if (words > 35) offenders.push(`${name}: the sentence ${sentence.replaceAll(/\s+/g, " ")}`);
    }
  }
  assert.equal(offenders.join("\n"), "");
});

Deno.test("docs: the README links to the index, and the index to every document", () => {
  const folder = join(REPOSITORY, "docs");
  assert.ok(Deno.readTextFileSync(README).includes("(docs/index.md)"));
  const index = Deno.readTextFileSync(join(folder, "index.md"));
  for (const path of documents()) {
    const name = path.slice(folder.length + 1);
    assert.ok(name === "index.md" || index.includes(`(${name})`), name);
  }
});

Deno.test("docs: the table of models has a row for each named provider", () => {
  const text = Deno.readTextFileSync(join(REPOSITORY, "docs", "agent-files.md"));
  const rows = [...text.matchAll(/^\| `([a-z]+)` +\|.*_API_KEY|^\| `([a-z]+)` +\|.*\| none/gm)];
  const names = rows.map(([, withKey, keyless]) => withKey ?? keyless);
  assert.deepEqual(names.sort(), [...NAMED_PROVIDERS].sort());
});

/**
 * The product's parsers by language and name. Each returns the problems of an example. An example is valid if one parser of
 * its language returns none.
 */
const READERS: Record<string, Record<string, (text: string) => unknown[]>> = {
  markdown: {
    agent: (text) => problemsOf(parseAgentFile(text)),
    skill: (text) => problemsOf(parseSkillFile({ path: "SKILL.md", text }, "haiku")),
  },
  json: {
    servers: (text) => {
      const parsed = parseServers(text, "mcp-servers.json");
      return "problem" in parsed
        ? [parsed.problem]
        : [...parsed.servers.values()].flatMap((one) =>
          "problem" in one ? [one.problem] : one.warnings
        );
    },
  },
  yaml: {
    agent: (text) =>
      problemsOf(parseAgentFile(`---\nmodel: { provider: openai, name: b }\n${text}---\nGo.`)),
    config: readConfig,
    prices: (text) => [...parsePriceFile(text, "pricing.yaml").problems],
    channels: (text) => readConfig(`notify:\n${text.replaceAll(/^/gm, "  ")}`),
    test: (text) => problemsOf(parseCase(text, "case.yaml")),
    expectation: (text) => problemsOf(parseCase(`version: 1\nreplies: []\n${text}`, "case.yaml")),
  },
};

/** The beginnings of examples that no parser of the product reads, each with the reason. */
const OTHERS = [
  [/^---\nname: reviewer\n.*\ntools: Read,/, "a file of another tool"],
  [/^\{\n {2}"agent_servers":/, "settings of an editor"],
  [/^name: Agents\non: pull_request\n/, "a workflow of GitHub"],
  [/^#!\/bin\/sh\nexec sudo/, "compared with the unit by many_machines_test.ts"],
] as const;

/** Programs other than Inkling that the documents' commands start, each with the reason. */
const PROGRAMS: Readonly<Record<string, string>> = {
  curl: "http-api.md: needs the reader's own service",
  docker: "many-machines.md: needs Docker; the files are read by many_machines_test.ts",
  openssl: "many-machines.md: makes certificates of the reader's database",
  sudo: "many-machines.md, operations.md: needs the reader's PostgreSQL",
  pg_dump: "many-machines.md: needs the reader's PostgreSQL",
  pg_restore: "many-machines.md: needs the reader's PostgreSQL",
  sqlite3: "operations.md: copies the reader's history",
  useradd: "many-machines.md: needs root",
  install: "many-machines.md: needs root",
  systemctl: "many-machines.md: needs root",
  cat: "quick-start.md: run by quick_start_test.ts",
  echo: "quick-start.md: run by quick_start_test.ts",
  cp: "tools.md: needs the installed npm package",
};

Deno.test("docs: the product reads every example that is not listed as an exception", () => {
  const used = new Set<unknown>();
  const unread: unknown[] = [];
  for (const path of documents()) {
    for (const { language, text } of examplesIn(Deno.readTextFileSync(path))) {
      const other = OTHERS.find(([beginning]) => beginning.test(text));
      if (other !== undefined) used.add(other);
      else if (language === "sh") { for (const one of commandsIn(text)) checkCommand(one, path); }
      else {
        for (const part of alternativesIn(language, text)) {
          const tried = Object.entries(READERS[language] ?? {}).map((
            [name, read],
          ) => [name, read(part)]);
          if (tried.every(([, found]) => found?.length !== 0)) unread.push([path, part, ...tried]);
        }
      }
    }
  }
  assert.deepEqual(unread, []);
  assert.deepEqual(OTHERS.filter((one) => !used.has(one)), [], "listed, and not there");
  assert.deepEqual(
    Object.keys(PROGRAMS).filter((one) => !used.has(one)),
    [],
    "listed, and not there",
  );

  function checkCommand(line: string, path: string): void {
    const words = splitShellWords(line);
    if (words[0] === "inkling") parseCommandLine(PROGRAM, words.slice(1));
    else if (PROGRAMS[words[0] ?? ""] === undefined) unread.push([path, line]);
    used.add(words[0]);
  }
});

/** Returns the fenced examples in the checked languages, without the indentation of a surrounding list. */
function examplesIn(document: string): { language: string; text: string }[] {
  const fence = /^( *)(`{3,})(markdown|yaml|json|sh)\n([^]*?)^\1\2$/gm;
  return [...document.matchAll(fence)].map(([, indent = "", , language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/**
 * Returns the parts of a YAML example, one for each top-level key, if the example repeats a key. Otherwise returns the
 * whole text.
 */
function alternativesIn(language: string, text: string): string[] {
  const parts = language === "yaml"
    ? text.split(/^(?=[a-z_]+:)/m).filter((one) => /^[a-z]/.test(one))
    : [];
  return new Set(parts.map((one) => one.split(":")[0])).size < parts.length ? parts : [text];
}

/** Returns the commands of a shell example, without here-documents, comments and assignments. */
function commandsIn(text: string): string[] {
  return text.replaceAll(/<<'(\w+)'\n[^]*?^\1$/gm, "").replaceAll("\\\n", " ").split("\n")
    .map((line) =>
      line.replace(/ # .*$/, "").replace(/^\(umask 077; (.*)\)$/, "$1").replace(
        /^([A-Z_]+=\S* )+/,
        "",
      ).trim()
    )
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("export "));
}

function readConfig(text: string): unknown[] {
  const parsed = parseConfig(text, { path: "/config/config.yaml", home: "/home/me" });
  return "config" in parsed ? parsed.config.warnings : parsed.diagnostics;
}

function problemsOf(parsed: object): unknown[] {
  if ("diagnostics" in parsed) return parsed.diagnostics as unknown[];
  const { agent, warnings } = parsed as { agent?: { warnings: unknown[] }; warnings?: unknown[] };
  return agent?.warnings ?? warnings ?? [];
}

/** Returns the anchors of a document's headings, as GitHub derives them. */
function anchorsOf(path: string): string[] {
  return [...Deno.readTextFileSync(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}

/** Returns the text without the alignment and the line breaks that the formatter adds. */
function withoutLayout(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/\| -+(?= \|)/g, "| ---");
}
