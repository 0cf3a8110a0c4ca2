/** Rolling up and removing results, on SQLite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { runs } from '../../../support/sampled.ts';
import { keepingContract } from './contract.ts';
import { statisticsContract } from './statistics-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-results-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let number = 0;

describe('results on SQLite', () => {
  const place = async () => ({ path: join(folder, `${number++}.db`) });
  keepingContract(place, runs(3, 10));
  statisticsContract(place, runs(3, 10));
});
