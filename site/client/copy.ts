// Adds a button to each code block that copies the block's text.

const SHOWN_MS = 1_500;

/** Adds the buttons, if the browser lets pages write to the clipboard. */
export function addCopyButtons(): void {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard === undefined) return;
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    const text = block.querySelector("code")?.textContent ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      try {
        await clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not copied";
      }
      setTimeout(() => button.textContent = "Copy", SHOWN_MS);
    });
    block.append(button);
  }
}
