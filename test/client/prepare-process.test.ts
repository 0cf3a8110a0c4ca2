/** The client as it is shipped: bundled to CommonJS, in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { answer, serve, serveWith } from '../support/http.ts';
import { cert, key } from './certificate.ts';
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

/** The program, bundled into a folder that goes with the test. */
async function bundle(): Promise<{ readonly folder: string; readonly outfile: string }> {
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
  return { folder, outfile };
}
const run = promisify(execFile);

it('works bundled and minified, directly and through a proxy, and leaves nothing that keeps the process alive', async () => {
  const { outfile } = await bundle();
  const server = await serve({ body: { id: 'p' } }, { body: { id: 'q' } });
  const direct = await run(process.execPath, [outfile, server.url]);
  expect(direct).toEqual({ stdout: '{"id":"p"}\n', stderr: '' });
  const proxied = await run(process.execPath, [outfile, 'http://api.test', server.url]);
  expect(proxied).toEqual({ stdout: '{"id":"q"}\n', stderr: '' });
  expect(server.requests[1]?.url).toBe('http://api.test/v1/status-pages/p');
});

it('trusts the certificate authority that NODE_EXTRA_CA_CERTS names', async () => {
  const { folder, outfile } = await bundle();
  const file = join(folder, 'ca.pem');
  await writeFile(file, cert);
  const server = await serveWith(
    (_request, response) => answer(response, { body: { id: 'p' } }),
    (listener) => createServer({ key, cert }, listener),
  );
  const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: file };
  const { stdout } = await run(process.execPath, [outfile, `https://localhost:${server.port}`], { env });
  expect(stdout).toBe('{"id":"p"}\n');
});
