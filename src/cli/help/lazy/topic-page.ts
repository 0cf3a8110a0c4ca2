/** Formats the pages of `sonde help <topic>`. */
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { formatExamples, formatParagraph, formatRows, helpWidth } from '../../framework/help-layout.ts';
import { type HelpBlock, type HelpReader, TOPICS, type TopicName } from '../topics.ts';
import { assertions, locations } from './topic-checks.ts';
import { credentials, environment, files } from './topic-environment.ts';
import { exitCodes } from './topic-exit-codes.ts';
import { formatting, input, options } from './topic-usage.ts';

const PAGES: Readonly<Record<TopicName, (reader: HelpReader) => readonly HelpBlock[]>> = {
  options,
  input,
  formatting,
  credentials,
  'exit-codes': exitCodes,
  environment,
  files,
  locations,
  assertions,
};

/** Returns the blocks of a topic's page. */
export const topicBlocks = (topic: TopicName, reader: HelpReader): readonly HelpBlock[] =>
  PAGES[topic](reader);

/** Formats the page of a topic for a terminal. */
export async function formatTopicPage(
  topic: TopicName,
  reader: HelpReader,
  terminal: Terminal,
): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = helpWidth(terminal);
  let page = formatParagraph(`${TOPICS[topic]}.`, width);
  let before: HelpBlock['kind'] = 'text';
  let indent = 0;
  for (const block of topicBlocks(topic, reader)) {
    // The block below a heading follows without an empty line, and is indented.
    page += `${before === 'heading' ? '\n' : '\n\n'}${formatBlock(block, styles, width, indent)}`;
    before = block.kind;
    if (before === 'heading') indent = 2;
  }
  return `${page}\n`;
}

function formatBlock(block: HelpBlock, styles: Styles, width: number, indent: number): string {
  switch (block.kind) {
    case 'text':
      return formatParagraph(block.text, width, indent);
    case 'heading':
      return styles.bold(`${block.text}:`);
    case 'rows':
      return formatRows(block.rows, width);
    case 'lines':
      return formatExamples(block.lines, styles, width);
    default:
      return block satisfies never;
  }
}
