/** What a run came to where its program did not say it itself, and where policy stands against what it tried. */
import { expect, it } from 'vitest';
import type { Egress } from '../../../src/runners/browser/egress.ts';
import type { ProgramEnd } from '../../../src/runners/browser/program.ts';
import { classifyEnd, findDenial } from '../../../src/runners/browser/run-outcome.ts';

const END: ProgramEnd = {
  ...{ report: undefined, why: 'ended', ending: 'SIGKILL', console: [], artifacts: [], lost: [] },
};

it.each([
  ['more memory than it may', END, 'memory', 'unusable', 'the script used more memory than allowed'],
  ['more time than it may', END, 'cpu', 'unusable', 'the script used more cpu than allowed'],
  ['no end', { ...END, why: 'late' }, undefined, 'timed-out', 'did not end within 5 s'],
  ['a flood of reports', { ...END, why: 'too-much' }, undefined, 'unusable', 'filled the channel'],
  ['a program that a signal ended', { ...END, killedBy: 'SIGKILL' }, undefined, 'unusable', 'by SIGKILL'],
  ['a program that is gone', END, undefined, 'fault', 'has ended (SIGKILL)'],
] as const)('with %s', (_, end, exceeded, outcome, error) => {
  const { outcome: came, errors } = classifyEnd(end, 5000, exceeded);
  expect(came).toBe(outcome);
  expect(errors[0]).toContain(error);
});

it('is policy alone where nothing answered, and at the host that it denied', () => {
  const denied = [{ host: 'intranet', why: '10.0.0.1 is no public address' }];
  const egress = { denied: () => denied } as unknown as Egress;
  const refused = 'page.goto: net::ERR_TUNNEL_CONNECTION_FAILED at https://intranet/';
  expect(findDenial(refused, egress)).toBe(
    'the script is not allowed to contact intranet: 10.0.0.1 is no public address',
  );
  expect(findDenial(refused, undefined)).toBeUndefined();
  expect(findDenial('net::ERR_CONNECTION_REFUSED at https://shop.example/', egress)).toBeUndefined();
  expect(findDenial('expect(locator).toHaveText: intranet', egress)).toBeUndefined();
});
