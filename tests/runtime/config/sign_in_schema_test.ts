// Tests `sign_in` of config.yaml: its settings, and the reports about settings that cannot work.
import assert from "node:assert/strict";
import { problems, read } from "./parsed_config.ts";

const PUBLIC = "public_url: https://inkling.example\n";

Deno.test("sign_in has a session of 12 hours and the claim groups, and none if it is absent", () => {
  const { signIn } = read(
    `${PUBLIC}sign_in: { issuer: "https://login.example", client_id: a, groups: { s: viewer } }`,
  );
  assert.deepEqual(signIn, {
    issuer: "https://login.example",
    clientId: "a",
    groups: { s: "viewer" },
    groupsClaim: "groups",
    sessionMs: 43_200_000,
  });
  assert.equal(read("").signIn, null);
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
  for (const [text, expected] of cases) assert.match(problems(text).join(), expected);
});
