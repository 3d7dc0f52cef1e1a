import assert from "node:assert/strict";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { EnvironmentFiles } from "../../../../runtime/config/files/environment_files.ts";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { age, withTempDir } from "../../../support/temp_dir.ts";

Deno.test("EnvironmentFiles uses the first file with a value, then the shell", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a`, "ONE=a\nEMPTY=\n");
    await Deno.writeTextFile(`${dir}/b`, "ONE=b\nTWO='b b' # said\nEMPTY=b\n");
    const shell = { ONE: "s", TWO: "s", THREE: "s", NOTHING: "" };
    const environment = new EnvironmentFiles({ files: [`${dir}/a`, `${dir}/b`], shell });
    const names = ["ONE", "TWO", "THREE", "EMPTY", "NOTHING", "FOUR", "__proto__", "constructor"];
    const expected = ["a", "b b", "s", "b", "", undefined, undefined, undefined];
    assert.deepEqual(names.map((name) => environment.get(name)), expected);
    assert.deepEqual(environment.problems(), []);
  }));

Deno.test("EnvironmentFiles starts comments only at a # after a space, and expands no variables", async () => {
  const table: [text: string, value: string][] = [
    ["A=pa#ss", "pa#ss"],
    ["export A = pa#s s # said # twice", "pa#s s"],
    ["A=#pass\t# said", "#pass"],
    ["A= # said", ""],
    ["A='a # b'# said", "a # b"],
    ['B="\nA=no#ne\n"\nA=1#2 #3', "1#2"],
    ["A=one#1\nA=two", "two"],
    ["A=${HOME}#$B", "${HOME}#$B"],
  ];
  await withTempDir(async (dir) => {
    for (const [n, [text, value]] of table.entries()) {
      await Deno.writeTextFile(`${dir}/${n}`, `${text}\nLAST=1\n`);
      const files = new EnvironmentFiles({ files: [`${dir}/${n}`], shell: {} });
      assert.deepEqual([files.get("A"), files.get("LAST")], [value, "1"], text);
    }
  });
});

Deno.test("EnvironmentFiles decodes escapes in double quotes only", async () => {
  const table: [text: string, value: string][] = [
    [String.raw`A="{\"type\": \"x#y\"}" # said`, '{"type": "x#y"}'],
    [String.raw`export A = "a\\n\tb\n\'c\'"`, "a\\n\tb\n'c'"],
    [String.raw`A="\d\u0041$B\${B}"`, String.raw`\d\u0041$B\${B}`],
    [String.raw`A='a\"b\\c'`, String.raw`a\"b\\c`],
    [String.raw`A=a\"b\\c`, String.raw`a\"b\\c`],
    // The quote ends the value, because no other quote on the line does.
    [`A="C:\\folder\\"\nB="x"`, "C:\\folder\\"],
    ['A="a\\tb\\"\r\nB=1', String.raw`a\tb` + "\\"],
    ['A="two\nlines"', "two\nlines"],
  ];
  await withTempDir(async (dir) => {
    for (const [n, [text, value]] of table.entries()) {
      await Deno.writeTextFile(`${dir}/${n}`, `${text}\nLAST=1\n`);
      const files = new EnvironmentFiles({ files: [`${dir}/${n}`], shell: {} });
      assert.deepEqual([files.get("A"), files.get("LAST")], [value, "1"], text);
      assert.deepEqual(files.problems(), []);
    }
  });
});

Deno.test("EnvironmentFiles notices an added, changed or removed key without a restart", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/.env`;
    const environment = new EnvironmentFiles({ files: [path], shell: {} });
    assert.equal(environment.get("OPENAI_API_KEY"), undefined);
    await Deno.writeTextFile(path, "OPENAI_API_KEY=first-key");
    assert.equal(environment.get("OPENAI_API_KEY"), "first-key");
    // The new file has the same size and is written within the same tick of the file system's clock.
    await Deno.writeTextFile(path, "OPENAI_API_KEY=other-key");
    assert.equal(environment.get("OPENAI_API_KEY"), "other-key");
    assert.deepEqual(environment.secrets(), [{ name: "OPENAI_API_KEY", value: "other-key" }]);
    await age(path, 2);
    assert.equal(environment.get("OPENAI_API_KEY"), "other-key");
    await Deno.writeTextFile(`${dir}/new`, "OPENAI_API_KEY=third-key");
    await age(`${dir}/new`, 2);
    await Deno.rename(`${dir}/new`, path);
    assert.equal(environment.get("OPENAI_API_KEY"), "third-key");
    assert.deepEqual(environment.secrets(), [{ name: "OPENAI_API_KEY", value: "third-key" }]);
    await Deno.remove(path);
    assert.equal(environment.get("OPENAI_API_KEY"), undefined);
    assert.deepEqual(environment.secrets(), []);
  }));

Deno.test("EnvironmentFiles does not read an unchanged file again", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/.env`;
    await Deno.writeTextFile(path, "A_KEY=12345678");
    await age(path);
    const environment = new EnvironmentFiles({ files: [path], shell: {} });
    const secrets = environment.secrets();
    assert.equal(environment.get("A_KEY"), "12345678");
    assert.equal(environment.secrets(), secrets);
  }));

