import assert from "node:assert/strict";
import { ICON_PALETTE, iconOf } from "../../../runtime/agents/icon.ts";

Deno.test("iconOf() never changes", () => {
  assert.equal(
    ICON_PALETTE.join(""),
    "🤖🦊🐙🦉🐝🐢🐳🦋🐧🦔🐬🦜🐞🦕🐌🦭🌵🌻🍄🌲🍀🌊🌙🌈⭐🔥🍋🍒🥝🍇🥕🌽" +
      "🚀🛸🎈🎯🎨🎲🎻🥁📚📌📎📐🔭🔬🧭🧩🧪🧲🔑🔔💡💎🏰⛵⚓🎁🪁🪴🧵🪐🗿🏮",
  );
  const ids = ["daily", "Daily", "daily report", "été", "a", "日記"];
  assert.deepEqual(ids.map(iconOf), ["🥕", "🗿", "🚀", "🌈", "🐞", "🦋"]);
  assert.equal(iconOf("e\u0301te\u0301"), iconOf("\u00e9t\u00e9"));
});

Deno.test("the icon palette holds 64 different emoji that every terminal shows two cells wide", () => {
  assert.equal(new Set(ICON_PALETTE).size, 64);
  for (const icon of ICON_PALETTE) {
    assert.equal([...icon].length, 1, icon);
    assert.match(icon, /^\p{Emoji_Presentation}$/u);
  }
});
