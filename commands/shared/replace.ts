/** Replaces something: shows the difference, asks a person, keeps what stood, sends, and says how to go back. */
import { ApiError, SondeError } from '../../src/base/errors.ts';
import { redact } from '../../src/client/index.ts';
import type { Endpoint } from '../../src/contract/index.ts';
import { violationsOf } from '../../src/contract/validate.ts';
import { paint, sanitizeBlock, wantsJson } from '../../src/terminal/index.ts';
import type { Deps, Invocation } from '../kernel/index.ts';
import { ask } from './ask.ts';
import { commandLine } from './command-line.ts';
import { forget, keepPrevious } from './keep.ts';
import { comparable, requestForm } from './request-form.ts';

export interface Replacement<R> {
  /** What is replaced: `status page`. */
  readonly noun: string;
  readonly id: string | number;
  /** Takes the new body. */
  readonly endpoint: Endpoint;
  readonly body: unknown;
  /** What stands now, as the API answered; undefined where it could not be read. */
  readonly before: unknown;
  /** The words that put back what was kept, without the file: `status-pages put 12`. */
  readonly restore: readonly string[];
  readonly send: () => Promise<R>;
}

type Line = Pick<Invocation, 'globals' | 'output'>;

/** Does all of it, and gives what `send` gave. */
export async function replace<R>(deps: Deps, line: Line, of: Replacement<R>): Promise<R> {
  const { noun, id, before, send } = of;
  const { terminal } = deps;
  const differs = before === undefined ? undefined : await showDifference(deps, line, of);
  if (differs === false) {
    await terminal.note(`The ${noun} ${id} is so already; it is sent all the same.`);
    return send();
  }
  await ask(deps, {
    message: `${differs ? 'Make this change to' : 'Replace'} the ${noun} ${id}?`,
    yes: line.globals.yes,
    required: false,
  });
  if (before === undefined) {
    const after = await send();
    await terminal.note(`Updated the ${noun} ${id}.`);
    return after;
  }
  const { toYaml } = await import('./late/changes.ts');
  const path = await keepPrevious(deps, noun.replaceAll(' ', '-'), id, toYaml(before));
  const restore = commandLine(line, ...of.restore, '-f', path);
  try {
    const after = await send();
    await terminal.note(`Updated the ${noun} ${id}. As it was before: ${restore}`);
    if (!isComplete(deps, of)) {
      await terminal.note(
        'What the service does not show, such as secret values, is not in that file: fill it in first.',
      );
    }
    return after;
  } catch (error) {
    // Refused is unchanged. Of all else nobody knows.
    const unchanged = error instanceof ApiError && error.status < 500;
    if (unchanged) await forget(path);
    else if (error instanceof SondeError && !wantsJson(line.output)) {
      await terminal.note(`The ${noun} may have been changed. As it was before: ${restore}`);
    }
    throw error;
  }
}

/** Whether what stood can be sent back as it was shown. */
function isComplete({ clock }: Deps, { endpoint, before }: Replacement<unknown>): boolean {
  const body = requestForm(endpoint.body ?? {}, before);
  const violations = violationsOf(endpoint, { body }, clock.now());
  return violations.every(({ in: part, origin }) => part !== 'body' || origin === 'gaps');
}

/** Shows what would change, without what must not be seen. False where nothing would. */
async function showDifference(
  { terminal }: Deps,
  { globals, output }: Line,
  { endpoint, before, body, noun, id }: Replacement<unknown>,
): Promise<boolean> {
  const { differenceOf, toYaml } = await import('./late/changes.ts');
  const schema = endpoint.body ?? {};
  const [old, fresh] = [before, body].map((value) => comparable(schema, requestForm(schema, value)));
  if (toYaml(old) === toYaml(fresh)) return false;
  // Programs read results, and a person who said yes already sees what comes of it.
  const asking = terminal.canAsk && !globals.yes;
  if (terminal.quiet && !asking) return true;
  if (wantsJson(output) && !asking) return true;
  const [shownOld, shownFresh] = [old, fresh].map((value) => toYaml(redact(schema, value)));
  const lines = differenceOf(shownOld ?? '', shownFresh ?? '');
  const styles = await terminal.styles('stderr');
  const tones = { added: 'good', removed: 'bad', same: undefined, gap: 'faint' } as const;
  const text = lines.map((each) => `${paint(sanitizeBlock(each.text), tones[each.kind], styles)}\n`).join('');
  await terminal.err(`${styles.bold(sanitizeBlock(`The ${noun} ${id} would change:`))}\n${text}`);
  if (lines.length === 0) await terminal.err('  only values that are not shown (variables, passwords)\n');
  return true;
}
