// Tests of hosts and origins as people write them and as browsers and proxies send them.
import assert from "node:assert/strict";
import { toHostName, toOrigin } from "../../base/web_origin.ts";

Deno.test("toOrigin() writes an origin as a browser sends it", () => {
  const origins: [string, string][] = [
    ["https://inkling.example", "https://inkling.example"],
    ["HTTPS://Inkling.Example/", "https://inkling.example"],
    ["https://inkling.example:443", "https://inkling.example"],
    ["https://inkling.example:8443", "https://inkling.example:8443"],
    ["https://BÜCHER.example", "https://xn--bcher-kva.example"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["app://obsidian.md", "app://obsidian.md"],
    ["App://Obsidian.md/", "app://obsidian.md"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["chrome-extension://abcdefgh", "chrome-extension://abcdefgh"],
    ["tauri://localhost:1420", "tauri://localhost:1420"],
  ];
  for (const [text, origin] of origins) assert.equal(toOrigin(text), origin, text);
});

Deno.test("toOrigin() returns undefined for a text that is no origin", () => {
  for (
    const text of [
      ...["null", "", " ", "*", "inkling.example", "inkling.example:8443", "localhost:8080"],
      ...["https://", "https:///", "https:inkling.example", "https://*.example", "app://"],
      "file:///",
      ...[
        "file://host",
        "data:text/plain,x",
        "blob:https://inkling.example/1",
        "mailto:a@b.example",
      ],
      ...["https://inkling.example/ui", "https://inkling.example?x", "https://inkling.example/#x"],
      ...["https://me@inkling.example", "https://me:pass@inkling.example", "https://a b.example"],
      ...["https://inkling.example:99999", "https://inkling.example https://other.example"],
    ]
  ) assert.equal(toOrigin(text), undefined, text);
});

Deno.test("toHostName() returns the name of a Host header without its port", () => {
  const names: [string, string][] = [
    ["inkling.example", "inkling.example"],
    ["Inkling.Example:8443", "inkling.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["my_box", "my_box"],
    ["127.0.0.1:80", "127.0.0.1"],
    ["[::1]:8080", "[::1]"],
    ["::1", "[::1]"],
    ["FD00::2", "[fd00::2]"],
  ];
  for (const [text, name] of names) assert.equal(toHostName(text), name, text);
  for (
    const text of [
      ...["", " ", "*", "*.example", "https://inkling.example", "inkling.example/ui", "a b", "a@b"],
      ...["inkling.example:", "inkling.example:99999", "inkling.example:x", "a:1:2", "a,b"],
    ]
  ) assert.equal(toHostName(text), undefined, text);
});
