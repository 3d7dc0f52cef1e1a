// Derives an icon from an agent's id, for agents without an icon in their file. Palette and hash must never change, so that
// agents keep their icons.
import { fnv1a } from "../../base/text/fnv1a.ts";
import { normalizeId } from "./agent_id.ts";

/** Emoji that are two cells wide in every terminal. None of them needs a variation selector or a joiner. */
export const ICON_PALETTE: readonly string[] = [
  ..."🤖🦊🐙🦉🐝🐢🐳🦋🐧🦔🐬🦜🐞🦕🐌🦭",
  ..."🌵🌻🍄🌲🍀🌊🌙🌈⭐🔥🍋🍒🥝🍇🥕🌽",
  ..."🚀🛸🎈🎯🎨🎲🎻🥁📚📌📎📐🔭🔬🧭🧩",
  ..."🧪🧲🔑🔔💡💎🏰⛵⚓🎁🪁🪴🧵🪐🗿🏮",
];

/** Returns the icon for an id: the entry of the palette at the id's hash. */
export function iconOf(id: string): string {
  const index = Number(fnv1a(normalizeId(id)) % BigInt(ICON_PALETTE.length));
  const icon = ICON_PALETTE[index];
  if (icon === undefined) throw new RangeError("The icon palette is empty");
  return icon;
}
