/** Forwards the console messages and uncaught errors of pages. */
import type { ConsoleLine } from '../protocol.ts';
import { LIMITS } from '../protocol.ts';
import type { BrowserContext } from './locate-playwright.ts';

export type LogLine = (line: Omit<ConsoleLine, 'atMs'>) => void;

export function forwardPageConsole(context: BrowserContext, onLine: LogLine): void {
  context.on('console', (message) => {
    const { url, lineNumber } = message.location();
    onLine({
      from: 'page',
      level: message.type(),
      text: message.text(),
      ...(url ? { location: `${url}:${lineNumber + 1}` } : {}),
    });
  });
  context.on('weberror', (webError) => {
    const error = webError.error();
    onLine({ from: 'page-error', level: 'error', text: error.stack ?? error.message });
  });
}

/** Splits a script's output into lines, and cuts long lines. */
export function createLineReader(onLine: (text: string) => void): {
  write(chunk: Buffer | string): void;
  end(): void;
} {
  let rest = '';
  return {
    write(chunk) {
      rest += chunk.toString();
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      // Split a line without an end, to limit memory.
      if (rest.length > 4 * LIMITS.lineLength) {
        lines.push(rest);
        rest = '';
      }
      for (const line of lines) onLine(line.replace(/\r$/, ''));
    },
    end() {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
