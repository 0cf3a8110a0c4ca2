/** What is said of files of a run that are not kept. */
import { ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';

const MEGABYTE = 1024 * 1024;
const grouped = (bytes: number): string => String(bytes).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A size for people, and to the byte: one more than the limit looks like the limit. */
const sizeOf = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB (${grouped(bytes)} bytes)`;

export const tooLarge = (name: string, bytes: number, most: number = ARTIFACT_BYTES): string =>
  `${name} has ${sizeOf(bytes)}, and at most ${sizeOf(most)} are taken: make it smaller (a picture of less of the page, a trace without screenshots), or make it in several runs`;

export const tooMuch = (name: string, most: number): string =>
  `${name} is not kept: the files of a run may have ${most / MEGABYTE} MB together`;

/** Several such sentences as one text. */
export const lostWords = (...lost: readonly (string | undefined)[]): string | undefined => {
  const said = lost.filter((one) => one !== undefined && one !== '');
  return said.length === 0 ? undefined : said.join('; ');
};
