// `mail` in config.yaml: the accounts, and the mistakes that are reported at their places.
import assert from "node:assert/strict";
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";

function parse(text: string) {
  return parseConfig(text, { path: "config.yaml", home: "/home/user" });
}

Deno.test("parseConfig() reads mail accounts with their kind of encryption", () => {
  const parsed = parse(`mail:
  home:
    address: Ann@Example.com
    imap: imap.example.com:993
    smtp: smtp.example.com:587
    password_env: HOME_PASSWORD
  test: { address: a@b.example, imap: "[::1]:143", smtp: 127.0.0.1:25, user: ann, password_env: P, tls: false }
`);
  assert.ok("config" in parsed);
  assert.deepEqual(parsed.config.mail, [{
    name: "home",
    address: "ann@example.com",
    imap: { host: "imap.example.com", port: 993, security: "tls" },
    smtp: { host: "smtp.example.com", port: 587, security: "starttls" },
    user: "Ann@Example.com",
    passwordEnv: "HOME_PASSWORD",
  }, {
    name: "test",
    address: "a@b.example",
    imap: { host: "::1", port: 143, security: "none" },
    smtp: { host: "127.0.0.1", port: 25, security: "none" },
    user: "ann",
    passwordEnv: "P",
  }]);
});

Deno.test("parseConfig() reports the mistakes of a mail account, and shows no password", () => {
  const parsed = parse(`mail:
  home:
    address: "Ann <ann@example.com>"
    imap: imap.example.com
    smtp: smtp.example.com:99999
    password_env: "my secret!"
  plain: { address: a@b.example, imap: "mail.example.com:143", smtp: "127.0.0.1:25", password_env: P, tls: false }
`);
  assert.ok("diagnostics" in parsed);
  const lines = parsed.diagnostics.map(formatDiagnostic).join("\n");
  for (
    const part of [
      "must be a mail address such as ann@example.com",
      "mail.home.imap must be a host with a port such as imap.example.com:993",
      "mail.home.smtp must be a host with a port",
      "must be the name of an environment variable, not a key",
    ]
  ) assert.ok(lines.includes(part), `${part} in\n${lines}`);
  assert.ok(!lines.includes("my secret!"), lines);
});

Deno.test("parseConfig() refuses an account without encryption on another machine", () => {
  const parsed = parse(
    "mail: { a: { address: a@b.example, imap: 'mail.example.com:143', smtp: '127.0.0.1:25', password_env: P, tls: false } }",
  );
  assert.ok("diagnostics" in parsed);
  assert.deepEqual(parsed.diagnostics.map(({ message }) => message), [
    'mail.a.imap must be on this machine (127.0.0.1) with tls: false: passwords and mails would travel without encryption, got "mail.example.com:143"',
  ]);
});

Deno.test("parseConfig() reports oauth of a mail account, which is not available", () => {
  const parsed = parse(`mail:
  work:
    address: a@b.example
    imap: imap.b.example:993
    smtp: smtp.b.example:465
    oauth: { client_id: x }
`);
  assert.ok("diagnostics" in parsed);
  const lines = parsed.diagnostics.map(formatDiagnostic).join("\n");
  assert.match(lines, /mail.work.oauth is not available for mail: use password_env/);
  assert.match(lines, /mail.work.password_env/);
});
