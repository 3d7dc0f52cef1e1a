// The icon of an agent that names none: always the same for the same id. Palette and hash must never change.
import { fnv1a } from "../config/fnv1a.ts";
import { normalizeId } from "./agent_id.ts";

/** Emoji that are two cells wide in every terminal. None needs a variation selector or a joiner. */
export const ICON_PALETTE: readonly string[] = [
  ...[
    "🤖",
    "🦊",
    "🐙",
    "🦉",
    "🐝",
    "🐢",
    "🐳",
    "🦋",
    "🐧",
    "🦔",
    "🐬",
    "🦜",
    "🐞",
    "🦕",
    "🐌",
    "🦭",
  ],
  ...[
    "🌵",
    "🌻",
    "🍄",
    "🌲",
    "🍀",
    "🌊",
    "🌙",
    "🌈",
    "⭐",
    "🔥",
    "🍋",
    "🍒",
    "🥝",
    "🍇",
    "🥕",
    "🌽",
  ],
  ...[
    "🚀",
    "🛸",
    "🎈",
    "🎯",
    "🎨",
    "🎲",
    "🎻",
    "🥁",
    "📚",
    "📌",
    "📎",
    "📐",
    "🔭",
    "🔬",
    "🧭",
    "🧩",
  ],
  ...[
    "🧪",
    "🧲",
    "🔑",
    "🔔",
    "💡",
    "💎",
    "🏰",
    "⛵",
    "⚓",
    "🎁",
    "🪁",
    "🪴",
    "🧵",
    "🪐",
    "🗿",
    "🏮",
  ],
];

/** Returns the icon of an id: the palette's entry at the id's hash. */
export function iconOf(id: string): string {
  const index = Number(fnv1a(normalizeId(id)) % BigInt(ICON_PALETTE.length));
  const icon = ICON_PALETTE[index];
  if (icon === undefined) throw new RangeError("The icon palette is empty");
  return icon;
}
