import assert from "node:assert/strict";
import fc from "fast-check";
import {
  findDenied,
  isAllowed,
  parsePattern,
  proposePatterns,
  readCommands,
} from "../../../../runtime/agents/approval/command_patterns.ts";

const patterns = (...texts: string[]) =>
  texts.map((text) => parsePattern(text) ?? assert.fail(`no pattern: ${text}`));

Deno.test("isAllowed() compares the words of each command with the patterns", () => {
  const allow = patterns("git log *", "npm test", "head *", "'my tool' *");
  const allowed = [
    ...["git log", "git log -3", "  git  log\t--oneline  ", "npm test", "npm test;"],
    ...["git log | head -5", "git log && npm test || npm test", "git log\nnpm test\n"],
    ...["git log &&\nnpm test", "g'i't \"log\" --format='%h $x `y`'", "git log -- src/*.ts"],
    ...["git log HEAD~2 main^", "'my tool' x", "git log a\\ b"],
  ];
  for (const line of allowed) assert.ok(isAllowed(line, allow), line);
  const refused = [
    ...["", " ", "git", "git logs", "git status", "npm test x", "npm  tests", "GIT log"],
    ...["git log; rm x", "git log | sh", "git log && git push", "git log\nrm x", "git lo*"],
  ];
  for (const line of refused) assert.ok(!isAllowed(line, allow), line);
  assert.ok(!isAllowed("git log", []));
});

/** Lines that do more than the pattern `git log *` says, or that a shell and the lexer could read differently. */
const TRICKS = [
  ...["git log $(touch x)", "git log `touch x`", 'git log "$(touch x)"', 'git log "`touch x`"'],
  ...["git log > x", "git log >> x", "git log >| x", "git log 2> x", "git log &> x", "git log < x"],
  ...["git log << x\nx", "git log <<< x", "git log <(touch x)", "git log >(touch x)"],
  ...["git log & touch x", "git log &", "git log |& touch x", "git log ;; touch x", "(git log)"],
  ...["{ git log; }", "! git log", "X=1 git log", "PATH=. git log", "GIT_PAGER='touch x' git log"],
  ...[
    "git log $X",
    "git log ${X:=1}",
    "git log $((1))",
    "git log {a,b}",
    "git log ~/x",
    "git log ~x",
  ],
  ...[
    "git log # x",
    "git log \\\n x",
    "git log 'x",
    'git log "x',
    "git log \\",
    "git() { touch x; }",
  ],
  ...["git log \r touch x", "git log\u00a0x", "git log \u0000", "git log $'\\x0a'", 'git log $"x"'],
  ...[
    "eval git log",
    "exec git log",
    ". git log",
    "command git log",
    "env git log",
    "sudo git log",
  ],
  ...["if git log; then touch x; fi", "time git log", "[[ git log ]]", "git log || || git log"],
];

Deno.test("isAllowed() refuses every line that the lexer does not see through", () => {
  const allow = patterns("git log *");
  for (const line of TRICKS) assert.ok(!isAllowed(line, allow), JSON.stringify(line));
});

Deno.test("parsePattern() refuses texts that are not the words of one command", () => {
  const texts = ["*", "", "a; b", "a | b", "a *.ts", "a * b", "$x", "a > b", "X=1 a", "a\nb", "'a"];
  for (const text of texts) assert.equal(parsePattern(text), undefined, text);
});

Deno.test("readCommands() splits a line as bash does", async () => {
  const part = fc.oneof(
    fc.constantFrom("a", "b-c", "--x=1", "'d e'", '"f g"', "\\h", "'$x'", '"\\$y"', '"\\z"', "i~1"),
    fc.constantFrom(" ", "  ", "\t", "'", '"', "\\", "$x", ";", "\n", "#", "~", "=", "{1,2}", "''"),
  );
  const lines = fc.sample(fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")), {
    numRuns: 600,
    seed: 7,
  });
  const accepted = lines.flatMap((line) => {
    const commands = readCommands(line);
    const isWhole = commands?.flat().every((word) => word !== null) && !/[;\n]/.test(line);
    return commands === undefined || !isWhole ? [] : [{ line, commands }];
  });
  assert.ok(accepted.length > 100, `${accepted.length} lines`);
  const script = accepted.map(({ line }) => `show ${line}`).join("\n");
  const { stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", `show() { printf '<%s>' "$@"; echo; }\n${script}`],
    env: { HOME: "/home/nobody" },
  }).output();
  assert.equal(new TextDecoder().decode(stderr), "");
  assert.deepEqual(
    new TextDecoder().decode(stdout).trimEnd().split("\n"),
    accepted.map(({ commands }) => commands.flat().map((word) => `<${word}>`).join("")),
  );
});

Deno.test("findDenied() finds a pattern's words anywhere in a line, and in lines that it cannot split", () => {
  const deny = patterns("git push *", "rm -rf", "npm publish");
  const denied = [
    ...["git push", "git push -f origin", "ls && git push", "ls; git  push", "env git push"],
    ...["/usr/bin/git push", "git -C /tmp push", "git --no-pager -c a=b push", "g\\it pu''sh"],
    ...["bash -c 'git push'", "$(git push)", "`git push`", "(git push)", "X=1 git push > y"],
    ...[
      "git${IFS}push",
      "git$IFS'push'",
      "{git,push}",
      "git \\\npush",
      "rm -rf /",
      "npm publish x",
    ],
    ...["xargs git push", "rm -v -rf x", "! git push &"],
  ];
  for (const line of denied) assert.ok(findDenied(line, deny) !== undefined, line);
  const others = ["git log push", "git stash push", "git; push", "digit push", "rm x", "npm test"];
  for (const line of others) assert.equal(findDenied(line, deny), undefined, line);
  assert.equal(findDenied("ls; git push", deny)?.text, "git push *");
});

Deno.test("findDenied() and isAllowed() take time in proportion to the line", () => {
  const deny = patterns("a -b -c -d", "git push");
  for (const line of ["-b ".repeat(7_000), "git -x ".repeat(3_000), "\\".repeat(20_000)]) {
    const begun = performance.now();
    findDenied(line, deny);
    isAllowed(line, deny);
    assert.ok(performance.now() - begun < 1_000, line.slice(0, 10));
  }
});

Deno.test("proposePatterns() proposes the narrowest patterns, which then allow the line", () => {
  const allow = patterns("head *");
  const cases: [string, string[] | undefined][] = [
    ["git log --oneline -3 | head", ["git log *"]],
    ["npm run build", ["npm run build"]],
    ["ls -la", ["ls -la"]],
    ["npm test && git log -1", ["npm test", "git log *"]],
    ["git log -1; git log -2", ["git log *"]],
    ["bash -c 'rm x'", ["bash -c 'rm x'"]],
    ['echo "it\'s"', ["echo 'it'\\''s'"]],
    ["git add src/*.ts", ["git add *"]],
    ["head -1", []],
    ["ls *.ts", undefined],
    ["git log > x", undefined],
  ];
  for (const [line, proposed] of cases) {
    assert.deepEqual(proposePatterns(line, allow), proposed, line);
    if (proposed === undefined) continue;
    assert.ok(isAllowed(line, [...allow, ...patterns(...proposed)]), line);
  }
});
