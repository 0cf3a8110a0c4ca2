/** Drives the browser of an agentic check in its cell. It knows neither the task nor the model. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { BrowserContext, Page } from '@playwright/test';
import type { Library } from '../../browser/child/locate-playwright.ts';
import {
  type Command,
  MAX_ERROR_LENGTH,
  MAX_REQUESTED_HOSTS,
  type Outcome,
  type Reply,
} from '../protocol.ts';
import { readPage } from './read-page.ts';

const OPEN_MS = 30_000;
const ACTION_MS = 10_000;
const LOAD_MS = 10_000;
const IDLE_MS = 2000;
const SCREENSHOT_MS = 5000;
/** Time limits for a command, and then for the page's title, in ms. A page that exceeds them is stuck. */
const COMMAND_MS = 60_000;
const RESPONSE_MS = 30_000;
/** Delay before a failed page read is retried, in ms. */
const RETRY_MS = 1000;
const MAX_PAGES = 5;
/** Attribute that marks a field with a secret. */
const SECRET_ATTRIBUTE = 'data-sonde-hidden';

export interface DriverOptions {
  readonly socket: string;
  readonly proxy: string;
  readonly screenshotFolder: string;
}

export async function drive(
  library: Library,
  { socket: path, proxy, screenshotFolder }: DriverOptions,
): Promise<void> {
  const socket = connect(path);
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const browser = await library.chromium.launch();
  const context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    // The proxy also covers loopback, because the proxy decides which hosts are reachable.
    proxy: { server: proxy, bypass: '<-loopback>' },
  });
  context.setDefaultTimeout(ACTION_MS);
  await context.addInitScript(limitOpenPages, MAX_PAGES);
  // A page can bypass the script above.
  context.on('page', (page) => {
    if (context.pages().length > MAX_PAGES) page.close().catch(() => {});
  });
  const takeRequestedHosts = trackRequestedHosts(context);
  createInterface({ input: socket }).on('line', async (line) => {
    const outcome = await executeCommand(JSON.parse(line) as Command, context, screenshotFolder);
    const reply: Reply = { ...outcome, requestedHosts: takeRequestedHosts() };
    socket.write(`${JSON.stringify(reply)}\n`);
  });
  // A stuck page may block a command, but must not block the end.
  await closed;
  await browser.close();
}

/** Runs in each page. Hundreds of windows would cost the browser minutes, even if they were closed at once. */
function limitOpenPages(maxPages: number): void {
  type OpenedPage = { readonly closed: boolean };
  const page = globalThis as unknown as { open(...args: unknown[]): OpenedPage | null };
  const open = page.open.bind(globalThis);
  let opened: OpenedPage[] = [];
  page.open = (...given) => {
    opened = opened.filter(({ closed }) => !closed);
    if (opened.length >= maxPages) return null;
    const other = open(...given);
    if (other) opened.push(other);
    return other;
  };
}

/** Returns a function that returns the hosts that pages requested since its last call, as `host:port`. */
function trackRequestedHosts(context: BrowserContext): () => string[] {
  const hosts = new Set<string>();
  const addHost = (url: string) => {
    if (!/^(?:http|ws)s?:/.test(url) || hosts.size >= MAX_REQUESTED_HOSTS) return;
    const { hostname, port, protocol } = new URL(url);
    hosts.add(`${hostname.replace(/^\[|\]$/g, '')}:${port || (/s:$/.test(protocol) ? 443 : 80)}`);
  };
  context.on('request', (request) => addHost(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => addHost(socket.url())));
  return () => {
    const result = [...hosts];
    hosts.clear();
    return result;
  };
}

async function executeCommand(
  command: Command,
  context: BrowserContext,
  screenshotFolder: string,
): Promise<Outcome> {
  try {
    const effect = withTimeout(COMMAND_MS, performCommand(command, context, screenshotFolder)).catch(
      (error: unknown) => {
        if (error instanceof NoResponse) throw error;
        return { failure: error };
      },
    );
    const effectOrFailure = await effect;
    const page = await newestPage(context);
    const title = await withTimeout(
      RESPONSE_MS,
      page.title().catch(() => ''),
    );
    if ('failure' in effectOrFailure) throw effectOrFailure.failure;
    return { isDone: true, url: page.url(), title, text: '', status: null, ...effectOrFailure };
  } catch (error) {
    const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
    const isUnusable = error instanceof NoResponse || command.do === 'read';
    const description =
      isUnusable && !(error instanceof NoResponse) ? `the page could not be read: ${message}` : message;
    return { isDone: false, error: description.slice(0, MAX_ERROR_LENGTH), isUnusable };
  }
}

class NoResponse extends Error {}

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `the page did not respond within ${ms / 1000} s`;
    timer = setTimeout(() => reject(new NoResponse(message)), ms);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

interface Effect {
  readonly text?: string;
  readonly status?: number | null;
}

async function performCommand(
  command: Command,
  context: BrowserContext,
  screenshotFolder: string,
): Promise<Effect> {
  const page = await newestPage(context);
  switch (command.do) {
    case 'open': {
      const answer = await page.goto(command.url, { waitUntil: 'domcontentloaded', timeout: OPEN_MS });
      await waitUntilLoaded(page);
      return { status: answer?.status() ?? null };
    }
    case 'click':
      await page.getByRef(command.ref).click();
      await waitUntilLoaded(await newestPage(context));
      return {};
    case 'type':
      await type(page, command);
      await waitUntilLoaded(await newestPage(context));
      return {};
    case 'read':
      try {
        return { text: await readPage(page) };
      } catch {
        // The page may have changed in the meantime.
        await sleep(RETRY_MS);
        return { text: await readPage(await newestPage(context)) };
      }
    case 'picture':
      await page.screenshot({
        path: join(screenshotFolder, `${command.name}.jpeg`),
        type: 'jpeg',
        quality: 70,
        timeout: SCREENSHOT_MS,
        animations: 'disabled',
        mask: [page.locator(`[${SECRET_ATTRIBUTE}]`)],
      });
      return {};
    default:
      return command satisfies never;
  }
}

async function type(page: Page, { ref, text, isSecret }: Extract<Command, { do: 'type' }>): Promise<void> {
  const field = page.getByRef(ref);
  const value = text.replace(/\n$/, '');
  if (isSecret) await field.evaluate((element, name) => element.setAttribute(name, ''), SECRET_ATTRIBUTE);
  const isList = await field.evaluate((element) => element.nodeName === 'SELECT');
  if (isList) await field.selectOption(value);
  else await field.fill(value);
  if (value !== text) await field.press('Enter');
}

/** Returns the page that was opened last. A popup replaces its opener until it is closed, unless it loaded nothing. */
async function newestPage(context: BrowserContext): Promise<Page> {
  const pages = context.pages();
  const isLoaded = (page: Page) => !page.url().startsWith('chrome-error:');
  return pages.findLast(isLoaded) ?? pages.at(-1) ?? context.newPage();
}

/** Waits until loading ends. A page that never finishes is read in its current state. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('load', { timeout: LOAD_MS }).catch(() => {});
  await page.waitForLoadState('networkidle', { timeout: IDLE_MS }).catch(() => {});
}
