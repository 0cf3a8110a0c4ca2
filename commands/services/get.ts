/** `sonde services get`. */
import { getService } from '../../src/contract/index.ts';
import { getCommand } from '../shared/resources/read.ts';
import { services } from '../shared/resources/services.ts';

export const command = getCommand(services, {
  endpoint: getService,
  examples: [{ line: 'services get 4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a', does: 'Show a service' }],
});
