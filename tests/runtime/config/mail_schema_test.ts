// `mail` in config.yaml: the accounts, and the mistakes that are reported at their places.
import assert from "node:assert/strict";
import { assertProblems, problems, read } from "./parsed_config.ts";

Deno.test("parseConfig() reads mail accounts with their kind of encryption", () => {
  const { mail } = read(`mail:
  home:
    address: Ann@Example.com
    imap: imap.example.com:993
    smtp: smtp.example.com:587
    password_env: HOME_PASSWORD
  test: { address: a@b.example, imap: "[::1]:143", smtp: 127.0.0.1:25, user: ann, password_env: P, tls: false }
`);
  assert.deepEqual(mail, [{
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
  const text = `mail:
  home:
    address: "Ann <ann@example.com>"
    imap: imap.example.com
    smtp: smtp.example.com:99999
    password_env: "my secret!"
  plain: { address: a@b.example, imap: "mail.example.com:143", smtp: "127.0.0.1:25", password_env: P, tls: false }
`;
  const lines = assertProblems(text, [
    "must be a mail address such as ann@example.com",
    "mail.home.imap must be a host with a port such as imap.example.com:993",
    "mail.home.smtp must be a host with a port",
    "must be the name of an environment variable, not a key",
  ]);
  assert.ok(!lines.includes("my secret!"), lines);
});

Deno.test("parseConfig() refuses an account without encryption on another machine", () => {
  const found = problems(
    "mail: { a: { address: a@b.example, imap: 'mail.example.com:143', smtp: '127.0.0.1:25', password_env: P, tls: false } }",
  );
  assert.deepEqual(found, [
    'config.yaml:1:42: mail.a.imap must be on this machine (127.0.0.1) with tls: false: passwords and mails would travel without encryption, got "mail.example.com:143"',
  ]);
});

Deno.test("parseConfig() knows the sign-in of Google and Microsoft by the host of IMAP", () => {
  const { mail } = read(`mail:
  home: { address: a@b.example, imap: "imap.gmail.com:993", smtp: "smtp.gmail.com:465", oauth: { client_id: x, client_secret_env: S, issuer: , scopes: } }
  work: { address: a@b.example, imap: "outlook.office365.com:993", smtp: "smtp.office365.com:587", oauth: { client_id: x } }
  own: { address: a@b.example, imap: "imap.b.example:993", smtp: "smtp.b.example:465", oauth: { client_id: x, issuer: "https://id.b.example", scopes: [mail] } }
`);
  const clientId = "x";
  assert.deepEqual(mail.map(({ oauth, passwordEnv }) => [oauth, passwordEnv]), [
    [{
      issuer: "https://accounts.google.com",
      scopes: ["https://mail.google.com/"],
      ...{ prompt: "consent", clientId, clientSecretEnv: "S" },
    }, undefined],
    [{
      issuer: "https://login.microsoftonline.com/common/v2.0",
      scopes: [
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
        "offline_access",
      ],
      ...{ prompt: "select_account", clientId, clientSecretEnv: undefined },
    }, undefined],
    [{
      ...{ issuer: "https://id.b.example", scopes: ["mail"], prompt: undefined },
      ...{ clientId, clientSecretEnv: undefined },
    }, undefined],
  ]);
});

Deno.test("parseConfig() reports an account with two secrets or none, and an unknown or unsafe issuer", () => {
  const rest =
    'address: a@b.example, imap: "imap.gmail.com.b.example:993", smtp: "smtp.b.example:465"';
  const text = `mail:
  none: { ${rest} }
  two: { ${rest}, password_env: P, oauth: { client_id: x, issuer: "https://id.b.example" } }
  unknown: { ${rest}, oauth: { client_id: x } }
  plain: { ${rest}, oauth: { client_id: x, issuer: "http://id.b.example" } }
  nobody: { ${rest}, oauth: { issuer: "https://id.b.example" } }
`;
  assertProblems(text, [
    "mail.none must have password_env or oauth",
    "mail.two has both password_env and oauth: keep one",
    "mail.unknown.oauth must have issuer: the address of the provider's authorization server",
    "mail.plain.oauth.issuer must be an https address",
    "mail.nobody.oauth.client_id",
  ]);
});
