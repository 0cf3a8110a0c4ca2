/** Runs one command: the one place where a command line becomes work, and errors become messages and exit codes. */
import type { Terminal } from '../../terminal/index.ts';
import { type CommandSpec, commandSpecOf, endpointsOf } from '../framework/command-spec.ts';
import { createStdinReader, makeDeps, readInputFile } from '../framework/deps.ts';
import { findNameArguments, replaceNames } from '../framework/name-arguments.ts';
import {
  isOnlyIncomplete,
  type ParseResult,
  parseCommandLine,
  requireValid,
} from '../framework/parse-command-line.ts';
import { printRequests } from '../framework/print-requests.ts';
import { isHelpRequested } from '../framework/resolve-command.ts';
import type { ResolvedNames } from '../framework/resolved-names.ts';
import { type TokenizedLine, tokenizeArgv } from '../framework/tokenize-argv.ts';
import type { Command, Deps, Host } from '../framework/types.ts';
import { usageError } from '../framework/usage-error.ts';
import { isFlagSet, openTerminal, reportError } from './report-error.ts';

/**
 * Runs a command and gives the exit code. Never throws.
 *
 * @param run what works with the parsed line, by default the command's own: tests of parsing hand in another
 */
export async function runCommand(
  command: Command,
  host: Host,
  run: Command['run'] = command.run,
): Promise<number> {
  const spec = commandSpecOf(command);
  const line = tokenizeArgv(command.name, spec, host.argv);
  const terminal = openTerminal(host, line);
  try {
    const ends = [host.crashed, ...(command.stops === 'itself' ? [] : [rejectAfterStop(host)])];
    await Promise.race([execute(command, spec, line, host, terminal, run), ...ends]);
    if (host.release && isNoticeWanted(command, line, host, terminal)) {
      const { showUpdateNotice: noticeUpdates } = await import('./lazy/update-notice.ts');
      await noticeUpdates(host, terminal, host.release).catch(() => {});
    }
    return 0;
  } catch (error) {
    // Whoever ends in its own time was told to stop, and says what went wrong with that.
    const reason = host.signal.aborted && command.stops !== 'itself' ? host.signal.reason : error;
    return await reportError(reason, terminal, { line, command: command.name, host });
  } finally {
    await Promise.race([terminal.close(), waitPastStop(host)]);
  }
}

/** Whether a person reads the end of this command, and may be told of something else there. */
function isNoticeWanted(
  command: Command,
  line: TokenizedLine,
  { env }: Host,
  { stderrIsTTY, quiet }: Terminal,
): boolean {
  const isForProgram = ['json', 'jq', 'output', 'version'].some((name) => line.texts.has(name));
  const isOff = env.SONDE_NO_UPDATE_NOTIFIER || env.NO_UPDATE_NOTIFIER || env.CI;
  return stderrIsTTY && !quiet && !isForProgram && !isOff && !WITHOUT_NOTICE.test(command.name);
}

/** Gates and what runs on, whose last line is theirs, and what is read by a shell. */
const WITHOUT_NOTICE =
  /^(?:checks run|(?:test-)?sessions (?:wait|run)|service start|agent .*|completion|quickstart)$/;

/** For how long after a stop somebody who reads slowly is still waited for, in ms. */
const OUTPUT_GRACE_MS = 250;

/** Resolves soon after the process was told to stop: output that nobody reads must not hold it. */
async function waitPastStop({ signal, clock }: Host): Promise<void> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await clock.sleep(OUTPUT_GRACE_MS);
}

/** How long a command may take to end in order once it was told to stop, in ms. */
const STOP_GRACE_MS = 5000;

/** Rejects a moment after the process was told to stop, for commands that don't listen. */
function rejectAfterStop({ signal, clock }: Host): Promise<never> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => void clock.sleep(STOP_GRACE_MS).then(() => reject(signal.reason)));
  });
  late.catch(() => {});
  return late;
}

/** Says what names stand for, where only requests are shown. */
async function printNames(terminal: Terminal, { names }: ResolvedNames): Promise<void> {
  for (const [id, name] of names) await terminal.note(`${id} is ${name}.`);
}

/**
 * Replaces names by IDs and judges the line again. Other errors are reported first: sonde sends no request for a line that it
 * cannot run.
 */
async function resolveNamesOf(
  spec: CommandSpec,
  line: TokenizedLine,
  examined: ParseResult,
  deps: Deps,
  read: (line: TokenizedLine) => Promise<ParseResult>,
): Promise<{ readonly named: TokenizedLine; readonly examined: ParseResult }> {
  const words = findNameArguments(spec, examined.invocation.args, line);
  if (words.length === 0) return { named: line, examined };
  // A name is no ID: until it is resolved, that is all that can be said of it.
  const places = new Set(words.map(({ place }) => place));
  const others = { ...examined, problems: examined.problems.filter(({ place }) => !places.has(place)) };
  const canGoOn = others.problems.length === 0 || (deps.terminal.canAsk && isOnlyIncomplete(others));
  if (!canGoOn) return { named: line, examined: others };
  const { resolveNames } = await import('../resources/lazy/resolve-names.ts');
  const { globals } = examined.invocation;
  const ignoresMissing = isFlagSet(line, 'ignoreMissing');
  const named = replaceNames(spec, line, await resolveNames(deps, words, { globals, ignoresMissing }));
  return { named, examined: await read(named) };
}

async function execute(
  command: Command,
  spec: CommandSpec,
  line: TokenizedLine,
  host: Host,
  terminal: Terminal,
  run: Command['run'],
): Promise<void> {
  if (isFlagSet(line, 'help') || isHelpRequested(host.argv)) {
    const { formatCommandHelp: helpOf } = await import('../framework/lazy/command-help.ts');
    return terminal.out(await helpOf(command, spec, terminal));
  }
  if (isFlagSet(line, 'version')) return terminal.out(`${host.version}\n`);
  if (isFlagSet(line, 'example')) {
    if (line.problems.length > 0) throw usageError(line.problems, `sonde ${command.name}`);
    const [endpoint] = endpointsOf(command);
    const { exampleBody: exampleOf } = await import('../framework/lazy/example-body.ts');
    return terminal.out(exampleOf(endpoint?.body ?? {}, command));
  }
  const readStdin = createStdinReader(host);
  const context = {
    env: host.env,
    now: host.clock.now(),
    readFile: (name: string) => readInputFile(host.cwd, name),
    readStdin,
  };
  const read = (longer: TokenizedLine): Promise<ParseResult> =>
    parseCommandLine(command, spec, longer, context);
  const typed = await read(line);
  const { deps, close } = makeDeps(host, terminal, typed.invocation.globals, readStdin);
  const perform = async (found: ParseResult): Promise<void> => {
    const { invocation, endpoint, warnings } = requireValid(found);
    for (const warning of warnings) await terminal.warn(warning);
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
    // `examine` made it from the command's own definition.
    await run.call(command, deps, invocation as never);
  };
  try {
    const { named, examined } = await resolveNamesOf(spec, line, typed, deps, read);
    if (!terminal.canAsk || !isOnlyIncomplete(examined)) return await perform(examined);
    const { promptAndRun: performAsking } = await import('../prompt/index.ts');
    await performAsking({ ...{ command, spec, deps, run: perform }, line: named, parse: read });
  } finally {
    await close();
  }
}
