/** Makes the man pages from the commands and the topics of help: sonde(1), one a command, and one a topic in section 7. */

/** Longest line of text in a page's source. */
const LONGEST = 76;

/** Letters that would be typeset as others, so that what is copied from a page could not be typed. */
const LETTERS = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** A text as it is to be seen. */
const plain = (text) =>
  text
    .replace(/[\\\-'`^~"]/g, (letter) => LETTERS[letter])
    .replace(
      /[^\x20-\x7e]/g,
      (letter) => `\\[u${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );

/** One argument of a request. */
const argument = (text) => `"${plain(text)}"`;
const bold = (text) => `\\fB${plain(text)}\\fR`;
const italic = (text) => `\\fI${plain(text)}\\fR`;

/** What begins like a request of the formatter is none. */
const guarded = (line) => (/^[.']/.test(line) ? `\\&${line}` : line);

/** A paragraph: a sentence begins a line, and no line is long. */
function prose(text) {
  return text
    .split(/(?<=[.?:;])\s+(?=[A-Z"])|\n/)
    .flatMap((sentence) => {
      const lines = [''];
      for (const word of sentence.split(/\s+/)) {
        const shown = plain(word);
        const line = lines.at(-1) === '' ? shown : `${lines.at(-1)} ${shown}`;
        if (line.length <= LONGEST || lines.at(-1) === '') lines[lines.length - 1] = line;
        else lines.push(shown);
      }
      return lines;
    })
    .map(guarded)
    .join('\n');
}

/** Lines as they stand, indented. */
const literal = (lines) =>
  ['.PP', '.RS 4', '.nf', ...lines.map((line) => guarded(plain(line))), '.fi', '.RE'].join('\n');

/** Lines to be typed, each below what it does. */
const typed = (lines) =>
  lines.map(({ line, does }) => `${prose(`${sentence(does)}:`)}\n${literal([line])}`).join('\n.PP\n');

const sentence = (text) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** Rows of two columns as a list; `head` shows what stands on the left. */
const list = (rows, head = bold) =>
  rows.map(([left, right]) => `.TP\n${guarded(head(left))}\n${prose(sentence(right))}`).join('\n');

/** An option: `-o, --output <format>`. */
function optionHead(spelled) {
  const [, short, long, value] = /^(?:(-\w), )?(--\S+)(?: <(.*)>)?$/.exec(spelled) ?? [];
  if (long === undefined) throw new Error(`${spelled} is no option`);
  return `${short ? `${bold(short)}, ` : ''}${bold(long)}${value ? ` ${italic(value)}` : ''}`;
}

const options = (flags, { flagRow }) =>
  list(
    flags.map((flag) => flagRow(flag)),
    optionHead,
  );

const section = (name, ...parts) => [`.SH ${argument(name)}`, ...parts].join('\n');
const subsections = (each) => each.map(([name, text]) => `.SS ${argument(name)}\n${text}`);

/** References to other pages, in the order that readers expect: by section, then by name. */
function seeAlso(pages) {
  const sorted = [...new Set(pages)].sort(
    (a, b) => a.slice(-1).localeCompare(b.slice(-1)) || (a < b ? -1 : 1),
  );
  return section('SEE ALSO', sorted.map((page) => reference(page)).join(',\n'));
}

/** `sonde-checks-run.1` as pages name each other: the name in bold, its section in brackets. */
function reference(page) {
  const [, name, number] = /^(.*)\.(\d)$/.exec(page) ?? [];
  return `${bold(name)}(${number})`;
}

const page = ({ name, number, summary, version, date }, sections) =>
  `${[
    '.\\" Made by scripts/man.mjs from what the commands say of themselves.',
    `.TH ${argument(name.toUpperCase())} ${number} ${date.toISOString().slice(0, 10)} ${argument(`sonde ${version}`)} "sonde"`,
    // Words are names that somebody may copy: none is broken, and no line is stretched.
    '.nh',
    '.ad l',
    section('NAME', `${plain(name)} \\-`, prose(summary)),
    ...sections,
  ].join('\n')}\n`;

const pageOf = (command) => `sonde-${command.name.replaceAll(' ', '-')}`;

/** What has no heading of its own, and each heading with what stands below it. */
function blocks(all) {
  const text = (block) =>
    block.kind === 'text' ? prose(block.text) : block.kind === 'rows' ? list(block.rows) : typed(block.lines);
  let before = 'heading';
  return all.map((block) => {
    const apart = before === 'heading' || block.kind === 'heading' || block.kind === 'rows' ? '' : '.PP\n';
    before = block.kind;
    return block.kind === 'heading' ? `.SS ${argument(block.text)}` : `${apart}${text(block)}`;
  });
}

function commandPage(command, about, kernel) {
  const { shapeOf, sectionsOf, leadOf, wordsOf, argumentRows, exitRows } = kernel;
  const shape = shapeOf(command);
  const words = wordsOf(shape).map((word) =>
    word.startsWith('[') ? `[${italic(word.slice(1, -1))}]` : italic(word.slice(1, -1)),
  );
  const { endpoint, examples, description } = command;
  const rows = argumentRows(shape).map(([word, summary]) => [word.slice(1, -1), summary]);
  const lines = examples.map(({ line, does }) => ({ line: `sonde ${line}`, does }));
  return page({ ...about, name: pageOf(command), number: 1, summary: command.summary }, [
    section('SYNOPSIS', [bold(`sonde ${command.name}`), ...words, `[${italic('options')}]`].join('\n')),
    section(
      'DESCRIPTION',
      prose(leadOf(command)),
      ...(description ? ['.PP', prose(description)] : []),
      ...(endpoint ? ['.PP', prose(`Calls ${endpoint.method} ${endpoint.path}.`)] : []),
      ...(rows.length > 0 ? ['.PP', 'The arguments are:', list(rows, italic)] : []),
    ),
    section(
      'OPTIONS',
      ...subsections(
        sectionsOf(command, shape).map(({ heading, flags }) => [heading, options(flags, kernel)]),
      ),
      `.SS ${argument('On every command')}`,
      `Those that every command takes are told of in\n${reference('sonde-options.7')}.`,
    ),
    section('EXIT STATUS', list(exitRows(command))),
    ...(lines.length > 0 ? [section('EXAMPLES', typed(lines))] : []),
    seeAlso(['sonde.1', 'sonde-exit-codes.7', 'sonde-formatting.7', 'sonde-options.7']),
  ]);
}

function topicPage(topic, about, { TOPICS, topicNames, blocksOf, ANYBODY }) {
  const others = topicNames.filter((name) => name !== topic).map((name) => `sonde-${name}.7`);
  return page({ ...about, name: `sonde-${topic}`, number: 7, summary: TOPICS[topic] }, [
    section('DESCRIPTION', ...blocks(blocksOf(topic, ANYBODY))),
    seeAlso(['sonde.1', ...others]),
  ]);
}

/** sonde(1): how to begin, and everything there is by name. */
function mainPage(commands, about, kernel) {
  const { GROUPS, LAST_GROUP, FIRST_STEPS, topicNames, VARIABLES, blocksOf, ANYBODY, globalsBySubject } =
    kernel;
  const named = Object.values(GROUPS).flat();
  const nounOf = ({ name }) => name.split(' ')[0];
  const groups = [
    ...Object.entries(GROUPS).map(([group, nouns]) => [
      group,
      nouns.flatMap((noun) => commands.filter((command) => nounOf(command) === noun)),
    ]),
    [LAST_GROUP, commands.filter((command) => !named.includes(nounOf(command)))],
  ].filter(([, members]) => members.length > 0);
  const tables = (topic) =>
    blocksOf(topic, ANYBODY).flatMap((block) => (block.kind === 'rows' ? block.rows : []));
  return page({ ...about, name: 'sonde', number: 1, summary: 'synthetic monitoring from the command line' }, [
    section('SYNOPSIS', `${bold('sonde')} ${italic('command')} [${italic('options')}]`),
    section(
      'DESCRIPTION',
      prose(
        'sonde manages checks and status pages, reads what happened, and holds a release until its checks have passed. It speaks to any ' +
          'deployment of the monitoring service, and carries that service inside.',
      ),
      '.PP',
      `Each command has a page of its own, such as\n${reference('sonde-checks-run.1')};`,
      `what concerns all of them is told in section 7, as in\n${reference('sonde-exit-codes.7')}.`,
      '.PP',
      'To begin:',
      list(FIRST_STEPS.map(({ line, does }) => [line, does])),
    ),
    section(
      'COMMANDS',
      ...subsections(
        groups.map(([group, members]) => [group, list(members.map(({ name, summary }) => [name, summary]))]),
      ),
    ),
    section(
      'OPTIONS',
      'Every command takes these, before or after its name.',
      ...subsections(globalsBySubject().map(([subject, flags]) => [subject, options(flags, kernel)])),
    ),
    section('ENVIRONMENT', list(Object.values(VARIABLES).flat())),
    section('FILES', list(tables('files'), italic)),
    section('EXIT STATUS', list(tables('exit-codes'))),
    seeAlso([
      ...commands.map((command) => `${pageOf(command)}.1`),
      ...topicNames.map((topic) => `sonde-${topic}.7`),
    ]),
  ]);
}

/** Where a page is in dist: in a folder of its section, as `man -M` expects. */
const pathOf = (name) => `man/man${name.at(-1)}/${name}`;

/** The paths of all pages as package.json lists them: npm links those that a package names one by one. */
export const manFiles = (commands, { topicNames }) =>
  [
    'sonde.1',
    ...commands.map((command) => `${pageOf(command)}.1`),
    ...topicNames.map((topic) => `sonde-${topic}.7`),
  ].map((name) => `./dist/${pathOf(name)}`);

/** The pages by their path in dist. `kernel`: what `loadCommands` loads beside the commands. */
export function manPages(commands, kernel, { version, date }) {
  const about = { version, date };
  return new Map([
    [pathOf('sonde.1'), mainPage(commands, about, kernel)],
    ...commands.map((command) => [pathOf(`${pageOf(command)}.1`), commandPage(command, about, kernel)]),
    ...kernel.topicNames.map((topic) => [pathOf(`sonde-${topic}.7`), topicPage(topic, about, kernel)]),
  ]);
}
