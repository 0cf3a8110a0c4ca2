/** Rolling up and removing results, on SQLite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { runs } from '../../../support/sampled.ts';
import { keepingContract } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-results-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let number = 0;

describe('results on SQLite', () => {
  keepingContract(async () => ({ path: join(folder, `${number++}.db`) }), runs(5, 40));
});
