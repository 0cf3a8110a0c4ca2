/** Heartbeats of a service over SQLite. */
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/folder.ts';
import { promisesOfHeartbeats } from './contract.ts';

promisesOfHeartbeats(async () => ({ path: join(await temporaryFolder(), 'sonde.db') }));
