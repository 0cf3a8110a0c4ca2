/** The images of the examples: each is built from this clone as its Dockerfile says, runs, is healthy, and stops in order. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/needs.ts';
import { type Builder, openBuilder } from './images.ts';
import { untilOk, useLocation } from './location.ts';

/** Packages of Debian and npm are downloaded. */
const BUILD_MS = 1_200_000;

/** A plain script that drives the browser of the image. */
const SCRIPT = `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage();
const answer = await page.goto(process.env.PAGE);
if (answer.status() !== 200) throw new Error('the page answered ' + answer.status());
await browser.close();
`;

describe.skipIf(process.getuid?.() !== 0)('the image', { timeout: BUILD_MS }, () => {
  beforeEach(needs('buildah'));
  beforeEach(needs('mmdebstrap'));
  const location = useLocation();

  let builder: Promise<Builder> | undefined;
  afterAll(async () => (await builder)?.close(), BUILD_MS);
  /** Builds a target; the first one makes the base image, too. */
  async function build(target: string) {
    builder ??= openBuilder();
    return (await builder).build(target);
  }

  it.each([
    ['uptime', '10001'],
    // The agent, with more runtimes.
    ['migrate', '0'],
    ['dev', '0'],
  ])('%s runs as the user %s, answers its health check, and stops with 0', async (target, user) => {
    const image = await build(target);
    expect((await image.run(['id', '-u'])).trim()).toBe(user);
    if (target === 'dev') expect(await image.run(['make', '--version'])).toContain('GNU Make');
    if (target === 'migrate') {
      const list = "require('fs').readdirSync(process.env.SONDE_RUNTIMES).join()";
      expect(await image.run(['node', '-p', list])).toBe('2024.09,2025.04\n');
    }
    const port = String(await freePort());
    const env = { API_KEY: location.key, SONDE_BASE_URL: location.service.url, AGENT_HEALTH_PORT: port };
    const container = image.start(image.command, env);
    await untilOk(`http://127.0.0.1:${port}/-/readiness`);
    expect(await container.name()).toBe('tini');
    expect(await image.run(image.health, env)).toContain('OK');
    await container.stop();
    expect(await container.ended).toBe(0);
    await expect(image.run(image.health, env)).rejects.toMatchObject({ code: 1 });
  });

  it.each([
    ['service', '10001', 'process'],
    ['service-browser', '0', 'uid'],
  ])('%s runs as the user %s, answers its health check, and stops with 0', async (target, user, level) => {
    const image = await build(target);
    expect((await image.run(['id', '-u'])).trim()).toBe(user);
    const url = `http://127.0.0.1:${await freePort()}`;
    const { host, port } = new URL(url);
    const command = image.command.map((word) => word.replace('0.0.0.0:4100', host));
    const container = image.start([...command, '--allow-own-address']);
    await untilOk(`${url}/health`);
    expect(await container.name()).toBe('tini');
    // As a container runtime does, which repeats the health check while the service starts.
    await eventually(async () => expect(await image.run(image.health)).toContain(port), 500);
    const status = JSON.parse(await image.run(['sonde', 'service', 'status', '--json'])) as object;
    expect(status).toMatchObject({ isolation: { level } });

    const create = (type: string, name: string, ...more: readonly string[]) => [
      ...['sonde', 'checks', `create-${type}`, '--name', name, '--tags', 'smoke', ...more],
    ];
    await image.run(create('url', 'Health', '--url', `${url}/health`));
    if (target === 'service-browser') {
      const file = '/var/lib/sonde/page.js';
      await image.run(['sh', '-c', `printf %s "$SCRIPT" > ${file}`], { SCRIPT });
      await image.run(create('browser', 'Page', '--script-file', file, '--env', `PAGE=${url}/health`));
    }
    const gate = await image.run(['sonde', 'checks', 'run', '--tag', 'smoke', '--timeout', '4m']);
    expect(gate).toMatch(/^PASSED\tHealth\t/m);
    await container.stop();
    expect(await container.ended).toBe(0);
    await expect(image.run(image.health)).rejects.toMatchObject({ code: 1 });
  });
});
