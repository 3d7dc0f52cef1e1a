// Tests which hosts and addresses http_request may reach.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { refuseAddress, refuseHost } from "../../../../runtime/tools/http/http_policy.ts";
import {
  classifyAddress,
  isSameAddress,
  parseAddress,
} from "../../../../runtime/tools/http/ip_address.ts";

function policy(overrides: Partial<HttpPolicy> = {}): HttpPolicy {
  return { allow: [], deny: [], ownPorts: () => [], ...overrides };
}

const KINDS: Record<string, string[]> = {
  // deno-fmt-ignore
  closed: [
    "169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::23",
    "fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "100.100.100.200", "0.0.0.0", "0.1.2.3", "::",
    "::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::169.254.169.254", "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1", "224.0.0.1", "255.255.255.255", "ff02::1", "168.63.129.16",
    "2001:0:1:2:3:4:5601:5601",
  ],
  loopback: [
    ...["127.0.0.1", "127.255.0.9", "::1"],
    ...["::ffff:127.0.0.1", "0:0:0:0:0:0:0:1", "::ffff:7f00:1"],
  ],
  // deno-fmt-ignore
  private: [
    "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1",
    "fd00:ec3::254", "fd12::1", "::ffff:10.0.0.1",
  ],
  // deno-fmt-ignore
  public: [
    "1.1.1.1", "172.32.0.1", "172.15.0.1", "169.253.0.1", "100.128.0.1", "2606:4700::1111",
    "::ffff:8.8.8.8", "fe00::1",
  ],
};

Deno.test("classifyAddress() recognizes each kind of network", () => {
  for (const [kind, addresses] of Object.entries(KINDS)) {
    for (const address of addresses) assert.equal(classifyAddress(address), kind, address);
  }
  // deno-fmt-ignore
  const texts = [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "example.com", ":::", "1::2::3", "12345::",
    "1:2:3:4:5:6:7", "::1.2.3",
  ];
  for (const text of texts) assert.equal(classifyAddress(text), undefined, text);
});

Deno.test("parseAddress() parses every IPv4 and IPv6 notation", () => {
  fc.assert(fc.property(fc.ipV4(), (text) => {
    assert.equal([...parseAddress(text) ?? []].join("."), text);
    assert.ok(isSameAddress(text, `::ffff:${text}`));
    // An IPv6 address that contains a closed IPv4 address is closed, too.
    for (const wrapped of [`::ffff:${text}`, `64:ff9b::${text}`]) {
      assert.equal(classifyAddress(wrapped), classifyAddress(text), wrapped);
    }
  }));
  fc.assert(fc.property(fc.ipV6(), (text) => assert.equal(parseAddress(text)?.length, 16)));
});

Deno.test("refuseAddress() refuses link-local and metadata addresses with every policy", () => {
  const host = "host.example.com";
  for (const closed of ["169.254.0.7", "169.254.169.254", "100.100.100.200"]) {
    const open = policy({ allow: [closed, host, "*.example.com", "private"] });
    for (const address of [closed, `::ffff:${closed}`]) {
      assert.match(refuseAddress(open, { host, address, port: 80 }) ?? "", /are closed to agents/);
    }
  }
});

Deno.test("refuseAddress() refuses private ranges in `deny`, except hosts in `allow`", () => {
  const closed = policy({ deny: ["private"], allow: ["nas.lan", "*.home.arpa", "10.0.0.9"] });
  const refused = (host: string, address: string) =>
    refuseAddress(closed, { host, address, port: 80 }) !== undefined;
  assert.equal(refused("localhost", "127.0.0.1"), true);
  assert.equal(refused("intranet.example.com", "10.0.0.1"), true);
  assert.equal(refused("intranet.example.com", "fd12::1"), true);
  assert.equal(refused("nas.lan", "10.0.0.1"), false);
  assert.equal(refused("NAS.lan.", "10.0.0.1"), false);
  assert.equal(refused("x.nas.lan", "10.0.0.1"), true);
  assert.equal(refused("a.b.home.arpa", "10.0.0.1"), false);
  assert.equal(refused("home.arpa", "10.0.0.1"), true);
  assert.equal(refused("any.example.com", "10.0.0.9"), false);
  assert.equal(refused("example.com", "1.1.1.1"), false);
  const found = refuseAddress(policy(), { host: "localhost", address: "127.0.0.1", port: 80 });
  assert.equal(found, undefined);
});

Deno.test("refuseAddress() refuses the service's own port on this machine only", () => {
  const ownAddresses = ["192.168.1.5", "203.0.113.7"];
  const { networkInterfaces } = Deno;
  using _restored = { [Symbol.dispose]: () => void Object.assign(Deno, { networkInterfaces }) };
  Object.assign(Deno, { networkInterfaces: () => ownAddresses.map((address) => ({ address })) });
  const own = policy({ ownPorts: () => [8700], allow: ["localhost"] });
  const refused = (address: string, port: number) =>
    refuseAddress(own, { host: "localhost", address, port }) !== undefined;
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", ...ownAddresses]) {
    assert.equal(refused(address, 8700), true, address);
  }
  assert.equal(refused("::ffff:192.168.1.5", 8700), true);
  assert.equal(refused("127.0.0.1", 8701), false);
  assert.equal(refused("1.1.1.1", 8700), false);
  assert.equal(refused("192.168.1.6", 8700), false);
});

Deno.test("refuseHost() refuses metadata names, and denied hosts with their subdomains", () => {
  const deny = ["example.com", "private", "203.0.113.9"];
  const guard = policy({ deny, allow: ["good.example.com"] });
  assert.match(refuseHost(guard, "Metadata.Google.Internal.") ?? "", /metadata/);
  assert.match(refuseHost(guard, "example.com") ?? "", /http\.deny/);
  assert.match(refuseHost(guard, "a.EXAMPLE.com") ?? "", /http\.deny/);
  assert.equal(refuseHost(guard, "good.example.com"), undefined);
  assert.equal(refuseHost(guard, "notexample.com"), undefined);
  assert.equal(refuseHost(guard, "private"), undefined);
  assert.match(
    refuseAddress(guard, { host: "x.org", address: "::ffff:203.0.113.9", port: 80 }) ?? "",
    /http\.deny/,
  );
});
