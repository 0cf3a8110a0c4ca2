/** A page of the documentation whose commands run in order, in one shell, with a service that belongs to the page. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest';
import { type LoopbackNameServer, startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import type { Env, Ran } from './binary.ts';
import { openShell, type Shell } from './shell.ts';

const RECORDS = [{ type: 'A', data: '192.0.2.1' }] as const;

/** Returns the texts of the code blocks of a language. */
export const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) =>
    String(text),
  );

export interface GuideOptions {
  /** More variables of the shell. */
  readonly env?: () => Promise<Env>;
  /** Files in the working folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Returns the commands as the test runs them. */
  readonly change?: (commands: string) => string;
  /** Leaves out the first blocks, which another test covers. */
  readonly skipped?: number;
  /** Checks for programs that the commands need. */
  readonly needs?: readonly ((context: TestContext) => void)[];
  /** Starts no service: the page does. */
  readonly startsService?: boolean;
}

export interface Guide {
  readonly shell: Shell;
  /** How the commands of the page ended. */
  readonly ran: Ran;
}

/** Tests that every `sh` block of a page runs. Returns the shell and the output, for tests that follow. */
export function testGuide(path: string, options: GuideOptions = {}): () => Guide {
  const { env, files = {}, change = (text) => text, skipped = 0, needs = [], startsService } = options;
  let nameServer: LoopbackNameServer;
  let shell: Shell;
  let ran: Ran;
  beforeAll(async () => {
    nameServer = await startLoopbackNameServer({
      records: { 'example.com': [...RECORDS], 'shop.example.com': [...RECORDS] },
    });
    shell = openShell({ SONDE_RESOLVERS: `${nameServer.address}:${nameServer.port}`, ...(await env?.()) });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(shell.folder, name)), { recursive: true });
      writeFileSync(join(shell.folder, name), text);
    }
    if (startsService === true) return;
    const { code, stderr } = await shell.run('sonde service start --detach');
    expect(code, stderr).toBe(0);
  });
  afterAll(async () => {
    await shell.close();
    await nameServer.close();
  });

  // Tests that follow look at what the commands left.
  beforeEach((context) => {
    for (const need of needs) need(context);
  });

  test(`${path}: every command runs`, async () => {
    const blocks = blocksOf(readFileSync(path, 'utf8'), 'sh').slice(skipped);
    expect(blocks.length).toBeGreaterThan(0);
    const marked = blocks.map((block, index) => `echo "--- block ${index + 1}" >&2\n${block}`);
    ran = await shell.run(change(marked.join('\n')));
    expect(ran.code, `${ran.stdout}${ran.stderr}`).toBe(0);
  });
  return () => ({ shell, ran });
}
