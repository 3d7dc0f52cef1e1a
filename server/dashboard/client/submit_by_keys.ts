// Sending a form without leaving its text: Enter is a line there, Ctrl+Enter (on a Mac also Cmd+Enter) sends.

/** For `onKeyDown` of a form. A form whose button is disabled is not sent. */
export function submitByKeys(event: KeyboardEvent): void {
  const isWanted = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing;
  const { currentTarget: form } = event;
  if (!isWanted || !(form instanceof HTMLFormElement)) return;
  event.preventDefault();
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (button?.disabled === false) form.requestSubmit(button);
}
