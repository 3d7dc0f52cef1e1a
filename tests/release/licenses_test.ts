// Tests of the list of third-party works and their license texts.
import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import { REPOSITORY } from "../support/repository.ts";

const LIST = await Deno.readTextFile(join(REPOSITORY, "THIRD_PARTY_LICENSES.txt"));

Deno.test("THIRD_PARTY_LICENSES.txt names each package's version and permissive license", () => {
  const [, packages = ""] = /\nPACKAGES\n\n([\s\S]*?)\n\n/.exec(LIST) ?? [];
  const lines = packages.split("\n");
  for (const [name, pinned] of Object.entries(denoJson.imports)) {
    const title = `${name} ${pinned.split("@").at(-1)}: `;
    assert.ok(lines.some((line) => line.startsWith(title)), title);
  }
  assert.ok(
    lines.length > Object.keys(denoJson.imports).length,
    "what packages need in turn is there",
  );
  const permissive =
    /: \(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense)( |;|$)/;
  assert.deepEqual(lines.filter((line) => !permissive.test(line)), []);
});

Deno.test("THIRD_PARTY_LICENSES.txt contains the texts of packages, of assets and of Deno", () => {
  for (
    const [of, words] of [
      ["zod", "Copyright (c) 2025 Colin McDonnell"],
      ["swagger-ui", "Apache License"],
      ["redoc", "Rebilly"],
      ["Deno", "the Deno authors"],
    ] as const
  ) {
    assert.ok(LIST.includes(words), of);
  }
});
