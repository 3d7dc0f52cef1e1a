// Tests `sign_in` of config.yaml: its settings, and the reports about settings that cannot work.
import assert from "node:assert/strict";
import { parseConfig } from "../../../runtime/config/parse_config.ts";

const PUBLIC = "public_url: https://inkling.example\n";

function parse(text: string) {
  return parseConfig(text, { path: "/c/config.yaml", home: "/c" });
}

function problemOf(text: string): string {
  const parsed = parse(text);
  return "diagnostics" in parsed ? parsed.diagnostics.map(({ message }) => message).join("; ") : "";
}

Deno.test("sign_in has a session of 12 hours and the claim groups, and none if it is absent", () => {
  const parsed = parse(
    `${PUBLIC}sign_in: { issuer: "https://login.example", client_id: a, groups: { s: viewer } }`,
  );
  assert.ok("config" in parsed);
  assert.deepEqual(parsed.config.signIn, {
    issuer: "https://login.example",
    clientId: "a",
    clientSecretEnv: undefined,
    groups: { s: "viewer" },
    groupsClaim: "groups",
    sessionMs: 43_200_000,
  });
  const empty = parse("");
  assert.ok("config" in empty);
  assert.equal(empty.config.signIn, null);
});

Deno.test("sign_in without a provider, client, group, role, TLS or public_url is an error", () => {
  const whole = 'issuer: "https://login.example", client_id: a, groups: { s: viewer }';
  const cases: [string, RegExp][] = [
    [`${PUBLIC}sign_in: { client_id: a }`, /sign_in must have issuer/],
    [`${PUBLIC}sign_in: { issuer: "https://a.example", groups: { s: viewer } }`, /client_id/],
    [`${PUBLIC}sign_in: { issuer: "https://a.example", client_id: a }`, /must have groups/],
    [`${PUBLIC}sign_in: { ${whole.replace("viewer", "boss")} }`, /viewer.*operator/],
    [`${PUBLIC}sign_in: { ${whole.replace("https", "http")} }`, /must be an https address/],
    [`${PUBLIC}sign_in: { ${whole}, session: 2d }`, /session must be a duration/],
    [`sign_in: { ${whole} }`, /sign_in needs public_url/],
  ];
  for (const [text, expected] of cases) assert.match(problemOf(text), expected);
});
