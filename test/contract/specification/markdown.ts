/** Reads the specification's Markdown: sections by heading, each with its prose and its tables. */
import { readFileSync } from 'node:fs';

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
export interface Section {
  readonly title: string;
  readonly prose: string;
  readonly tables: readonly Table[];
}

const cells = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** All sections in order; a bold line counts as a heading, as the shared objects are written so. */
export function readSpecification(): readonly Section[] {
  const sections: { title: string; prose: string[]; tables: { header: string[]; rows: string[][] }[] }[] = [];
  let inTable = false;
  for (const line of readFileSync('docs/monitoring-service-api.md', 'utf8').split('\n')) {
    const heading = /^#+ (.+)$/.exec(line)?.[1] ?? /^\*\*(\w[\w /]*)\*\*/.exec(line)?.[1];
    if (heading) sections.push({ title: heading, prose: [], tables: [] });
    const section = sections.at(-1);
    if (!section) continue;
    if (!line.startsWith('|')) {
      section.prose.push(line);
      inTable = false;
    } else if (!inTable) {
      section.tables.push({ header: cells(line), rows: [] });
      inTable = true;
    } else if (!/^\|[-|]+\|$/.test(line)) {
      section.tables.at(-1)?.rows.push(cells(line));
    }
  }
  return sections.map((section) => ({ ...section, prose: section.prose.join('\n') }));
}

/** The section of a title; the test fails where there is none. */
export function sectionOf(title: string): Section {
  const found = readSpecification().find((section) => section.title === title);
  if (!found) throw new Error(`The specification has no section "${title}"`);
  return found;
}

/** The rows of a section's first table; the test fails where there are none. */
export function rowsOf(title: string): readonly (readonly string[])[] {
  const rows = sectionOf(title).tables[0]?.rows ?? [];
  if (rows.length === 0) throw new Error(`The section "${title}" has no table`);
  return rows;
}
