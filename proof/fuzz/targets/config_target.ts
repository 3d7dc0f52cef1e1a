// Fuzzes the readers of config.yaml and of the environment files with keys.
import assert from "node:assert/strict";
import { parseEnvironment } from "../../../runtime/config/files/environment_text.ts";
import fc from "fast-check";
import { EnvironmentFiles } from "../../../runtime/config/files/environment_files.ts";
import {
  EnvironmentFileNotEditable,
  setVariable,
} from "../../../runtime/config/files/environment_file_edit.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import { anyText } from "../odd_text.ts";
import { defineTarget } from "../target.ts";
import { yamlText } from "../yaml_text.ts";
import { textOf } from "../../../tests/support/any_text.ts";

const KEYS = [
  ...[
    "workspace",
    "agents_dir",
    "defaults",
    "http",
    "provider",
    "model",
    "confirm_tools",
    "on_pending",
  ],
  ...[
    "confirm_timeout",
    "checkpoint_retention_days",
    "temperature",
    "max_tokens",
    "timeout",
    "history",
  ],
  ...[
    "allow",
    "deny",
    "hosts",
    "origins",
    "pin_keys",
    "sandbox",
    "max_concurrent_runs",
    "log_retention_days",
  ],
  ...["database", "database_connections", "node", "name", "labels", "runs"],
];

export const configFiles = defineTarget({
  name: "config-files",
  claim: "config.yaml gives a configuration, or every problem with its place; never an exception",
  cases: () =>
    fc.tuple(fc.oneof(yamlText(KEYS), anyText), fc.constantFrom("\n", "\r\n"))
      .map(([text, end]) => text.replaceAll("\n", end)),
  check(text) {
    const result = parseConfig(text, { path: "/config/config.yaml", home: "/home/me" });
    const found = "config" in result ? result.config.warnings : result.diagnostics;
    if ("diagnostics" in result) assert.ok(found.some(({ severity }) => severity === "error"));
    const lines = text.split(/\r\n|\n|\r/).length;
    for (const { line, column, message } of found) {
      assert.ok(
        line >= 1 && line <= lines + 1 && column >= 1,
        `line ${line} of ${lines}: ${message}`,
      );
      assert.ok(message !== "" && !/\p{Cc}/u.test(message), JSON.stringify(message));
    }
    if ("config" in result) assert.ok(result.config.workspace.startsWith("/"));
  },
});

const envLine = fc.oneof(
  fc.string({ unit: "grapheme-ascii" }),
  fc.tuple(
    fc.constantFrom("A_KEY", "B", "export C", "A_KEY ", "D_TOKEN"),
    fc.string({ unit: "grapheme-ascii" }),
  )
    .map(([name, value]) => `${name}=${value}`),
  textOf(["A_KEY", "=", "'", '"', "`", "#", " ", "\\n", "${B}", "export ", "\r", "\0", "é"], {
    maxLength: 8,
  }),
);
const envText = fc.array(envLine, { maxLength: 6 }).map((lines) => lines.join("\n"));

interface EnvFolder {
  file: string;
}

export const environmentFiles = defineTarget<[string | Uint8Array, string], EnvFolder>({
  name: "environment-files",
  claim:
    "an environment file gives variables or a problem that repeats no value; an edit changes only its variable",
  async open() {
    const folder = await Deno.makeTempDir({ prefix: "inkling-fuzz-" });
    return {
      file: `${folder}/.env`,
      [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
    };
  },
  cases: () =>
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: envText },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
      ),
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 24 }).filter((value) =>
        !value.includes(" ")
      ),
    ),
  async check([content, value], { file }) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(file, bytes);
    const files = new EnvironmentFiles({ files: [file], shell: {} });
    const secrets = files.secrets();
    for (const secret of secrets) assert.ok(secret.value.length >= 8);
    for (const { message } of files.problems()) {
      for (const secret of secrets) {
        assert.ok(!message.includes(secret.value), "a value is repeated");
      }
    }
    if (typeof content !== "string") return;
    let edited: string;
    try {
      edited = setVariable(content, { name: "A_KEY", value }, { path: file });
    } catch (error) {
      assert.ok(error instanceof EnvironmentFileNotEditable, String(error));
      return;
    }
    assert.deepEqual(parseEnvironment(edited), { ...parseEnvironment(content), A_KEY: value });
  },
});
