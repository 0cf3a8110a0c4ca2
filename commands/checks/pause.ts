/** `sonde checks pause`. */
import { updateCheck } from '../../src/contract/index.ts';
import { switching } from '../shared/checks/switching.ts';

export const command = switching({
  name: 'checks pause',
  summary: 'Let checks rest',
  description: 'Its schedule rests until "sonde checks resume"; it can still be run by hand as a test.',
  endpoint: updateCheck,
  activated: false,
  words: { verb: 'Pause', doing: 'Pausing', done: 'paused' },
  examples: [
    { line: 'checks pause 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', does: 'lets one rest' },
    {
      line: "checks list --tag shop --all --jq '.[].id' | sonde checks pause - --yes",
      does: 'does it to all checks with a tag',
    },
  ],
});
