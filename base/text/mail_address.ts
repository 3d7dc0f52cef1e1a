// Reads mail addresses.

/**
 * Returns a mail address in lower case, or undefined if the text is none. Quoted local parts and addresses with spaces,
 * commas or angle brackets are refused, because mail programs read them in different ways.
 */
export function addressOf(text: string): string | undefined {
  const address = text.trim().toLowerCase();
  const isValid = address.length <= 254 &&
    /^[^\s@<>()[\],;:"\\\p{C}]{1,64}@[^\s@<>()[\],;:"\\\p{C}]+$/u.test(address);
  return isValid ? address : undefined;
}

/** Returns the part of an address after `@`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
