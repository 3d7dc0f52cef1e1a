// Tests values in config.yaml and agent files, and the messages about invalid values.
import assert from "node:assert/strict";
import { baseUrl, durationOrNone, interval } from "../../../runtime/config/fields.ts";
import { problems } from "./parsed_config.ts";

Deno.test("baseUrl accepts addresses without keys, and no message repeats a key", () => {
  for (const text of ["http://127.0.0.1:11434/v1", "https://models.test"]) {
    assert.equal(baseUrl.parse(text), text);
  }
  const refusals: [string, string][] = [
    ["models.test/v1", "must be an http or https address"],
    ["file:///etc/passwd", "must be an http or https address"],
    ["https://me:sesame@models.test", "must not hold a user name or password"],
    ["https://sesame@models.test", "must not hold a user name or password"],
    ["https://models.test/v1?key=sesame", "must end with its path, without ? or #"],
    ["https://models.test/v1#sesame", "must end with its path, without ? or #"],
  ];
  for (const [url, message] of refusals) {
    const shown = problems(`defaults:\n  base_url: "${url}"\n`).join("\n");
    assert.match(shown, /^config\.yaml:2:\d+: defaults\.base_url /);
    assert.ok(shown.includes(message) && !shown.includes("sesame"), shown);
  }
});

Deno.test("durationOrNone and interval accept durations up to a century, and refuse others", () => {
  assert.equal(durationOrNone.parse("90s"), 90_000);
  assert.equal(durationOrNone.parse("none"), null);
  assert.equal(interval.parse("1h30m"), "1h30m");
  for (const value of ["0s", "36501d", "soon", 90, true, null]) {
    assert.equal(durationOrNone.safeParse(value).success, false, String(value));
    assert.equal(interval.safeParse(value).success, false, String(value));
  }
});