Deno.test("EnvironmentFiles finds secrets by name and length in all layers, longest first", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(
      `${dir}/.env`,
      "A_API_KEY=12345678\nB_TOKEN=1234567\nC_SECRET=abcdefghijk\nPUBLIC=abcdefghijklmn\nKEYS=abcdefghij\nTOKEN=bare-token\n",
    );
    const shell = { A_API_KEY: "hidden-by-the-file", D_PASSWORD: "pass word 9", E_KEY: "12345678" };
    const environment = new EnvironmentFiles({ files: [`${dir}/.env`], shell });
    assert.deepEqual(environment.secrets(), [
      { name: "A_API_KEY", value: "hidden-by-the-file" },
      { name: "C_SECRET", value: "abcdefghijk" },
      { name: "D_PASSWORD", value: "pass word 9" },
      { name: "TOKEN", value: "bare-token" },
      { name: "A_API_KEY", value: "12345678" },
      { name: "E_KEY", value: "12345678" },
    ]);
    const named = environment.secrets(["PUBLIC", "B_TOKEN", "NOWHERE"]);
    assert.deepEqual(named[1], { name: "PUBLIC", value: "abcdefghijklmn" });
    assert.equal(named.length, 7);
    assert.equal(environment.secrets().length, 6);
  }));

Deno.test("EnvironmentFiles reports broken lines without their values", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/.env`;
    const text =
      '\uFEFF# keys\r\nGOOD=1\r\nsk-secret-value\r\nexport ALSO="two\r\nlines"\r\nOPEN="abc\r\n';
    await Deno.writeTextFile(path, text);
    const environment = new EnvironmentFiles({ files: [path], shell: {} });
    assert.equal(environment.get("GOOD"), "1");
    assert.deepEqual(environment.problems().map(formatDiagnostic), [
      `${path}:3:1: The line is not a variable: write NAME=value, or # before a comment`,
      `${path}:6:1: The quote of OPEN is never closed`,
    ]);
  }));

Deno.test("EnvironmentFiles counts an unusable file as empty, and reports the reason", () =>
  withTempDir(async (dir) => {
    await Deno.writeFile(`${dir}/binary`, Uint8Array.of(0x41, 0x3d, 0xff));
    await Deno.writeTextFile(`${dir}/long`, "#".repeat(1_100_000));
    const files = [`${dir}/binary`, dir, `${dir}/long`, `${dir}/binary/none`];
    const environment = new EnvironmentFiles({ files, shell: { A: "s" } });
    assert.equal(environment.get("A"), "s");
    const messages = environment.problems().map((one) => one.message);
    assert.equal(messages.length, 4);
    assert.match(messages[0] ?? "", /not UTF-8/);
    assert.match(messages[1] ?? "", /it is not a file/);
    assert.match(messages[2] ?? "", /over 1 MB/);
    assert.match(messages[3] ?? "", /^The environment file cannot be used/);
  }));

Deno.test("EnvironmentFiles lets redaction find the single lines of a value with several lines", () =>
  withTempDir(async (dir) => {
    const lines = [
      "-----BEGIN PRIVATE KEY-----",
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
      "BKcwggSjAgEAAoIBAQDSnOTaSECRET==",
      "-----END PRIVATE KEY-----",
    ];
    await Deno.writeTextFile(`${dir}/.env`, `SIGNING_KEY="${lines.join("\n")}"\n`);
    const environment = new EnvironmentFiles({ files: [`${dir}/.env`], shell: {} });
    const redactor = new Redactor(() => environment.secrets());
    assert.equal(redactor.redact(`It is ${lines.join("\n")}.`), "It is [redacted:SIGNING_KEY].");
    assert.equal(
      redactor.redact(lines.map((line, i) => `${i + 1}\t${line}`).join("\r\n")),
      [
        "1\t-----BEGIN PRIVATE KEY-----",
        "2\t[redacted:SIGNING_KEY]",
        "3\t[redacted:SIGNING_KEY]",
        "4\t-----END PRIVATE KEY-----",
      ].join("\r\n"),
    );
  }));
