/** A real authoritative name server for tests: Knot DNS in the foreground, on a loopback port, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { findProgram, needs } from '../needs.ts';

export interface Knot {
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
}

const START_ATTEMPTS = 5;

export const needsKnot = needs('knotd', 'knot');

/**
 * Starts knotd with the zones, each a name and its file's text; a zone without text has no file, so that the server
 * answers SERVFAIL for it. Undefined where there is no knotd.
 */
export async function startKnot(zones: Readonly<Record<string, string | null>>): Promise<Knot | undefined> {
  const program = findProgram('knotd');
  if (program === undefined) return undefined;
  for (let attempt = 1; ; attempt += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'sonde-knot-'));
    const port = await freePort();
    await writeFile(join(folder, 'knot.conf'), configuration(folder, port, Object.keys(zones)));
    for (const [name, text] of Object.entries(zones)) {
      if (text !== null) await writeFile(join(folder, `${name}.zone`), text);
    }
    const server = spawn(program, ['-c', join(folder, 'knot.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
    const stop = async () => {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    const trouble = await ready(server, Object.entries(zones));
    if (trouble === undefined) return { address: '127.0.0.1', port, stop };
    await stop();
    if (attempt >= START_ATTEMPTS) throw new Error(`knotd did not start: ${trouble}`);
  }
}

/** Waits for what the server says of itself and of each zone; answers its words where it ends instead. */
function ready(
  server: ChildProcess,
  zones: readonly (readonly [string, string | null])[],
): Promise<string | undefined> {
  const awaited = [
    'server started',
    ...zones.map(([name, text]) =>
      text === null ? `[${name}.] zone event 'load' failed` : `[${name}.] loaded`,
    ),
  ];
  return new Promise((resolve) => {
    let log = '';
    server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      if (log.includes('cannot bind')) resolve(log);
      if (awaited.every((words) => log.includes(words))) resolve(undefined);
    });
    server.once('error', (error) => resolve(error.message));
    server.once('close', () => resolve(log));
  });
}

function configuration(folder: string, port: number, zones: readonly string[]): string {
  return [
    'server:',
    `    listen: 127.0.0.1@${port}`,
    `    rundir: "${folder}"`,
    'database:',
    `    storage: "${folder}"`,
    'control:',
    `    listen: "${join(folder, 'knot.sock')}"`,
    'log:',
    '  - target: stderr',
    '    any: info',
    'zone:',
    ...zones.flatMap((name) => [`  - domain: ${name}`, `    file: "${join(folder, `${name}.zone`)}"`]),
    '',
  ].join('\n');
}
