/** Runs one command: the one place where a command line becomes work, and errors become messages and exit codes. */
import type { Terminal } from '../../terminal/index.ts';
import { endpointsOf, type Shape, shapeOf } from '../framework/command-spec.ts';
import { printRequests } from '../framework/open-client.ts';
import { makeDeps, readUserFile, stdinReader } from '../framework/deps.ts';
import { namingWords, withResolved } from '../framework/name-arguments.ts';
import { type Examined, examine, isOnlyIncomplete, settle } from '../framework/parse-command-line.ts';
import { asksForHelp } from '../framework/resolve-command.ts';
import type { ResolvedNames } from '../framework/resolved-names.ts';
import { type Collected, collect } from '../framework/tokenize-argv.ts';
import type { Command, Deps, Host } from '../framework/types.ts';
import { toError } from '../framework/usage-error.ts';
import { isGiven, openTerminal, tell } from './report-error.ts';

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
  const shape = shapeOf(command);
  const line = collect(command.name, shape, host.argv);
  const terminal = openTerminal(host, line);
  try {
    const ends = [host.crashed, ...(command.stops === 'itself' ? [] : [stopped(host)])];
    await Promise.race([work(command, shape, line, host, terminal, run), ...ends]);
    if (host.release && wantsNotice(command, line, host, terminal)) {
      const { noticeUpdates } = await import('./lazy/update-notice.ts');
      await noticeUpdates(host, terminal, host.release).catch(() => {});
    }
    return 0;
  } catch (error) {
    // Whoever ends in its own time was told to stop, and says what went wrong with that.
    const reason = host.signal.aborted && command.stops !== 'itself' ? host.signal.reason : error;
    return await tell(reason, terminal, { line, command: command.name, host });
  } finally {
    await Promise.race([terminal.close(), pastStop(host)]);
  }
}

/** Whether a person reads the end of this command, and may be told of something else there. */
function wantsNotice(
  command: Command,
  line: Collected,
  { env }: Host,
  { stderrIsTTY, quiet }: Terminal,
): boolean {
  const isForProgram = ['json', 'jq', 'output', 'version'].some((name) => line.texts.has(name));
  const isOff = env.SONDE_NO_UPDATE_NOTIFIER || env.NO_UPDATE_NOTIFIER || env.CI;
  return stderrIsTTY && !quiet && !isForProgram && !isOff && !SILENT.test(command.name);
}

/** Gates and what runs on, whose last line is theirs, and what is read by a shell. */
const SILENT =
  /^(?:checks run|(?:test-)?sessions (?:wait|run)|service start|agent .*|completion|quickstart)$/;

/** For how long after a stop somebody who reads slowly is still waited for, in ms. */
const LAST_WORDS = 250;

/** Resolves soon after the process was told to stop: output that nobody reads must not hold it. */
async function pastStop({ signal, clock }: Host): Promise<void> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await clock.sleep(LAST_WORDS);
}

/** How long a command may take to end in order once it was told to stop, in ms. */
const GRACE = 5000;

/** Rejects a moment after the process was told to stop, for commands that don't listen. */
function stopped({ signal, clock }: Host): Promise<never> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => void clock.sleep(GRACE).then(() => reject(signal.reason)));
  });
  late.catch(() => {});
  return late;
}

/** Says what names stand for, where only requests are shown. */
async function tellNames(terminal: Terminal, { names }: ResolvedNames): Promise<void> {
  for (const [id, name] of names) await terminal.note(`${id} is ${name}.`);
}

/**
 * Replaces names by IDs and judges the line again. Other errors are reported first: sonde sends no request for a line that it
 * cannot run.
 */
async function withNames(
  shape: Shape,
  line: Collected,
  examined: Examined,
  deps: Deps,
  read: (line: Collected) => Promise<Examined>,
): Promise<{ readonly named: Collected; readonly examined: Examined }> {
  const words = namingWords(shape, examined.invocation.args, line);
  if (words.length === 0) return { named: line, examined };
  // A name is no ID: until it is resolved, that is all that can be said of it.
  const places = new Set(words.map(({ place }) => place));
  const others = { ...examined, problems: examined.problems.filter(({ place }) => !places.has(place)) };
  const canGoOn = others.problems.length === 0 || (deps.terminal.canAsk && isOnlyIncomplete(others));
  if (!canGoOn) return { named: line, examined: others };
  const { resolveNames } = await import('../resources/lazy/resolve-names.ts');
  const { globals } = examined.invocation;
  const ignoresMissing = isGiven(line, 'ignoreMissing');
  const named = withResolved(shape, line, await resolveNames(deps, words, { globals, ignoresMissing }));
  return { named, examined: await read(named) };
}

async function work(
  command: Command,
  shape: Shape,
  line: Collected,
  host: Host,
  terminal: Terminal,
  run: Command['run'],
): Promise<void> {
  if (isGiven(line, 'help') || asksForHelp(host.argv)) {
    const { helpOf } = await import('../framework/lazy/command-help.ts');
    return terminal.out(await helpOf(command, shape, terminal));
  }
  if (isGiven(line, 'version')) return terminal.out(`${host.version}\n`);
  if (isGiven(line, 'example')) {
    if (line.mistakes.length > 0) throw toError(line.mistakes, `sonde ${command.name}`);
    const [endpoint] = endpointsOf(command);
    const { exampleOf } = await import('../framework/lazy/example-body.ts');
    return terminal.out(exampleOf(endpoint?.body ?? {}, command));
  }
  const readStdin = stdinReader(host);
  const context = {
    env: host.env,
    now: host.clock.now(),
    readFile: (name: string) => readUserFile(host.cwd, name),
    readStdin,
  };
  const read = (longer: Collected): Promise<Examined> => examine(command, shape, longer, context);
  const typed = await read(line);
  const { deps, close } = makeDeps(host, terminal, typed.invocation.globals, readStdin);
  const perform = async (found: Examined): Promise<void> => {
    const { invocation, endpoint, warnings } = settle(found);
    for (const warning of warnings) await terminal.warn(warning);
    if (invocation.dryRun) await tellNames(terminal, invocation.resolved);
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
    const { named, examined } = await withNames(shape, line, typed, deps, read);
    if (!terminal.canAsk || !isOnlyIncomplete(examined)) return await perform(examined);
    const { performAsking } = await import('../prompt/index.ts');
    await performAsking({ ...{ command, shape, deps, perform }, line: named, examine: read });
  } finally {
    await close();
  }
}
