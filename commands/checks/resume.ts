/** `sonde checks resume`. */
import { updateCheck } from '../../src/contract/index.ts';
import { switching } from '../shared/checks/switching.ts';

export const command = switching({
  name: 'checks resume',
  summary: 'Let checks run again',
  description: 'It runs on its schedule again, from its next time on.',
  endpoint: updateCheck,
  activated: true,
  words: { verb: 'Resume', doing: 'Resuming', done: 'resumed' },
  examples: [
    { line: 'checks resume 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', does: 'lets one run again' },
    {
      line: "checks list --tag shop --all --jq '.[].id' | sonde checks resume - --yes",
      does: 'does it to all checks with a tag',
    },
  ],
});
