// A small stable hash for names and choices that must never change. Not for secrets or integrity.

/** FNV-1a, 64 bit, over the UTF-8 bytes of a text. */
export function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
