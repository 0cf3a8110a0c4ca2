/** Gives each question the next line that was typed or pasted; what follows an Enter waits for the next question. */
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { InputStream } from '../terminal.ts';

interface Typed {
  readonly decoder: StringDecoder;
  /** Text that no question has taken. */
  text: string;
}
const typedOn = new WeakMap<InputStream, Typed>();

const LINE = /^[^\r\n]*(?:\r\n?|\n)/;

/**
 * Opens the input of one question; `close` keeps the unread lines for the next one. `isTTY` is unset, because the prompts
 * library drops what was typed into a terminal before its question. Raw mode is set on `stdin`.
 */
export function openTypedLines(stdin: InputStream & { setRawMode?(isRaw: boolean): unknown }) {
  const typed = typedOn.get(stdin) ?? { decoder: new StringDecoder('utf8'), text: '' };
  typedOn.set(stdin, typed);
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => stdin.setRawMode?.(isRaw),
  });
  let isWaiting = false;
  let isClosed = false;
  let hasEnded = !stdin.readable;

  function feed(): void {
    if (isWaiting || isClosed) return;
    const [line = typed.text] = LINE.exec(typed.text) ?? [];
    typed.text = typed.text.slice(line.length);
    if (line !== '') input.write(line);
    if (/[\r\n]$/.test(line)) {
      isWaiting = true;
      // By then, a question that the line answers is closed, and one that refuses it asks again.
      setImmediate(() =>
        setImmediate(() => {
          isWaiting = false;
          feed();
        }),
      );
    } else if (hasEnded) input.end();
  }
  const take = (chunk: Buffer | string): void => {
    typed.text += typeof chunk === 'string' ? chunk : typed.decoder.write(chunk);
    feed();
  };
  const end = (): void => {
    hasEnded = true;
    feed();
  };
  stdin.on('data', take).on('end', end);
  stdin.resume();
  // Not before the question listens.
  setImmediate(feed);
  return {
    input,
    close(): void {
      isClosed = true;
      stdin.off('data', take).off('end', end);
      stdin.pause();
    },
  };
}
