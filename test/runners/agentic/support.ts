/** Agentic checks for tests: a runner over a real Chromium in real cells, with a model that follows a script. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { type AgenticCheck, createAgenticRunner } from '../../../src/runners/agentic/runner.ts';
import { findBrowser } from '../../../src/runners/browser/find-browser.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import type { DenyAddress } from '../../../src/runners/core/address-policy.ts';
import type { Attempt } from '../../../src/runners/execute.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { BINARY } from '../../support/binary.ts';
import { placeIn } from '../../support/left-files.ts';
import { openModel, type ScriptedModel } from '../../support/model.ts';
import { attemptOf, openCells, PROGRAM, type RunOptions } from '../browser/support.ts';

const root = join(import.meta.dirname, '../../..');
export const MODEL_KEY = 'model-key-of-the-test';

export interface AgenticDetails {
  readonly verdict?: string;
  readonly summary?: string;
  readonly fault?: string;
  readonly assertions: readonly { readonly statement: string; readonly holds: boolean }[];
  readonly steps: readonly { readonly tool: string; readonly with: string }[];
  readonly hosts: readonly string[];
  readonly blocked: readonly string[];
  readonly usage: { readonly answers: number; readonly tokens: number; readonly isEstimated: boolean };
}
export const detailsOf = (attempt: Attempt): AgenticDetails => attempt.details as unknown as AgenticDetails;

/** The text of the transcript that an attempt left. */
export async function transcriptOf({ artifacts = [] }: Attempt): Promise<string> {
  const path = artifacts.find(({ kind }) => kind === 'transcript')?.path;
  return path === undefined ? '' : readFile(path, 'utf8');
}

export interface AgenticTest {
  readonly model: ScriptedModel;
  run(check: AgenticCheck, options?: RunOptions): Promise<Attempt>;
  readonly close: () => Promise<void>;
}

/** Opens both; the caller closes them. */
export async function openAgentic({
  level = 'process',
  denyAddress,
}: {
  readonly level?: SandboxOptions['level'];
  readonly denyAddress?: DenyAddress;
} = {}): Promise<AgenticTest> {
  const model = await openModel();
  const folder = await mkdtemp(join(tmpdir(), 'a-'));
  const from = join(root, 'package.json');
  const { env, execPath } = process;
  const sandbox = await openCells(folder, level, denyAddress);
  const runner = createAgenticRunner({
    ...{
      sandbox,
      clock: systemClock,
      program: PROGRAM,
      maxInUse: 2,
      warm: 0,
      denyAddress,
      onError: () => {},
    },
    browser: () => findBrowser({ env, from, execPath, folder }),
    runtimes: createRuntimes({ from, folder: join(folder, 'runtimes'), env: process.env }),
    driver: () => readFile(join(BINARY, '../agentic.cjs'), 'utf8'),
    model: { url: model.url, model: 'scripted', key: MODEL_KEY },
  });
  const place = placeIn(join(folder, 'files'));
  return {
    model,
    run: (check, { context, ...options } = {}) =>
      attemptOf(runner, check, place, {
        ...options,
        context: { ...(denyAddress ? { denyAddress } : {}), ...context },
      }),
    async close() {
      await runner.close();
      await sandbox.close();
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
