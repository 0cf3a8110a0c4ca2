/** Parses the output of ping from iputils, BusyBox and the BSDs. */

/** The sent packets and their replies. */
export interface Echoes {
  readonly sent: number;
  /** Round trips in ms, in packet order. */
  readonly replies: readonly number[];
  /** Error replies of other hosts (`Destination Host Unreachable`), without duplicates. */
  readonly errors: readonly string[];
  readonly duplicates: number;
}

const REPLY = /^\d+ bytes from .*?\b(?:icmp_)?seq=(\d+)\b.*?\btime[=<]([\d.]+) ?ms(.*)$/;
const SENT = /^(\d+) packets transmitted\b/m;
const ERROR = /^From \S+(?: \(\S+\))?:? icmp_seq=\d+ (.+)$/i;
const MAX_ERRORS = 5;

/** Returns undefined if the statistics are missing. */
export function parsePing(stdout: string): Echoes | undefined {
  const sent = SENT.exec(stdout)?.[1];
  if (sent === undefined) return undefined;
  const replies = new Map<number, number>();
  const errors = new Set<string>();
  let duplicates = 0;
  for (const line of stdout.split('\n')) {
    const [, sequence, ms, rest = ''] = REPLY.exec(line) ?? [];
    if (sequence !== undefined) {
      const isDuplicate = replies.has(Number(sequence)) || rest.includes('DUP!');
      if (isDuplicate) duplicates += 1;
      else replies.set(Number(sequence), Number(ms));
    }
    const error = ERROR.exec(line.trim())?.[1];
    if (error !== undefined && errors.size < MAX_ERRORS) errors.add(error);
  }
  const ordered = [...replies].sort(([one], [other]) => one - other).map(([, ms]) => ms);
  return { sent: Number(sent), replies: ordered, errors: [...errors], duplicates };
}
