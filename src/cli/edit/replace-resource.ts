/** Replaces a resource: shows the difference, asks for confirmation, saves an undo file and sends the request. */
import { SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { RefusedError } from '../../client/index.ts';
import type { Endpoint } from '../../contract/index.ts';
import { violationsOf } from '../../contract/validate.ts';
import { sanitizeLine, wantsJson } from '../../terminal/index.ts';
import { confirmChange } from '../framework/confirm-change.ts';
import { formatCommandLine } from '../framework/format-command-line.ts';
import type { Deps, ExitMeaning, Invocation } from '../framework/types.ts';
import { isVisibleIn, normalizeRequest, toRequestBody } from './to-request.ts';
import { deleteFile, saveText } from './undo-files.ts';

export interface Replacement<R> {
  /** `status page` */
  readonly noun: string;
  readonly id: string | number;
  readonly endpoint: Endpoint;
  readonly body: unknown;
  /** The current state, as the API returned it. Undefined: it could not be read. */
  readonly before: R | undefined;
  /** Whether the user must confirm a change without a diff, because it may reset the settings that `body` omits. */
  readonly mayReset?: boolean;
  /** The content of the undo file, and the added fields that it cannot remove; left out: `before`. */
  readonly undo?: { readonly body: unknown; readonly notRemovable: readonly string[] };
  /** The command that sends the undo file, without the file: `status-pages put 12`. */
  readonly restoreCommand: readonly string[];
  /** Called after the confirmation. Throws if the resource is no longer what was shown. */
  readonly verify?: () => Promise<void>;
  readonly send: () => Promise<R>;
}

/** The exit codes of commands that replace a resource. */
export const REPLACE_EXITS: readonly ExitMeaning[] = [
  [EXIT.declined, 'confirmation declined; nothing was changed'],
  [EXIT.output, 'could not save the undo file; nothing was changed'],
];

type Line = Pick<Invocation, 'globals' | 'output'>;

/** Returns the result of `send`, or `before` if nothing had to be sent. */
export async function replaceResource<R>(deps: Deps, line: Line, of: Replacement<R>): Promise<R> {
  const { noun, id, before, body, endpoint, send } = of;
  const { terminal } = deps;
  if (before === undefined) {
    const { mayReset = false } = of;
    const warning = mayReset ? ' The deployment may reset the settings that you omit.' : '';
    await confirmChange(deps, {
      message: `${mayReset ? 'Update' : 'Replace'} the ${noun} ${id} without a diff?${warning}`,
      yes: line.globals.yes,
      required: mayReset,
    });
    const after = await send();
    await terminal.note(`Updated the ${noun} ${id}.`);
    return after;
  }
  const { differs, losesSecret } = await showDiff(deps, line, {
    title: `Changes to the ${noun} ${id}:`,
    endpoint,
    before,
    after: body,
  });
  if (!differs) {
    if (isVisibleIn(body, before)) {
      await terminal.note(`No changes. The ${noun} ${id} is up to date.`);
      return before;
    }
    await terminal.note(
      `No visible changes. sonde sends the ${noun} ${id} because hidden values may differ.`,
    );
    return send();
  }
  await confirmChange(deps, {
    message: 'Apply this change?',
    yes: line.globals.yes,
    required: false,
  });
  await of.verify?.();
  return saveAndSend(deps, line, of, losesSecret);
}

async function saveAndSend<R>(
  deps: Deps,
  line: Line,
  { noun, id, before, undo, endpoint, restoreCommand, send }: Replacement<R>,
  losesSecret: boolean,
): Promise<R> {
  const { terminal } = deps;
  const path = await saveUndoFile(deps, line, {
    noun,
    id,
    before: undo?.body ?? before,
    words: restoreCommand,
  });
  const restore = formatCommandLine(line, ...restoreCommand, '-f', path);
  try {
    const after = await send();
    // A separate line is not wrapped, so that the user can copy the command.
    await terminal.note(`Updated the ${noun} ${id}. To undo this, run:\n  ${restore}`);
    if (losesSecret || !isComplete(deps, endpoint, before)) {
      await terminal.note(
        'The undo file has no secret values, because the service does not return them: add them first.',
      );
    }
    if (undo && undo.notRemovable.length > 0) {
      await terminal.note(`The undo file cannot remove added fields: ${undo.notRemovable.join(', ')}.`);
    }
    return after;
  } catch (error) {
    // A rejected request changes nothing, unless a response was lost before. After other errors, the state is unknown.
    const unchanged = error instanceof RefusedError && !error.mayHaveActed;
    if (unchanged) await deleteFile(path);
    else if (error instanceof SondeError && !wantsJson(line.output)) {
      await terminal.note(`The ${noun} ${id} may have changed. To undo this, run:\n  ${restore}`);
    }
    throw error;
  }
}

/** Writes the undo file, with a comment that says what it restores and how. */
async function saveUndoFile(
  deps: Deps,
  line: Line,
  {
    noun,
    id,
    before,
    words,
  }: Pick<Replacement<unknown>, 'noun' | 'id' | 'before'> & { readonly words: readonly string[] },
): Promise<string> {
  const { toYaml } = await import('./lazy/changes.ts');
  const { baseUrl = 'the service' } = await deps.profiles();
  const time = new Date(deps.clock.now()).toISOString();
  const command = formatCommandLine(line, ...words, '-f', 'FILE');
  const head = [
    `${noun} ${id} of ${baseUrl} before the change on ${time}.`,
    `To restore it, run: ${command}`,
  ];
  const comment = head.map((sentence) => `# ${sanitizeLine(sentence)}\n`).join('');
  return saveText(
    deps,
    { folder: 'previous', kind: noun.replaceAll(' ', '-'), id },
    comment + toYaml(before),
  );
}

/** Whether the previous state is a valid request. */
function isComplete({ clock }: Deps, endpoint: Endpoint, before: unknown): boolean {
  const body = toRequestBody(endpoint.body ?? {}, before);
  const violations = violationsOf(endpoint, { body }, clock.now());
  return violations.every(({ in: part, origin }) => part !== 'body' || origin === 'gaps');
}

export interface DiffOptions {
  /** The heading, with a colon. */
  readonly title: string;
  readonly endpoint: Endpoint;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Prints the difference between two states on stderr, with masked secrets. For programs and with --quiet, prints it only
 * before a question. Returns whether the states differ, and whether a hidden secret is lost.
 */
export async function showDiff(
  { terminal }: Pick<Deps, 'terminal'>,
  { globals, output }: Line,
  { title, endpoint, before, after }: DiffOptions,
): Promise<{ readonly differs: boolean; readonly losesSecret: boolean }> {
  const { maskSecrets, diffYaml, renderDiff, toYaml } = await import('./lazy/changes.ts');
  const schema = endpoint.body ?? {};
  const [old, fresh] = [before, after].map((value) => normalizeRequest(schema, toRequestBody(schema, value)));
  if (toYaml(old) === toYaml(fresh)) return { differs: false, losesSecret: false };
  const shown = maskSecrets(schema, old, fresh);
  const result = { differs: true, losesSecret: shown.losesSecret };
  // Programs read the result, and --yes needs no preview.
  const asks = terminal.canAsk && !globals.yes;
  if ((terminal.quiet || wantsJson(output)) && !asks) return result;
  const styles = await terminal.styles('stderr');
  const width = terminal.stderrIsTTY ? (terminal.stderr.columns ?? 80) : undefined;
  const text = renderDiff(diffYaml(toYaml(shown.before), toYaml(shown.after)), {
    width,
    styles,
    plain: terminal.plain,
  });
  await terminal.err(`${styles.bold(sanitizeLine(title))}\n${text}`);
  return result;
}
