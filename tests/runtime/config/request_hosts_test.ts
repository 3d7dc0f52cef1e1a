// Tests http.allow and http.deny in config.yaml: every entry has an effect, or is refused with its position.
import assert from "node:assert/strict";
import { toRequestHost } from "../../../runtime/config/request_hosts.ts";
import { refuseAddress, refuseHost } from "../../../runtime/tools/http/http_policy.ts";
import { problems, read } from "./parsed_config.ts";

Deno.test("parseConfig() accepts hosts, addresses and wildcard names, in the form of requests", () => {
  const { http } = read(
    'http:\n  allow: [API.Example.com., .corp.test, "[::1]"]\n' +
      '  deny: [Private, bücher.test, "*.example.com", 10.0.0.1, "::ffff:1.2.3.4", nas_1]\n',
  );
  assert.deepEqual(http.allow, ["api.example.com", "*.corp.test", "::1"]);
  assert.deepEqual(http.deny, [
    ...["private", "xn--bcher-kva.test", "*.example.com", "10.0.0.1", "::ffff:102:304", "nas_1"],
  ]);
  const policy = { ...http, ownPorts: () => [] };
  const closed = (address: string) =>
    refuseHost(policy, new URL(address).hostname) ??
      refuseAddress(policy, { host: "x.test", address: new URL(address).hostname, port: 80 });
  for (const name of ["bücher.test", "www.BÜCHER.test", "example.com", "a.example.com", "nas_1"]) {
    assert.match(refuseHost(policy, new URL(`http://${name}`).hostname) ?? "", /http\.deny/, name);
  }
  for (const address of ["10.0.0.1", "10.1", "1.2.3.4", "127.0.0.1"]) {
    assert.match(closed(`http://${address}`) ?? "", /http\.deny/, address);
  }
  assert.equal(refuseHost(policy, "api.example.com"), undefined);
});

Deno.test("parseConfig() refuses an entry that could match no host, with its position", () => {
  const rule = "without scheme, port, path or network mask";
  const deny = `must be private, a host, an address or *.name, ${rule}`;
  const refused = [
    ...["https://example.com/", "127.0.0.1:18766", "10.0.0.0/8", "*", "a*.test", "10.0"],
    ...["*.10.0.0.1", ""],
  ];
  for (const text of refused) {
    assert.deepEqual(problems(`http:\n  deny:\n    - "${text}"\n`), [
      `config.yaml:3:7: http.deny[0] ${deny}, got "${text}"`,
    ]);
  }
  // The message must not contain the password.
  assert.deepEqual(problems("http: { deny: ['https://me:secret@example.com'] }"), [
    `config.yaml:1:16: http.deny[0] ${deny}`,
  ]);
  for (const text of ["private", "localhost:11434"]) {
    assert.deepEqual(problems(`http: { allow: ["${text}"] }`), [
      `config.yaml:1:17: http.allow[0] must be a host, an address or *.name, ${rule}, got "${text}"`,
    ]);
  }
});

Deno.test("toRequestHost() refuses texts that only resemble an address or a host", () => {
  const cases = [
    ...["127.1", "0x7f.0.0.1", "1.2.3.4.5", "[::1]:80", "[x]", "::1::2", "fe80::1%eth0"],
    ...[".", "*.", " ", "a b", "me@host", "%41.com", "a/b", "a\\b"],
  ];
  for (const text of cases) assert.equal(toRequestHost(text), undefined, text);
});
