/** An npm registry on loopback: it has this checkout as a package, and sends npm to the real registry for every other. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { built } from './binary.ts';

const run = promisify(execFile);

export interface Registry {
  readonly url: string;
  /** What npm needs in its environment to install from here, and to keep the cache and the settings that it has. */
  readonly env: Readonly<Record<string, string>>;
  /** The paths that npm asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Settings of npm that hold wherever its home is. */
const KEPT = ['cache', 'userconfig', 'globalconfig', 'proxy', 'https-proxy', 'cafile'] as const;

/** Packs `dist` as it is and serves it. */
export async function startRegistry(): Promise<Registry> {
  await built();
  const folder = await mkdtemp(join(tmpdir(), 'sonde-registry-'));
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(packed.stdout);
  const tarball = await readFile(join(folder, filename));
  await rm(folder, { recursive: true, force: true });
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  const settings = JSON.parse((await run('npm', ['config', 'list', '--json'])).stdout);

  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    if (path === `/${manifest.name}`) {
      // The next registry on this port may hold another build.
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      response.writeHead(200, headers).end(JSON.stringify(document()));
    } else if (path === `/${filename}`) {
      response.setHeader('content-type', 'application/octet-stream').end(tarball);
    } else {
      response.writeHead(302, { location: new URL(`.${path}`, settings.registry).href }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = () => ({
    name: manifest.name,
    'dist-tags': { latest: manifest.version },
    versions: {
      [manifest.version]: {
        ...manifest,
        dist: {
          tarball: `${url}/${filename}`,
          integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
        },
      },
    },
  });
  const kept = KEPT.flatMap((name) => (settings[name] ? [[name, String(settings[name])]] : []));
  const chosen = {
    ...{ registry: url, 'prefer-offline': 'true' },
    ...{ audit: 'false', fund: 'false', 'update-notifier': 'false' },
  };
  const named = [
    ...kept,
    ...Object.entries(chosen),
    ['replace-registry-host', 'never'],
    ['noproxy', '127.0.0.1'],
  ];
  const env = Object.fromEntries(
    named.map(([name, value]) => [`npm_config_${name?.replaceAll('-', '_')}`, value]),
  );
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return {
    url,
    env: { ...env, ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}) },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
