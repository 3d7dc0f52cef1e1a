// Tests of the printed command that starts an installed unit.
import assert from "node:assert/strict";
import { describeUnitStart } from "../../../../cli/service/units/installed_unit.ts";

Deno.test("describeUnitStart() returns the commands for the unit file's service manager", () => {
  for (const folder of ["/home/me/.config/systemd/user", "/etc/systemd/user"]) {
    assert.equal(
      describeUnitStart(`${folder}/inkling.service`),
      'systemctl --user enable --now inkling; "journalctl --user -u inkling" shows why it ended',
    );
  }
  assert.equal(
    describeUnitStart("/etc/systemd/system/inkling.service"),
    'systemctl enable --now inkling; "journalctl -u inkling" shows why it ended',
  );
  const list = "/Users/me/Library/LaunchAgents/dev.inkling.plist";
  assert.equal(describeUnitStart(list), `launchctl bootstrap gui/$(id -u) ${list}`);
});
