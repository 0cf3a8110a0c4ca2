import { describe, expect, it } from 'vitest';
import { command as get } from '../../../commands/maintenance/get.ts';
import { command as list } from '../../../commands/maintenance/list.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const window = {
  id: 12,
  name: 'Database upgrade',
  startsAt: '2026-11-22T01:00:00.000Z',
  endsAt: '2026-11-22T03:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: null,
  tags: ['shop', 'api'],
  repeatInterval: 2,
  repeatUnit: 'WEEK',
  repeatEndsAt: null,
  pauseAllChecks: false,
  silenceAllAlerts: true,
};

describe('maintenance list', () => {
  it('filters by dates as the API wants them, and prints a row a window', async () => {
    const server = await serve({ body: [window] });
    const { code, stdout, stderr } = await runLine(
      list,
      ['--starts-at', 'gte=2026-11-21', '--ends-at', 'lt=2026-12-01', '--limit', '5'],
      { env: serviceAt(server.url) },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.requests[0]?.url).toBe(
      '/v1/maintenance-windows?limit=5&startsAt[gte]=2026-11-21&endsAt[lt]=2026-12-01',
    );
    expect(stdout).toBe(
      '12\tDatabase upgrade\t2026-11-22T01:00:00.000Z\t2026-11-22T03:00:00.000Z\tevery 2 weeks\tshop,api\tall alerts\n',
    );
  });

  it('refuses a filter that is none before anything is sent', async () => {
    const { code, stderr } = await runLine(list, ['--starts-at', 'soon', '--ends-at', 'gte=tomorrow']);
    expect(code).toBe(2);
    expect(stderr).toContain('--starts-at must be name=value');
    expect(stderr).toContain('gte must be a date (2026-11-21)');
  });

  it('gathers every page from the first that is not full', async () => {
    const full = Array.from({ length: 100 }, (_, index) => ({ ...window, id: index }));
    const server = await serve({ body: full }, { body: [window] });
    const { stdout } = await runLine(list, ['--all', '--json'], { env: serviceAt(server.url) });
    expect(JSON.parse(stdout)).toHaveLength(101);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/maintenance-windows?limit=100',
      '/v1/maintenance-windows?limit=100&page=2',
    ]);
  });
});

describe('maintenance get', () => {
  it('shows a window, one field a line', async () => {
    const server = await serve({ body: window });
    const { code, stdout } = await runLine(get, ['12'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe('/v1/maintenance-windows/12');
    expect(stdout).toContain('name\tDatabase upgrade\n');
    expect(stdout).toContain('startsAt\t2026-11-22T01:00:00.000Z\n');
  });

  it('exits 5 for an unknown window, and 2 for what is no number', async () => {
    const server = await serve({ status: 404, body: { message: 'There is no such window' } });
    const env = serviceAt(server.url);
    expect(await runLine(get, ['12'], { env })).toMatchObject({ code: 5, stdout: '' });
    expect(await runLine(get, ['twelve'], { env })).toMatchObject({ code: 2, stdout: '' });
  });
});
