/** `sonde checks results`: both listings, their filters and pages. */
import { describe, expect, it } from 'vitest';
import { command as results } from '../../../commands/checks/results.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const result = (more: object = {}) => ({
  id: '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10',
  name: 'Apex',
  checkId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  runLocation: 'eu-west-1',
  startedAt: '2026-11-21T07:59:00Z',
  responseTime: 42,
  attempts: 0,
  resultType: 'FINAL',
  ...more,
});

describe('checks results', () => {
  it('asks the newer listing with all its filters', async () => {
    const server = await serve({ body: { length: 1, entries: [result()], nextId: 'n2' } });
    const { code, stdout, stderr } = await runLine(
      results,
      [
        ...[
          '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
          '--limit',
          '5',
          '--from',
          '1795248000',
          '--to',
          '1795269600',
          '--location',
          'eu-west-1',
        ],
        ...['--check-type', 'DNS', '--has-failures', '--result-type', 'ALL', '--next-id', 'n1'],
      ],
      { env: serviceAt(server.url) },
    );
    expect(code).toBe(0);
    const { pathname, searchParams } = new URL(server.requests[0]?.url ?? '', server.url);
    expect(pathname).toBe('/v2/check-results/5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d');
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ limit: '5', from: '1795248000', to: '1795269600', location: 'eu-west-1' },
      ...{ checkType: 'DNS', hasFailures: 'true', resultType: 'ALL', nextId: 'n1' },
    });
    expect(stdout).toBe(
      '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10\tPASSED\t2026-11-21T07:59:00Z\teu-west-1\t42\t0\tFINAL\n',
    );
    expect(stderr).toContain('--next-id n2');
  });

  it.each([
    [{ hasFailures: true }, 'FAILED'],
    [{ hasFailures: true, hasErrors: true }, 'ERROR'],
    [{ isDegraded: true }, 'DEGRADED'],
    [{ isCancelled: true, hasFailures: true }, 'CANCELLED'],
  ])('tells the outcome of %o in one word', async (flags, word) => {
    const server = await serve({ body: { length: 1, entries: [result(flags)], nextId: null } });
    const { stdout } = await runLine(
      results,
      ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '--fields', 'outcome'],
      { env: serviceAt(server.url) },
    );
    expect(stdout).toBe(`${word}\n`);
  });

  it('asks the deprecated listing where told to, with a warning', async () => {
    const server = await serve({ body: [result()] });
    const { code, stdout, stderr } = await runLine(
      results,
      ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '--deprecated-listing', '--page', '2', '--json'],
      {
        env: serviceAt(server.url),
      },
    );
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe('/v1/check-results/5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d?page=2');
    expect(JSON.parse(stdout)).toEqual([result()]);
    expect(stderr).toContain(
      'GET /v1/check-results/{checkId} is deprecated; use GET /v2/check-results/{checkId}',
    );
  });

  it('refuses a window of more than six hours, and a filter of the other listing', async () => {
    const wide = await runLine(results, [
      '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
      '--from',
      '1795248000',
      '--to',
      '1795269601',
    ]);
    expect(wide.code).toBe(2);
    expect(wide.stderr).toContain('--to must be at most 6 hours');
    const page = await runLine(results, ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '--page', '2']);
    expect(page.code).toBe(2);
    expect(page.stderr).toContain('--page is not a parameter of GET /v2/check-results/{checkId}');
  });
});
