/** What is said of files of a run that are not kept. */
import { ARTIFACT_BYTES } from '../../contract/artifact-bytes.ts';

const MEGABYTE = 1024 * 1024;
const grouped = (bytes: number): string => String(bytes).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A size for people, and to the byte: one more than the limit looks like the limit. */
const sizeOf = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB (${grouped(bytes)} bytes)`;

export const tooLarge = (name: string, bytes: number, most: number = ARTIFACT_BYTES): string =>
  `${name} is ${sizeOf(bytes)}: the limit is ${sizeOf(most)}. Make it smaller (a screenshot of a part of the page, a trace without screenshots), or split the check`;

export const tooMuch = (name: string, most: number): string =>
  `${name} is not stored: the limit for all files of a run is ${most / MEGABYTE} MB`;

/** Several such sentences as one text. */
export const lostWords = (...lost: readonly (string | undefined)[]): string | undefined => {
  const said = lost.filter((one) => one !== undefined && one !== '');
  return said.length === 0 ? undefined : said.join('; ');
};
