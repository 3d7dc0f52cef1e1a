// The dialog with the keyboard shortcuts, and the switch that turns them off.
import type { VNode } from "preact";
import { closeDialog, Dialog, Option } from "./parts/forms.tsx";
import { Button } from "./parts/parts.tsx";
import type { Shortcut } from "./shortcuts.ts";

/** The help dialog. */
export function HelpDialog(
  { shortcuts, isOn, onToggle, onClose }: {
    shortcuts: readonly Shortcut[];
    isOn: boolean;
    onToggle: (isOn: boolean) => void;
    onClose: () => void;
  },
): VNode {
  return (
    <Dialog aria-labelledby="help" onClose={onClose}>
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
      <Option checked={isOn} onChange={onToggle}>Use these keys</Option>
      <div class="actions">
        <Button class="primary" onClick={closeDialog}>Close</Button>
      </div>
    </Dialog>
  );
}
