/** Reads what ping says: that of iputils, of BusyBox and of the BSDs. Pure. */

/** Packets and what became of them. */
export interface Echoes {
  readonly sent: number;
  /** Round trips in ms, in the order of their packets. */
  readonly replies: readonly number[];
  /** What others said in place of an answer (`Destination Host Unreachable`), each once. */
  readonly errors: readonly string[];
  readonly duplicates: number;
}

const REPLY = /^\d+ bytes from .*?\b(?:icmp_)?seq=(\d+)\b.*?\btime[=<]([\d.]+) ?ms(.*)$/;
const SENT = /^(\d+) packets transmitted\b/m;
const ERROR = /^From \S+(?: \(\S+\))?:? icmp_seq=\d+ (.+)$/i;
const MAX_ERRORS = 5;

/** Undefined where it never came to its figures. */
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
