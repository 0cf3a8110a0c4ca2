/** Ora, loaded only when a spinner is really drawn. */
import ora from 'ora';
import type { OutputStream } from '../channel.ts';

/** Draws a spinner at once. What others write to the stream meanwhile, ora moves above the spinner. */
export function drawSpinner(
  stream: OutputStream,
  text: string,
  color: boolean,
): { show(text: string): void; clear(): void } {
  const spinner = ora({
    text,
    stream,
    color: color ? 'cyan' : false,
    isEnabled: true,
    discardStdin: false,
  }).start();
  return {
    show(next) {
      spinner.text = next;
    },
    clear() {
      spinner.stop();
    },
  };
}
