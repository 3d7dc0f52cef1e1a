// Which keys there are, and the switch that turns them off.
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Shortcut } from "./shortcuts.ts";

/** A dialog over the page. */
export function HelpDialog(
  { shortcuts, isOn, onToggle, onClose }: {
    shortcuts: readonly Shortcut[];
    isOn: boolean;
    onToggle: (isOn: boolean) => void;
    onClose: () => void;
  },
): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="help" onClose={onClose}>
      <h2 id="help">Keys</h2>
      <dl class="keys">
        {shortcuts.map(({ key, does }) => (
          <div key={does}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="option">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
        />
        Use these keys
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={() => dialog.current?.close()}>Close</button>
      </div>
    </dialog>
  );
}
