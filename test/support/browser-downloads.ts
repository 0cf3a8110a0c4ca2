/** A server on loopback that stands in for what browsers are downloaded from: Playwright's site and the npm registry. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { onTestFinished } from 'vitest';
import lock from '../../package-lock.json' with { type: 'json' };
import { writeChromiumPackage } from '../runners/browser/support.ts';

export interface Downloads {
  /** What sonde, npm and Playwright need in their environment to download from here. */
  env(home: string): Readonly<Record<string, string>>;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** Resolves once somebody waits for a download that never comes. */
  readonly isHanging: Promise<void>;
  /** Resolves once whoever waited for it has gone. */
  readonly isLeft: Promise<void>;
}

export interface Offer {
  /** The shell script that Playwright's site has as the browser; left out: nothing. */
  readonly playwright?: string;
  /** The shell script that the package has as the browser; `hang`: its download never ends; left out: there is no such package. */
  readonly npm?: string;
  /** The code of the package, which also runs as each of its npm scripts. */
  readonly npmCode?: string;
  /** Whether the registry says the checksum of what it sends, not that of the real package. */
  readonly isHonest?: boolean;
}

const VERSION = '147.0.0';
const PROGRAM = 'chrome-headless-shell-linux64/chrome-headless-shell';

/** Serves until the test is over. */
export async function serveDownloads({ playwright, npm, npmCode, isHonest }: Offer): Promise<Downloads> {
  const tarball = npm === undefined ? undefined : await packed(npm, npmCode);
  const zip =
    playwright === undefined
      ? undefined
      : zipSync({ [PROGRAM]: [strToU8(`#!/bin/sh\n${playwright}\n`), { os: 3, attrs: 0o100755 << 16 }] });
  const asked: string[] = [];
  let hang = () => {};
  let leave = () => {};
  const isHanging = new Promise<void>((resolve) => {
    hang = resolve;
  });
  const isLeft = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const send = (response: ServerResponse, body: Uint8Array | undefined) =>
    body === undefined
      ? response.writeHead(404).end('{}')
      : response.writeHead(200, { 'content-length': body.length }).end(body);
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    if (path.endsWith('.zip')) return send(response, zip);
    if (path === '/chromium.tgz' && npm === 'hang') {
      response.once('close', leave);
      return hang();
    }
    if (path === '/chromium.tgz') return send(response, tarball);
    if (path.toLowerCase() === '/@sparticuz%2fchromium')
      return send(response, tarball && strToU8(JSON.stringify(documentOf(tarball))));
    return send(response, undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const documentOf = (bytes: Uint8Array) => ({
    name: '@sparticuz/chromium',
    'dist-tags': { latest: VERSION },
    versions: {
      [VERSION]: {
        ...{ name: '@sparticuz/chromium', version: VERSION },
        dist: {
          tarball: `${url}/chromium.tgz`,
          integrity: isHonest
            ? `sha512-${createHash('sha512').update(bytes).digest('base64')}`
            : lock.packages['node_modules/@sparticuz/chromium'].integrity,
        },
      },
    },
  });
  return {
    ...{ asked, isHanging, isLeft },
    env: (home) => ({
      PLAYWRIGHT_DOWNLOAD_HOST: url,
      npm_config_registry: url,
      npm_config_cache: join(home, 'npm-cache'),
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    }),
  };
}

/** The package as npm packs it. */
async function packed(program: string, code: string | undefined): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-package-'));
  await writeChromiumPackage(join(folder, 'package'), { version: VERSION, program, code });
  const file = join(folder, 'chromium.tgz');
  await promisify(execFile)('tar', ['-czf', file, '-C', folder, 'package']);
  const bytes = await readFile(file);
  await rm(folder, { recursive: true, force: true });
  return bytes;
}
