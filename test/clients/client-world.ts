/** Sets up the tests of the npm client: a service, a project, the target servers of its checks, and the client. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { World } from '../e2e/world.ts';
import type { Ran } from '../support/binary.ts';
import { type Targets, type Variant, writeProject } from './project.ts';
import { type Client, type ClientVersion, clientOf, installClient } from './published-client.ts';

const INSTALL_TIMEOUT_MS = 6 * 60_000;
const PAGE = '<!doctype html><title>Shop</title><h1>Shop</h1>';

export interface ClientWorld {
  /** The folder of the project. */
  readonly folder: () => string;
  /** Writes the project again, with changes. */
  readonly write: (variant?: Variant) => Promise<void>;
  /** Runs a command that must succeed, and returns its output. */
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** Runs a command that must fail, and returns what it says, on one line. */
  readonly refused: (...args: readonly string[]) => Promise<string>;
  /** The commands that succeeded: `checks list`. */
  readonly succeeded: ReadonlySet<string>;
  /** Returns what the service answers to a GET. */
  readonly read: <T>(path: string) => Promise<T>;
}

/** Returns the command of a line, without its arguments and flags. */
function commandOf(args: readonly string[]): string {
  const end = args.findIndex((arg) => !/^[a-z-]*[a-z]$/.test(arg) || arg.startsWith('-'));
  return args.slice(0, end < 0 ? 2 : Math.min(end, 2)).join(' ');
}

const said = ({ stdout, stderr }: Ran) => `${stdout}\n${stderr}`;

/** Starts the servers before the first test of a block and stops them after the last one. Installs the client if needed. */
export function useClient(world: World, version: ClientVersion): ClientWorld {
  const closing: (() => unknown)[] = [];
  const succeeded = new Set<string>();
  let packages: string;
  let folder: string;
  let targets: Targets;
  let client: Client;

  beforeAll(async () => {
    const installed = await installClient(version);
    packages = installed.packages;
    folder = await mkdtemp(join(tmpdir(), 'sonde-client-'));
    const page = createHttpServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(PAGE);
    });
    const port = createServer((socket) => socket.end());
    for (const server of [page, port]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closing.push(() => server.close());
    }
    const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
    targets = {
      page: `http://127.0.0.1:${portOf(page)}/`,
      tcpPort: portOf(port),
      dnsPort: world.names.port,
    };
    client = clientOf(world.service, installed, folder);
    await writeProject(folder, packages, targets);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const close of closing) close();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    folder: () => folder,
    write: (variant) => writeProject(folder, packages, targets, variant),
    async run(...args) {
      const ran = await client(...args);
      if (ran.code !== 0) throw new Error(`${args.join(' ')} exits with ${ran.code}\n${said(ran)}`);
      succeeded.add(commandOf(args));
      return ran.stdout;
    },
    succeeded,
    async refused(...args) {
      const ran = await client(...args);
      expect(ran.code).not.toBe(0);
      return said(ran).replaceAll(/\s+/g, ' ');
    },
    read: async <T>(path: string) => (await world.service.api(`GET ${path}`)).body as T,
  };
}
