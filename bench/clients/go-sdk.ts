/**
 * Builds the program of test/clients/go-sdk with a checkout of the Go SDK, runs it against a service, and writes its requests
 * and its rows of docs/compatibility.md: `node scripts/bench.mjs bench/clients/go-sdk.ts FOLDER VERSION`. It needs Go.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { cert, key } from '../../test/client/certificate.ts';
import { formatRows } from '../../test/clients/compatibility.ts';
import { summarizeCalls } from '../../test/clients/go-sdk/failures.ts';
import { createIds, type RecordedRequest } from '../../test/clients/go-sdk/recording.ts';
import { type GoSdkWorld, startGoSdkWorld } from '../../test/clients/go-sdk/world.ts';

const PACKAGE = 'github.com/checkly/checkly-go-sdk';
const PROGRAM = 'test/clients/go-sdk';
const run = promisify(execFile);

/** Builds the program in a Go workspace of the older kind, which needs no module proxy. */
async function buildProgram(workspace: string, sdk: string): Promise<string> {
  const folder = join(workspace, 'src', PACKAGE);
  await mkdir(folder, { recursive: true });
  for (const file of ['checkly.go', 'types.go']) await cp(join(sdk, file), join(folder, file));
  const program = join(workspace, 'calls');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: workspace };
  await run('go', ['build', '-o', program, `./${PROGRAM}`], { env });
  return program;
}

/** Starts a server that forwards requests to the service and records them. */
async function startRecorder(world: GoSdkWorld) {
  const requests: RecordedRequest[] = [];
  const ids = createIds(world);
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const sent = await buffer(incoming);
    const isFile = type === 'application/octet-stream';
    const body: unknown = isFile || sent.length === 0 ? undefined : JSON.parse(sent.toString());
    const answer = await fetch(world.url + url, {
      method,
      headers: { authorization, 'content-type': type },
      ...(sent.length === 0 ? {} : { body: new Uint8Array(sent) }),
    });
    const text = await answer.text();
    const file = isFile ? { file: sent.toString('base64') } : {};
    requests.push(ids.generalize({ method, path: url, body, ...file, status: answer.status }));
    ids.learn(requests.length - 1, method, text);
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() };
}

export async function main([sdk = '', version = '']: readonly string[]): Promise<number> {
  const workspace = await mkdtemp(join(tmpdir(), 'sonde-go-sdk-'));
  const world = await startGoSdkWorld();
  const recorder = await startRecorder(world);
  try {
    const program = await buildProgram(workspace, sdk);
    const ids = [world.apiKey, world.accountId, world.checkId, world.resultId, world.suiteId];
    const env = { ...process.env, CLIENT_CERTIFICATE: cert, CLIENT_KEY: key };
    const { stdout } = await run(program, [recorder.url, ...ids], { env });
    const { rows, unexplained, text } = summarizeCalls(stdout);
    console.log(text);
    const client = `Go SDK (\`${PACKAGE}\`)`;
    await writeFile(
      'test/clients/rows/go-sdk.json',
      formatRows({ client, version, direction: 'client', rows }),
    );
    await writeFile(`${PROGRAM}/requests.json`, `${JSON.stringify(recorder.requests, null, 2)}\n`);
    return unexplained.length === 0 ? 0 : 1;
  } finally {
    recorder.close();
    await world.close();
    await rm(workspace, { recursive: true, force: true });
  }
}
