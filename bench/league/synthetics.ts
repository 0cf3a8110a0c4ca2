/** The runner of Elastic's synthetic monitors in the league: API journeys of all web targets. npm installs it into a cache. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv } from '../../test/support/binary.ts';
import { outputOf } from './output.ts';
import { LIMIT_MS, type Runner, urlOf } from './target.ts';

const SYNTHETICS = '@elastic/synthetics';
const SYNTHETICS_VERSION = '1.26.3';

/** Returns API journeys as its guide writes them: one request, then assertions. */
const journeysOf = (targets: readonly object[]): string => `
import { apiJourney, expect, step } from '@elastic/synthetics';
for (const { id, url, headers, status, contains, lacks, header, json } of ${JSON.stringify(targets)})
  apiJourney(id, ({ request }) => {
    step('request', async () => {
      const maxRedirects = status >= 300 && status < 400 ? 0 : 20;
      const response = await request.get(url, { headers, timeout: ${LIMIT_MS}, maxRedirects });
      if (status === undefined) expect(response.ok()).toBeTruthy();
      else expect(response.status()).toBe(status);
      const body = await response.text();
      if (contains !== undefined) expect(body).toContain(contains);
      if (lacks !== undefined) expect(body).not.toContain(lacks);
      if (header) expect(response.headers()[header[0].toLowerCase()]).toContain(header[1]);
      if (json) expect(String((await response.json())[json[0]])).toBe(json[1]);
    });
  });
`;

export const synthetics: Runner = {
  name: `${SYNTHETICS} ${SYNTHETICS_VERSION}`,
  async run(targets, trusted, folder) {
    const project = join(process.cwd(), 'node_modules/.cache/sonde/league');
    const program = join(project, 'node_modules', SYNTHETICS, 'dist/cli.js');
    if (!existsSync(program)) {
      await mkdir(project, { recursive: true });
      await writeFile(join(project, 'package.json'), '{"private": true, "type": "module"}');
      const args = [
        'install',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        `${SYNTHETICS}@${SYNTHETICS_VERSION}`,
      ];
      const { stderr } = await outputOf('npm', args, project, process.env);
      if (!existsSync(program)) return `npm cannot install it: ${stderr.trim().split('\n').at(-1)}`;
    }
    const web = targets.flatMap((served) => {
      const { probe } = served.target;
      if (probe.type === 'https') return [{ id: served.id, url: urlOf(served) }];
      return probe.type === 'http'
        ? [{ id: served.id, url: urlOf(served), headers: probe.secrets, ...probe.expects }]
        : [];
    });
    await writeFile(join(project, 'league.journey.js'), journeysOf(web));
    const env = bareEnv(folder, { NODE_EXTRA_CA_CERTS: trusted });
    const { stdout, stderr } = await outputOf(
      process.execPath,
      [program, '.', '--reporter', 'json', '--screenshots', 'off'],
      project,
      env,
    );
    if (stdout === '') throw new Error(stderr);
    return new Map(
      stdout.split('\n').flatMap((line) => {
        if (!line.startsWith('{"type":"journey/end"')) return [];
        const { journey } = JSON.parse(line) as {
          readonly journey: { readonly id: string; readonly status: string };
        };
        return [[journey.id, journey.status === 'succeeded'] as const];
      }),
    );
  },
};
