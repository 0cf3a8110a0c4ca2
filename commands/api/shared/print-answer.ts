/** Prints the response of any endpoint: JSON as data, everything else as text. */

import { UsageError } from '../../../src/base/errors.ts';
import { createEntryCount, incompleteList } from '../../../src/client/entry-count.ts';
import type { Answer, Client } from '../../../src/client/index.ts';
import { createPageGuard, readCursor } from '../../../src/client/pages.ts';
import {
  type OutputOptions,
  render,
  sanitizeBlock,
  sanitizeLine,
  type Terminal,
} from '../../../src/terminal/index.ts';
import type { ApiRequest } from './request.ts';

/** Returns JSON as the default format, because an unknown response has no columns. */
const formatOf = (output: OutputOptions): OutputOptions => ({ ...output, format: output.format ?? 'json' });

/** Prints one response. */
export async function printAnswer(
  terminal: Terminal,
  { body, text, file, headers, status }: Answer<unknown>,
  output: OutputOptions,
): Promise<void> {
  if (file !== undefined) {
    if (!terminal.stdoutIsTTY && output.format === undefined) return terminal.outBytes(file);
    const type = sanitizeLine(headers['content-type'] ?? 'unknown type');
    const size = `${Math.max(1, Math.round(file.length / 1024))} kB`;
    throw new UsageError(`the response is a binary file (${type}, ${size})`, {
      hint: 'to save it, run: sonde api get … > file',
    });
  }
  if (text.trim() === '') return terminal.note(`The service responded with ${status} without a body.`);
  // With a format, the reader is a program: print text as a JSON string.
  const data = body === undefined && output.format !== undefined ? text : body;
  if (data !== undefined) return printData(terminal, data, output);
  const shown = terminal.stdoutIsTTY ? sanitizeBlock(text) : text;
  await terminal.out(terminal.stdoutIsTTY && !shown.endsWith('\n') ? `${shown}\n` : shown);
}

async function printData(terminal: Terminal, data: unknown, output: OutputOptions): Promise<void> {
  const chosen = formatOf(output);
  const asRows = ['table', 'tsv', 'csv', 'jsonl'].includes(chosen.format ?? '');
  const entries = typeof data === 'object' && data !== null && 'entries' in data ? data.entries : undefined;
  if (Array.isArray(data)) return render(terminal, { kind: 'list', data, output: chosen });
  if (asRows && Array.isArray(entries))
    return render(terminal, { kind: 'list', data: entries, output: chosen });
  const isItem = typeof data === 'object' && data !== null;
  await render(terminal, {
    kind: 'item',
    data,
    output: isItem || !asRows ? chosen : { ...chosen, format: 'json' },
  });
}

export async function printHead(terminal: Terminal, { status, headers }: Answer<unknown>): Promise<void> {
  const { STATUS_CODES } = await import('node:http');
  const lines = Object.entries(headers).map(([name, value]) => sanitizeLine(`${name}: ${value}`));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  await terminal.out(`${[head, ...lines].join('\n')}\n\n`);
}

export interface PageRequest {
  readonly client: Client;
  readonly request: ApiRequest;
  readonly signal: AbortSignal;
}

/**
 * Returns the rows of all pages, from the requested page on. A plain array is paged by `page`, `{entries, nextId}` by `nextId`.
 * Returns the first response itself if it is no list.
 */
export async function fetchAllPages(
  gathering: PageRequest,
): Promise<{ readonly rows: AsyncGenerator<unknown> } | { readonly single: Answer<unknown> }> {
  const first = await fetchPage(gathering, {});
  return readPage(first.body) === undefined ? { single: first } : { rows: listRows(first, gathering) };
}

interface Page {
  readonly entries: readonly unknown[];
  /** Undefined: the list is paged by number. Null: this is the last page. */
  readonly nextId: string | null | undefined;
}

function readPage(body: unknown): Page | undefined {
  if (Array.isArray(body)) return { entries: body, nextId: undefined };
  const { entries, nextId } = (body ?? {}) as { readonly entries?: unknown; readonly nextId?: unknown };
  if (!Array.isArray(entries)) return undefined;
  return { entries, nextId: readCursor(nextId) ?? null };
}

/** Sends the request with changed query parameters. */
function fetchPage(
  { client, request, signal }: PageRequest,
  step: Readonly<Record<string, string>>,
): Promise<Answer<unknown>> {
  const [pathname = '', query] = request.path.split(/\?(.*)/s);
  const unchanged = (query ?? '')
    .split('&')
    .filter((part) => part !== '' && !Object.keys(step).some((name) => part.startsWith(`${name}=`)));
  const steps = Object.entries(step).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const all = [...unchanged, ...steps];
  const path = all.length === 0 ? pathname : `${pathname}?${all.join('&')}`;
  return client.raw(request.method, path, request.input, { signal });
}

async function* listRows(first: Answer<unknown>, gathering: PageRequest): AsyncGenerator<unknown> {
  const { method, path } = gathering.request;
  const query = new URLSearchParams(path.split('?')[1] ?? '');
  const limit = Number(query.get('limit')) || undefined;
  const byCursor = readPage(first.body)?.nextId !== undefined;
  const endpoint = `${method} ${path}`;
  const assertProgress = createPageGuard({ method, path, paging: byCursor ? 'cursor' : 'page' });
  let start: string | undefined;
  let number = Number(query.get('page')) || 1;
  const isFromStart = byCursor ? !query.has('nextId') : number === 1;
  const count = createEntryCount(
    endpoint,
    isFromStart ? 0 : !byCursor && limit !== undefined ? (number - 1) * limit : undefined,
  );
  for (let answer = first; ; ) {
    const page = readPage(answer.body);
    if (page === undefined)
      throw incompleteList(endpoint, `page ${number} is not a list`, 'the service or a proxy is faulty');
    const { entries, nextId } = page;
    if (nextId === undefined) {
      if (entries.length === 0) return count.assertWhole();
      const mark = identifyRow(entries[0]);
      // An endpoint without paging returns the same page again.
      if (mark === start) return count.assertWhole();
      start ??= mark;
    }
    const { isShort } = count.add(answer, entries.length);
    const isLast =
      nextId === null || (nextId === undefined && limit !== undefined && entries.length < limit && !isShort);
    if (isLast) count.assertWhole();
    else {
      assertProgress(answer.text, entries, nextId);
      count.assertEnds();
    }
    yield* entries;
    if (isLast) return;
    number++;
    answer = await fetchPage(gathering, nextId === undefined ? { page: String(number) } : { nextId });
  }
}

function identifyRow(row: unknown): string {
  const { id } = (typeof row === 'object' && row !== null ? row : {}) as { readonly id?: unknown };
  return `row ${JSON.stringify(id ?? row)}`;
}
