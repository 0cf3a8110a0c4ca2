/** What agents are promised by a service over SQLite. */
import { promisesToAgents } from './contract.ts';

promisesToAgents();
