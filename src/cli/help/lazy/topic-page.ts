/** The pages of `sonde help <topic>`: what stands on each, and how a terminal shows it. */
import type { Styles, Terminal } from '../../../terminal/index.ts';
import { columns, paragraph, typedLines, widthOf } from '../../framework/help-layout.ts';
import type { Block, Reader } from '../blocks.ts';
import { TOPICS, type TopicName } from '../topics.ts';
import { assertions } from './topics/assertions.ts';
import { credentials } from './topics/credentials.ts';
import { environment } from './topics/environment.ts';
import { exitCodes } from './topics/exit-codes.ts';
import { files } from './topics/files.ts';
import { formatting } from './topics/formatting.ts';
import { input } from './topics/input.ts';
import { locations } from './topics/locations.ts';
import { options } from './topics/options.ts';

const PAGES: Readonly<Record<TopicName, (reader: Reader) => readonly Block[]>> = {
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

/** What stands on the page of a topic. */
export const blocksOf = (topic: TopicName, reader: Reader): readonly Block[] => PAGES[topic](reader);

/** The page of a topic as a terminal shows it. */
export async function topicPage(topic: TopicName, reader: Reader, terminal: Terminal): Promise<string> {
  const styles = await terminal.styles('stdout');
  const width = widthOf(terminal);
  let page = paragraph(`${TOPICS[topic]}.`, width);
  let before: Block['kind'] = 'text';
  let indent = 0;
  for (const block of blocksOf(topic, reader)) {
    // What a heading stands over follows it at once, indented.
    page += `${before === 'heading' ? '\n' : '\n\n'}${shown(block, styles, width, indent)}`;
    before = block.kind;
    if (before === 'heading') indent = 2;
  }
  return `${page}\n`;
}

function shown(block: Block, styles: Styles, width: number, indent: number): string {
  switch (block.kind) {
    case 'text':
      return paragraph(block.text, width, indent);
    case 'heading':
      return styles.bold(`${block.text}:`);
    case 'rows':
      return columns(block.rows, width);
    case 'lines':
      return typedLines(block.lines, styles, width);
    default:
      return block satisfies never;
  }
}
