/** Runs one command: parses its line, resolves names, prompts for missing values, and reports errors. */

import type { Command as Program } from 'commander';
import { usageError } from '../../base/phrases.ts';
import type { Terminal } from '../../terminal/index.ts';
import { findNameArguments, replaceNames } from '../framework/arguments.ts';
import { type CommandSpec, commandSpecOf, endpointsOf } from '../framework/command-spec.ts';
import { createStdinReader, makeDeps, printRequests } from '../framework/deps.ts';
import {
  isOnlyIncomplete,
  type ParseResult,
  parseCommandLine,
  requireValid,
} from '../framework/parse-command-line.ts';
import { declareProgram, type TokenizedLine, tokenizeArgv } from '../framework/program.ts';
import { readInputFile } from '../framework/read-input-file.ts';
import { isHelpRequested } from '../framework/resolve-command.ts';
import type { Command, Deps, Host, ResolvedNames } from '../framework/types.ts';
import { isFlagSet, openTerminal, reportError } from './report-error.ts';

/**
 * Runs a command and returns the exit code. Never throws.
 *
 * @param run handles the parsed line; tests of parsing pass a replacement
 */
export async function runCommand(
  command: Command,
  host: Host,
  run: Command['run'] = command.run,
): Promise<number> {
  const spec = commandSpecOf(command);
  const program = declareProgram(command, spec);
  const line = tokenizeArgv(program, host.argv);
  const terminal = openTerminal(host, line);
  try {
    const ends = [host.crashed, ...(command.stops === 'itself' ? [] : [rejectAfterStop(host)])];
    await Promise.race([execute(command, spec, program, line, host, terminal, run), ...ends]);
    return 0;
  } catch (error) {
    // A command that stops without a time limit reports its own error.
    const reason = host.signal.aborted && command.stops !== 'itself' ? host.signal.reason : error;
    return await reportError(reason, terminal, { line, command: command.name, host });
  } finally {
    await Promise.race([terminal.close(), waitPastStop(host)]);
  }
}

const OUTPUT_GRACE_MS = 250;

/** Resolves soon after a stop signal, so that unread output does not block the exit. */
async function waitPastStop({ signal, clock }: Host): Promise<void> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await clock.sleep(OUTPUT_GRACE_MS);
}

const STOP_GRACE_MS = 5000;

/** Rejects some time after a stop signal, for commands that ignore it. */
function rejectAfterStop({ signal, clock }: Host): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => void clock.sleep(STOP_GRACE_MS).then(() => reject(signal.reason)));
  });
  rejection.catch(() => {});
  return rejection;
}

async function printNames(terminal: Terminal, { names }: ResolvedNames): Promise<void> {
  for (const [id, name] of names) await terminal.note(`${id} is ${name}.`);
}

/**
 * Replaces names by IDs and parses the line again. Other problems are reported first: sonde sends no request for a line that
 * it cannot run.
 */
async function withResolvedNames(
  spec: CommandSpec,
  line: TokenizedLine,
  result: ParseResult,
  deps: Deps,
  parse: (line: TokenizedLine) => Promise<ParseResult>,
): Promise<{ readonly line: TokenizedLine; readonly result: ParseResult }> {
  const words = findNameArguments(spec, result.invocation.args, line);
  if (words.length === 0) return { line, result };
  // An unresolved name always violates the format of IDs, so these problems do not count.
  const places = new Set(words.map(({ place }) => place));
  const others = { ...result, problems: result.problems.filter(({ place }) => !places.has(place)) };
  const canContinue = others.problems.length === 0 || (deps.terminal.canAsk && isOnlyIncomplete(others));
  if (!canContinue) return { line, result: others };
  const { resolveNames } = await import('../resources/lazy/resolve-names.ts');
  const { globals } = result.invocation;
  const ignoresMissing = isFlagSet(line, 'ignoreMissing');
  const resolved = replaceNames(spec, line, await resolveNames(deps, words, { globals, ignoresMissing }));
  return { line: resolved, result: await parse(resolved) };
}

async function execute(
  command: Command,
  spec: CommandSpec,
  program: Program,
  line: TokenizedLine,
  host: Host,
  terminal: Terminal,
  run: Command['run'],
): Promise<void> {
  if (isFlagSet(line, 'help') || isHelpRequested(host.argv)) {
    const { formatCommandHelp } = await import('../framework/lazy/command-help.ts');
    return terminal.out(await formatCommandHelp(program, command, spec, terminal));
  }
  if (isFlagSet(line, 'version')) return terminal.out(`${host.version}\n`);
  if (isFlagSet(line, 'example')) {
    if (line.problems.length > 0) throw usageError(line.problems, `sonde ${command.name}`);
    const [endpoint] = endpointsOf(command);
    const { exampleBody } = await import('../framework/lazy/example-body.ts');
    return terminal.out(exampleBody(endpoint?.body ?? {}, command));
  }
  const readStdin = createStdinReader(host);
  const context = {
    env: host.env,
    now: host.clock.now(),
    readFile: (name: string) => readInputFile(host.cwd, name),
    readStdin,
  };
  const parse = (tokens: TokenizedLine): Promise<ParseResult> =>
    parseCommandLine(command, spec, tokens, context);
  const parsed = await parse(line);
  const { deps, close } = makeDeps(host, terminal, parsed.invocation.globals, readStdin);
  let isPreviewShown = false;
  const showPreview = async ({ invocation }: Pick<ParseResult, 'invocation'>): Promise<void> => {
    const { body } = (invocation.input ?? {}) as { readonly body?: unknown };
    const text = isPreviewShown || !body ? undefined : command.preview?.(body as never, context.now);
    isPreviewShown = true;
    if (text !== undefined) await terminal.note(text);
  };
  const runParsed = async (result: ParseResult): Promise<void> => {
    const { invocation, endpoint, warnings } = requireValid(result);
    for (const warning of warnings) await terminal.warn(warning);
    await showPreview({ invocation });
    if (invocation.dryRun) await printNames(terminal, invocation.resolved);
    if (invocation.dryRun && endpoint && command.dryRun !== 'own') {
      return printRequests(
        await deps.profiles(),
        host,
        terminal,
        invocation.output,
        endpoint,
        invocation.inputs,
      );
    }
    // `parseCommandLine` created the invocation from the command's own definition.
    await run.call(command, deps, invocation as never);
  };
  try {
    const resolved = await withResolvedNames(spec, line, parsed, deps, parse);
    if (!terminal.canAsk || !isOnlyIncomplete(resolved.result)) return await runParsed(resolved.result);
    const { promptAndRun } = await import('../prompt/index.ts');
    await promptAndRun({ command, spec, deps, line: resolved.line, parse, run: runParsed, showPreview });
  } finally {
    await close();
  }
}
