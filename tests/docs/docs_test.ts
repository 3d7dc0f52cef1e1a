import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { documents, withTables } from "./field_tables.ts";
import { REPOSITORY } from "../support/repository.ts";

const README = join(REPOSITORY, "README.md");

for (const path of documents()) {
  const name = path.slice(REPOSITORY.length + 1);
  Deno.test(`${name}: its tables are the ones that the schemas give (deno task docs writes them)`, () => {
    const text = Deno.readTextFileSync(path);
    assert.equal(withoutLayout(text), withoutLayout(withTables(text)));
  });
}

Deno.test("docs: every link to a file leads somewhere", () => {
  for (const path of [README, ...documents()]) {
    const text = Deno.readTextFileSync(path);
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue;
      assert.ok(exists(join(dirname(path), target)), `${path}: ${target}`);
    }
  }
});

Deno.test("docs: the README leads to each of them", () => {
  const readme = Deno.readTextFileSync(README);
  for (const path of documents()) {
    const name = path.slice(REPOSITORY.length + 1);
    assert.ok(readme.includes(`(${name})`), name);
  }
});

Deno.test("docs: every agent field that is shown in an example exists", async () => {
  const { definitionSchema } = await import("../../runtime/agents/definition.ts");
  const text = Deno.readTextFileSync(join(REPOSITORY, "docs/agent-files.md"));
  const example = /```markdown\n---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? "";
  const { parse } = await import("yaml");
  const result = definitionSchema.strict().safeParse(parse(example));
  assert.ok(result.success, JSON.stringify(result.error?.issues));
});

/** What the formatter lines up counts as equal. */
function withoutLayout(text: string): string {
  return text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
