/** Starts a small authoritative name server on loopback, so that a first check works without a network. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Socket, type Server as TcpServer } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { RecordType } from './types.ts';

/** The types that this server can serve. */
type ServedType = Extract<RecordType, 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'PTR' | 'SOA' | 'TXT'>;

/** A record with `data` as in JSON_ANSWER: `10 mail.example.`, or text without quotes. */
export interface LoopbackRecord {
  readonly type: ServedType;
  readonly data: string;
  /** Seconds; default 60. */
  readonly ttl?: number;
}

export interface LoopbackNameServer {
  readonly address: string;
  /** The port for UDP and TCP. */
  readonly port: number;
  close(): Promise<void>;
}

/** Header flags and response codes. */
const RECURSION_DESIRED = 0x0100;
const OPCODE = 0x7800;
const FORMERR = 1;
const NXDOMAIN = 3;
const NOTIMP = 4;
const PLAIN_UDP_PAYLOAD = 512;
const TEXT_STRING = 255;
const ALIASES_FOLLOWED = 8;
const PORT_ATTEMPTS = 20;

/**
 * Serves the records over UDP and TCP on a free port. Names match case-insensitively and need no final dot; aliases
 * are followed; other names are answered with NXDOMAIN.
 */
export async function startLoopbackNameServer(options: {
  readonly records: Readonly<Record<string, readonly LoopbackRecord[]>>;
  readonly host?: string;
}): Promise<LoopbackNameServer> {
  const host = options.host ?? '127.0.0.1';
  const zone = new Map(
    Object.entries(options.records).map(([name, records]) => [normalizeName(name), records] as const),
  );
  const connections = new Set<Socket>();
  const { tcp, udp, port } = await listen(host, () => createServer(serveTcp));
  udp.on('message', (query, from) => {
    const reply = respond(zone, query, true);
    if (reply !== undefined) udp.send(reply, from.port, from.address, () => {});
  });

  function serveTcp(socket: Socket): void {
    connections.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => connections.delete(socket));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const reply = respond(zone, received.subarray(2, end), false);
        received = received.subarray(end);
        if (reply === undefined) {
          socket.destroy();
          return;
        }
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([length, reply]));
      }
    });
  }

  return {
    address: host,
    port,
    async close() {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/** Binds one port for both protocols, and tries another if UDP cannot have the port of TCP. */
async function listen(
  host: string,
  newServer: () => TcpServer,
): Promise<{ tcp: TcpServer; udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = newServer();
    const port = await new Promise<number>((resolve, reject) => {
      tcp.once('error', reject);
      tcp.listen(0, host, () => {
        const bound = tcp.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
      });
    });
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject);
        udp.bind(port, host, resolve);
      });
      udp.removeAllListeners('error');
      udp.on('error', () => {});
      return { tcp, udp, port };
    } catch (error) {
      udp.close();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
      if (attempt >= PORT_ATTEMPTS) throw error;
    }
  }
}

type Zone = ReadonlyMap<string, readonly LoopbackRecord[]>;

/** Returns the reply to a query; undefined for invalid bytes. */
function respond(zone: Zone, message: Buffer, isUdp: boolean): Buffer | undefined {
  const query = readQuery(message);
  if (query === undefined) return undefined;
  const flags = message.readUInt16BE(2);
  const base = {
    type: 'response',
    id: message.readUInt16BE(0),
    questions: query.questions ?? [],
  } as const;
  const replyFlags = AUTHORITATIVE_ANSWER | (flags & RECURSION_DESIRED);
  const [question] = base.questions;
  if ((flags & OPCODE) !== 0) return encode({ ...base, flags: replyFlags | NOTIMP });
  if (question === undefined) return encode({ ...base, flags: replyFlags | FORMERR });
  const { answers, exists } = resolve(zone, question.name, question.type);
  const reply = encode({ ...base, flags: exists ? replyFlags : replyFlags | NXDOMAIN, answers });
  if (!isUdp || reply.length <= maxPayload(query)) return reply;
  return encode({ ...base, flags: replyFlags | TRUNCATED_RESPONSE });
}

function readQuery(message: Buffer): DecodedPacket | undefined {
  try {
    const packet = decode(message);
    return packet.flag_qr ? undefined : packet;
  } catch {
    return undefined;
  }
}

function maxPayload(query: DecodedPacket): number {
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.max(PLAIN_UDP_PAYLOAD, opt.udpPayloadSize) : PLAIN_UDP_PAYLOAD;
}

function resolve(zone: Zone, queriedName: string, type: string): { answers: Answer[]; exists: boolean } {
  const answers: Answer[] = [];
  let name = queriedName;
  for (let followed = 0; followed <= ALIASES_FOLLOWED; followed += 1) {
    const records = zone.get(normalizeName(name));
    if (records === undefined) return { answers, exists: answers.length > 0 };
    const matching = records.filter((record) => record.type === type);
    for (const record of matching) answers.push(toAnswer(name, record));
    const alias = records.find((record) => record.type === 'CNAME');
    if (matching.length > 0 || alias === undefined) return { answers, exists: true };
    answers.push(toAnswer(name, alias));
    name = alias.data;
  }
  return { answers, exists: true };
}

function toAnswer(owner: string, { type, data, ttl = 60 }: LoopbackRecord): Answer {
  const name = owner.replace(/\.$/, '');
  const fields = data.split(/\s+/);
  const number = (at: number) => Number(fields[at] ?? 0);
  switch (type) {
    case 'TXT':
      return { name, type, ttl, data: splitText(data) };
    case 'MX':
      return { name, type, ttl, data: { preference: number(0), exchange: fields[1] ?? '.' } };
    case 'SOA':
      return {
        name,
        type,
        ttl,
        data: {
          mname: fields[0] ?? '.',
          rname: fields[1] ?? '.',
          serial: number(2),
          refresh: number(3),
          retry: number(4),
          expire: number(5),
          minimum: number(6),
        },
      };
    default:
      return { name, type, ttl, data };
  }
}

/** Splits text into strings of at most 255 bytes, the limit of TXT records. */
function splitText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += TEXT_STRING) {
    parts.push(bytes.subarray(at, at + TEXT_STRING));
  }
  return parts;
}

function normalizeName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}
