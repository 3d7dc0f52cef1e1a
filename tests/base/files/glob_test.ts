// Tests of single glob patterns. proof/fuzz/targets/glob_target.ts compares random patterns with another library.
import assert from "node:assert/strict";
import { compileGlob } from "../../../base/files/glob.ts";

function matches(pattern: string, path: string, dot = false): boolean {
  const matcher = compileGlob(pattern, { dot });
  assert.ok(typeof matcher === "function", pattern);
  return matcher(path);
}

const CASES: readonly [pattern: string, yes: readonly string[], no: readonly string[]][] = [
  ["*.md", ["a.md", "ä b.md"], [".md", ".a.md", "a.txt", "x/a.md", "a.md.bak", ""]],
  ["**/*.md", ["a.md", "x/a.md", "x/y/a.md"], [".x/a.md", "x/.a.md", "x"]],
  ["a/**", ["a/b", "a/b/c"], ["a", "ab", "b/a", "a/.b"]],
  ["*/**", ["a/b"], ["a"]],
  ["**", ["a", "a/b"], [".a", ""]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "b", "a/x", "a/.x/b"]],
  [".*", [".a", ".git"], ["a", ".a/b"]],
  ["?.csv", ["1.csv", "🚀.csv"], ["12.csv", "..csv", ".csv"]],
  ["a**b", ["ab", "axxb"], ["a/b"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "-x", "x"]],
  ["[!a-c]x", ["dx", "-x"], ["ax", ".x"]],
  ["[]a]", ["]", "a"], ["[", "]a"]],
  ["[\\]a-]", ["]", "a", "-"], ["\\"]],
  ["[", ["["], ["a"]],
  ["[a/b]", ["[a/b]"], ["a", "/"]],
  ["{a,b*}.txt", ["a.txt", "bc.txt"], ["c.txt", "{a,b*}.txt"]],
  ["a{,/b}", ["a", "a/b"], ["a/", "ab"]],
  ["{x,y/{1,2}}/z", ["x/z", "y/1/z", "y/2/z"], ["y/z", "x/1/z"]],
  ["n{1..12}", ["n1", "n10", "n12"], ["n0", "n13", "n01"]],
  ["n{01..3}", ["n01", "n03"], ["n1"]],
  ["{c..a}", ["a", "b", "c"], ["d"]],
  ["{a}", ["{a}"], ["a"]],
  ["{a,b", ["{a,b"], ["a"]],
  ["\\{a,b\\}", ["{a,b}"], ["a"]],
  ["\\*", ["*"], ["a"]],
  ["a\\", ["a\\"], ["a"]],
  ["(a|a)+b", ["(a|a)+b"], ["ab", "aab"]],
  ["!(a)", ["!(a)"], ["b"]],
  ["./a", ["a"], ["./a"]],
];

Deno.test("compileGlob() matches like a shell", () => {
  for (const [pattern, yes, no] of CASES) {
    for (const path of yes) assert.ok(matches(pattern, path), `${pattern} over ${path}`);
    for (const path of no) assert.ok(!matches(pattern, path), `${pattern} over ${path}`);
  }
});

Deno.test("compileGlob() treats a leading dot like any other character with the option dot", () => {
  assert.ok(matches("*.md", ".a.md", true));
  assert.ok(matches("**/x", ".a/.b/x", true));
  assert.ok(!matches("**/x", ".a/x"));
});

Deno.test("compileGlob() is fast for patterns that are slow as regular expressions", () => {
  const name = "a".repeat(255);
  const path = Array(15).fill(name).join("/");
  for (
    const pattern of [
      "*a*a*a*a*a*a*a*a*b",
      `${"*a*a*a*a/".repeat(14)}*a*a*a*ab`,
      `${"**/*a/".repeat(100)}b`,
      `${"*".repeat(400)}b`,
      `${"{a,aa}".repeat(6)}*b`,
      "(a|a)+(a|aa)+b",
    ]
  ) assert.ok(!matches(pattern, pattern.includes("/") ? path : name), pattern);
});

Deno.test("compileGlob() refuses patterns that are too long or expand to too many patterns", () => {
  for (const pattern of ["{a,aa}".repeat(24), "{1..999999}", "{a,{b,c}}".repeat(5)]) {
    assert.deepEqual(compileGlob(pattern, { dot: false }), {
      reason: "is too complicated: its braces stand for more than 100 patterns",
    });
  }
  assert.deepEqual(compileGlob("a".repeat(1_001), { dot: false }), {
    reason: "is too complicated: it has more than 1000 characters",
  });
});
