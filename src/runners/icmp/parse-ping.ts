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
const MOST_ERRORS = 5;

/** Undefined where it never came to its figures. */
export function readPing(stdout: string): Echoes | undefined {
  const sent = SENT.exec(stdout)?.[1];
  if (sent === undefined) return undefined;
  const replies = new Map<number, number>();
  const errors = new Set<string>();
  let duplicates = 0;
  for (const line of stdout.split('\n')) {
    const [, sequence, ms, rest = ''] = REPLY.exec(line) ?? [];
    if (sequence !== undefined) {
      const isAgain = replies.has(Number(sequence)) || rest.includes('DUP!');
      if (isAgain) duplicates += 1;
      else replies.set(Number(sequence), Number(ms));
    }
    const said = ERROR.exec(line.trim())?.[1];
    if (said !== undefined && errors.size < MOST_ERRORS) errors.add(said);
  }
  const ordered = [...replies].sort(([one], [other]) => one - other).map(([, ms]) => ms);
  return { sent: Number(sent), replies: ordered, errors: [...errors], duplicates };
}
