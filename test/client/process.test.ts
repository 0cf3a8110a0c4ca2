/** The client as it is shipped: bundled to CommonJS, in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../support/http.ts';
import { ACCOUNT } from './fixtures.ts';

const program = `
  import { createClient, prepareProcess } from './src/client/index.ts';
  import { systemClock } from './src/base/clock.ts';
  import { systemRandom } from './src/base/random.ts';
  import { getStatusPage } from './src/contract/index.ts';
  prepareProcess();
  const [baseUrl, proxy] = process.argv.slice(2);
  const client = createClient({
    baseUrl, accountId: '${ACCOUNT}', getKey: async () => 'pk_1', userAgent: 'sonde/1.2.3',
    clock: systemClock, random: systemRandom, env: { HTTP_PROXY: proxy },
  });
  client.call(getStatusPage, { params: { statusPageId: 'p' } }).then(({ text }) => console.log(text));
`;

it('works bundled and minified, directly and through a proxy, and leaves nothing that keeps the process alive', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const outfile = join(folder, 'program.cjs');
  await build({
    stdin: { contents: program, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const server = await serve({ body: { id: 'p' } }, { body: { id: 'q' } });
  const run = promisify(execFile);
  const direct = await run(process.execPath, [outfile, server.url]);
  expect(direct).toEqual({ stdout: '{"id":"p"}\n', stderr: '' });
  const proxied = await run(process.execPath, [outfile, 'http://api.test', server.url]);
  expect(proxied).toEqual({ stdout: '{"id":"q"}\n', stderr: '' });
  expect(server.requests[1]?.url).toBe('http://api.test/v1/status-pages/p');
});
