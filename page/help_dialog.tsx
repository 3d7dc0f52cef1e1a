// The dialog with the keyboard shortcuts, the switch that turns them off, and the link to the documentation.
import type { VNode } from "preact";
import { closeDialog, Dialog, Option } from "./parts/forms.tsx";
import { Button } from "./parts/parts.tsx";
import type { Shortcut } from "./shortcuts.ts";

/** Renders the help dialog. */
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
      <p>
        <a href="docs/guide/">Documentation</a>
      </p>
      <div class="actions">
        <Button class="primary" onClick={closeDialog}>Close</Button>
      </div>
    </Dialog>
  );
}
