/** `sonde checks create-agentic`: creates an agentic check. */
import { createAgenticCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { AGENTIC_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER, PLACES } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-agentic',
  type: 'an agentic',
  description:
    'A model carries out the prompt in a browser. The prompt names the addresses of all hosts that the check may reach; others are ' +
    'blocked. The model types variables by their names, as {{NAME}}, and never sees the values of secret ones. The service needs ' +
    'SONDE_MODEL_URL and SONDE_MODEL, and so does the agent of a private location.',
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
      line: "checks create-agentic --name Checkout --prompt 'Open https://shop.example/, put a book into the basket, and check that the basket has one item'",
      does: 'lets a model look at a shop',
    },
  ],
});
