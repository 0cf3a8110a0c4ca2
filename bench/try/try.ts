/**
 * What `sonde try` of a URL check costs beside curl: `npm run bench:try [rounds]`, 21 where none are named. Each round runs curl, a bare
 * Node, a Node with `fetch`, and sonde in turn against the same servers; the medians are compared.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, bareEnv } from '../../test/support/binary.ts';
import { makeAuthority } from '../../test/support/fault-proxy/authority.ts';
import { credentialsOf } from '../../test/support/mutual-tls.ts';
import { quantile } from '../gate/table.ts';

/** Fewer rounds say little. */
const LEAST_ROUNDS = 15;
/** The answer of a server that is not on this machine, in ms. */
const DELAY_MS = 100;
/** The most that the overhead may be, as a multiple of curl's time. */
const MOST = 2;

interface Target {
  readonly name: string;
  readonly url: string;
}

/** Milliseconds from start to end of a program. */
function time(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(`${[program, ...args].join(' ')} ended with ${code}: ${said}`));
    });
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const respond: RequestListener = ({ url }, response) =>
  void setTimeout(() => response.end('hello'), url === '/late' ? DELAY_MS : 0);

/** Writes a check of the target, and returns what each round runs. */
async function linesOf({ name, url }: Target, folder: string, ca: string) {
  const file = join(folder, `${name}.yaml`);
  await writeFile(
    file,
    `checkType: URL\nname: ${name}\nrequest:\n  url: ${url}\n  assertions:\n    - {source: STATUS_CODE, comparison: EQUALS, target: "200"}\n`,
  );
  const fetching = `fetch(${JSON.stringify(url)}).then((answer) => answer.text())`;
  return {
    curl: ['curl', '--silent', '--show-error', '--fail', '--cacert', ca, url],
    'node -e 0': [process.execPath, '-e', '0'],
    'node fetch': [process.execPath, '-e', fetching],
    'sonde try': [process.execPath, BINARY, 'try', file],
  };
}

export async function main([given = '21']: readonly string[]): Promise<number> {
  const rounds = Number(given);
  if (!Number.isInteger(rounds) || rounds < LEAST_ROUNDS) {
    console.error(`The number of rounds is ${LEAST_ROUNDS} or more, not ${given}.`);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-try-'));
  const authority = await makeAuthority();
  const plain = createServer(respond);
  const secure = createSecureServer(await credentialsOf(authority, 'good'), respond);
  const [port, securePort] = [await listen(plain), await listen(secure)];
  const targets: readonly Target[] = [
    { name: 'http', url: `http://127.0.0.1:${port}/` },
    { name: 'https', url: `https://127.0.0.1:${securePort}/` },
    { name: `https-${DELAY_MS}ms`, url: `https://127.0.0.1:${securePort}/late` },
  ];
  const env = bareEnv(folder, { NODE_EXTRA_CA_CERTS: authority.file });
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds, medians in ms`,
  );
  const print = (cells: readonly string[]) =>
    console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(14) : cell.padStart(12))).join(''));
  print(['target', 'curl', 'node -e 0', 'node fetch', 'sonde try', 'overhead', '× curl', '× fetch']);
  let isMissed = false;
  let most = 0;
  try {
    for (const target of targets) {
      const lines = Object.entries(await linesOf(target, folder, authority.file));
      const times = new Map(lines.map(([name]) => [name, [] as number[]]));
      for (const [, line] of lines) await time(line, env, folder);
      for (let round = 0; round < rounds; round++)
        for (const [name, line] of lines) times.get(name)?.push(await time(line, env, folder));
      const median = (name: string) => quantile(times.get(name) ?? [], 0.5);
      const [curl, sonde] = [median('curl'), median('sonde try')];
      const overhead = sonde - curl;
      most = Math.max(most, overhead);
      isMissed ||= overhead > MOST * curl;
      print([
        target.name,
        ...[...times.keys()].map((name) => median(name).toFixed(0)),
        overhead.toFixed(0),
        (overhead / curl).toFixed(1),
        (sonde / median('node fetch')).toFixed(2),
      ]);
    }
  } finally {
    for (const server of [plain, secure]) server.close();
    await authority.remove();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(
    `The overhead is at most ${MOST} × curl for targets for which curl takes at least ${Math.ceil(most / MOST)} ms.`,
  );
  return isMissed ? 1 : 0;
}
