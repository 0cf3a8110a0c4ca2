/** Tests before a suite whether the browser renders a page, and whether Chromium's sandbox works. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { SuitePreparation } from '../../browser/protocol.ts';

/** Time limit for a browser to render a page, in ms. */
const PROBE_MS = 45_000;
const ARGS = [
  '--headless',
  '--disable-gpu',
  '--no-first-run',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
];

/** `isLate`: the browser only exceeded the time limit. */
type ProbeResult = { readonly version: string } | { readonly problem: string; readonly isLate: boolean };

/** Returns the browser's version and whether its sandbox works, or why it renders no page. */
export async function probeBrowser({ executablePath, sandboxed, folder }: SuitePreparation) {
  const first = await start(executablePath, folder, sandboxed);
  if ('version' in first) return { browser: first.version, sandboxed };
  // A timeout on a busy machine does not mean that the sandbox fails.
  const isSandboxed = sandboxed && first.isLate;
  const second = await start(executablePath, folder, isSandboxed);
  return 'version' in second ? { browser: second.version, sandboxed: isSandboxed } : second.problem;
}

async function start(executablePath: string, folder: string, withSandbox: boolean): Promise<ProbeResult> {
  const profile = await mkdtemp(join(folder, 'probe-'));
  const args = [
    ...ARGS,
    `--user-data-dir=${profile}`,
    ...(withSandbox ? [] : ['--no-sandbox']),
    'about:blank',
  ];
  const browser = spawn(executablePath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  let stderr = '';
  browser.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => {
    browser.once('error', ({ message }) => {
      stderr = message;
      resolve();
    });
    browser.once('close', () => resolve());
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      showPage(browser.stdio[3] as Writable, browser.stdio[4] as Readable),
      ended.then(() => ({
        problem: `the browser ended: ${stderr.trim() || 'no output'}`,
        isLate: false,
      })),
      new Promise<ProbeResult>((resolve) => {
        const problem = `the browser rendered no page within ${PROBE_MS / 1000} s`;
        timer = setTimeout(() => resolve({ problem, isLate: true }), PROBE_MS);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    browser.kill('SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Answer {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** Uses the DevTools protocol over the browser's pipe: one JSON object for each message, followed by a NUL. */
async function showPage(requests: Writable, answers: Readable): Promise<ProbeResult> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let rest = '';
  answers.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const answer = JSON.parse(message) as Answer;
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
    }
  });
  // The end of the browser is handled elsewhere.
  requests.on('error', () => {});
  const call = (method: string, params: object = {}, sessionId?: unknown): Promise<Answer> => {
    const id = waiting.size + 1;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    requests.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answered;
  };
  const { result: versionInfo } = await call('Browser.getVersion');
  const { result: target } = await call('Target.createTarget', { url: 'about:blank' });
  const { result: session } = await call('Target.attachToTarget', {
    targetId: target?.targetId,
    flatten: true,
  });
  const shown = await call('Runtime.evaluate', { expression: 'document.readyState' }, session?.sessionId);
  if (shown.error)
    return { problem: `the browser cannot render a page: ${shown.error.message}`, isLate: false };
  // `HeadlessChrome/147.0.7727.55`
  return { version: /(?<!\d)\d+(?:\.\d+)+/.exec(String(versionInfo?.product))?.[0] ?? '' };
}
