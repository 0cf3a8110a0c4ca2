/** `sonde checks create-agentic`: creates an agentic check. */
import { createAgenticCheck } from '../../src/contract/index.ts';
import { createCheckCommand, LOCATION_FIELDS, LOCATION_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'AGENTIC',
  description:
    'A model carries out the prompt in a browser. The check can reach only the hosts whose URLs are in the prompt. ' +
    'The model enters variables by name, as {{NAME}}, and never sees the values of secret variables. Set SONDE_MODEL_URL and ' +
    'SONDE_MODEL for the service, and for the agents of private locations.',
  endpoint: createAgenticCheck,
  groups: {
    'Model runtime': ['agentRuntime.skills', 'environmentVariables', 'runtimeId'],
  },
  scheduleFields: LOCATION_FIELDS,
  steps: [{ flag: 'name' }, { flag: 'prompt', message: 'Task for the model' }, ...LOCATION_STEPS],
  examples: [
    {
      line: "checks create-agentic --name Checkout --prompt 'Open https://shop.example/, put a book into the basket, and check that the basket has one item'",
      does: 'Check that a book can be added to the basket of a shop',
    },
  ],
});
