// Gives a text to the person as a file.

/** Offers a text for download under a name, whose ending is its format. */
export function download(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
