/** Lets scripts record videos with the ffmpeg of this machine, or without Playwright's. */
import { existsSync } from 'node:fs';
import type { Runtime } from './locate-playwright.ts';

/** Note of a result whose script asked for a video. */
export const NO_VIDEO =
  'no video was recorded, because this machine has no ffmpeg; install ffmpeg on it, or run sonde browser install --from-playwright';

/** Returns whether videos can be recorded. Playwright uses `ffmpegPath` from then on. */
export function canRecordVideo(runtime: Runtime, ffmpegPath: string | null): boolean {
  const ffmpeg = runtime.loadRegistry()?.findExecutable('ffmpeg');
  // Another version of Playwright decides alone.
  if (ffmpeg === undefined) return true;
  if (ffmpegPath === null || !existsSync(ffmpegPath)) return existsSync(ffmpeg.executablePath() ?? '');
  ffmpeg.executablePathOrDie = () => ffmpegPath;
  return true;
}
