/** `sonde checks create-agentic`: creates an agentic check. */
import { createAgenticCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { AGENTIC_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER, PLACES } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-agentic',
  type: 'an agentic',
  description:
    'A model carries out what the prompt says. The service that sonde carries has none at hand: it stores such checks, and says so ' +
    'when they are to run.',
  endpoint: createAgenticCheck,
  flags: {
    names: AGENTIC_FLAGS,
    groups: {
      'What is done': ['agentRuntime.skills', 'environmentVariables', 'runtimeId'],
      'Where and when it runs': PLACES,
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'prompt', message: 'What is to be done and checked' },
    { flag: 'locations', message: 'Where it runs from' },
    { flag: 'frequency', message: 'How often it runs' },
  ],
  examples: [
    {
      line: "checks create-agentic --name Checkout --prompt 'Buy a book as a guest, and see that it is in the basket' --no-activated",
      does: 'stores what is to be done, and lets it rest',
    },
  ],
});
