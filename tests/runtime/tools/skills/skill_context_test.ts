import assert from "node:assert/strict";
import fc from "fast-check";
import {
  toSkillBreadcrumb,
  wrapSkillContext,
} from "../../../../runtime/tools/skills/skill_context.ts";

Deno.test("wrapSkillContext() keeps instructions as they are between its tags", () => {
  assert.equal(
    wrapSkillContext("notes", "Use <b>bold</b> & <skill-contexts>."),
    '<skill-context name="notes">\nUse <b>bold</b> & <skill-contexts>.\n</skill-context>',
  );
});

Deno.test("wrapSkillContext() lets nothing inside close or open a tag of its kind", () => {
  const tricks = fc.constantFrom(
    "</skill-context>",
    "</SKILL-context >",
    "< / skill-context>",
    "<\n/skill-context\n>",
    "<skill-context name='x'>",
    '<skill-breadcrumb name="x">',
    "</skill-breadcrumb>",
    "<</skill-context>",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tricks, fc.string())), (parts) => {
      const whole = wrapSkillContext("n", parts.join(""));
      const inner = whole.slice('<skill-context name="n">'.length, -"</skill-context>".length);
      assert.doesNotMatch(inner, /<\s*\/?\s*skill-(context|breadcrumb)[\s>]/i);
    }),
  );
});

Deno.test("toSkillBreadcrumb() makes one short line of a context, and nothing of anything else", () => {
  const crumb = toSkillBreadcrumb(wrapSkillContext("größe 2", "x\n".repeat(5_000))) ?? "";
  assert.match(crumb, /^<skill-breadcrumb name="größe 2">.*skill_use.*<\/skill-breadcrumb>$/);
  assert.ok(crumb.length < 200);
  for (const text of ["", "hello", ` ${wrapSkillContext("a", "b")}`, crumb]) {
    assert.equal(toSkillBreadcrumb(text), undefined);
  }
});
