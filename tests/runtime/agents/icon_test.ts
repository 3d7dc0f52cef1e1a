import assert from "node:assert/strict";
import { ICON_PALETTE, iconOf } from "../../../runtime/agents/icon.ts";

Deno.test("iconOf() returns the same icons as earlier versions", () => {
  assert.equal(
    ICON_PALETTE.join(""),
    "🤖🦊🐙🦉🐝🐢🐳🦋🐧🦔🐬🦜🐞🦕🐌🦭🌵🌻🍄🌲🍀🌊🌙🌈⭐🔥🍋🍒🥝🍇🥕🌽" +
      "🚀🛸🎈🎯🎨🎲🎻🥁📚📌📎📐🔭🔬🧭🧩🧪🧲🔑🔔💡💎🏰⛵⚓🎁🪁🪴🧵🪐🗿🏮",
  );
  const ids = ["daily", "Daily", "daily report", "été", "a", "日記"];
  assert.deepEqual(ids.map(iconOf), ["🥕", "🗿", "🚀", "🌈", "🐞", "🦋"]);
  assert.equal(iconOf("e\u0301te\u0301"), iconOf("\u00e9t\u00e9"));
});
