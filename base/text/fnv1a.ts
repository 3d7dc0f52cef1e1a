// A hash for names and choices that must be the same in every version. Not for secrets or integrity checks.

/** Returns the 64-bit FNV-1a hash of the UTF-8 bytes of a text. */
export function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
