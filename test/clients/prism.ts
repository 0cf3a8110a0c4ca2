/** Prism, an OpenAPI proxy, between a client and the service: it holds every request and response against `docs/openapi.json`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port.ts';
import { installPackage } from './npm-package.ts';

const PACKAGE = '@stoplight/prism-cli';
export const PRISM_VERSION = '5.14.2';
const DOCUMENT = join(import.meta.dirname, '../../docs/openapi.json');

export interface Prism {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts Prism before a service. `strict`: a violation of a request is answered with 422, one of a response with 500. Otherwise
 * both travel in the header `sl-violations`.
 */
export async function startPrism(upstream: string, { strict }: { readonly strict: boolean }): Promise<Prism> {
  const packages = await installPackage(PACKAGE, PRISM_VERSION);
  const port = await freePort();
  const program = join(packages, PACKAGE, 'dist/index.js');
  const flags = [...(strict ? ['--errors'] : []), '--port', String(port), '--host', '127.0.0.1'];
  const child = spawn(process.execPath, [program, 'proxy', DOCUMENT, upstream, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => line.includes('is listening') && resolve());
    void ended.then(() => reject(new Error('Prism ended before it listened')));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill();
      await ended;
    },
  };
}
