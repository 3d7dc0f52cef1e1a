import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { documents, withTables } from "./field_tables.ts";
import { REPOSITORY } from "../support/repository.ts";

const README = join(REPOSITORY, "README.md");

for (const path of documents()) {
  const name = path.slice(REPOSITORY.length + 1);
  Deno.test(`${name}: its tables match the schemas (deno task docs writes them)`, () => {
    const text = Deno.readTextFileSync(path);
    assert.equal(withoutLayout(text), withoutLayout(withTables(text)));
  });
}

Deno.test("docs: every link leads to a file, and to a heading in it", () => {
  for (const path of [README, ...documents()]) {
    const text = Deno.readTextFileSync(path);
    for (const [, file = "", heading] of text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      if (/^https?:/.test(file)) continue;
      const target = file === "" ? path : join(dirname(path), file);
      assert.ok(exists(target), `${path}: ${file}`);
      if (heading === undefined) continue;
      assert.ok(anchorsOf(target).includes(heading), `${path}: ${file}#${heading}`);
    }
  }
});

Deno.test("docs: the README links to each of them", () => {
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

/** The anchors of a document's headings, as GitHub derives them. */
function anchorsOf(path: string): string[] {
  return [...Deno.readTextFileSync(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}

/** The text without the alignment that the formatter adds. */
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
