/** The DNS runner against servers that keep silent, lie, or break off. */
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { type Answer, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { hastyClock } from '../../support/clock.ts';
import { closedPort, type Faults, framed, onQuery, replyTo, startFaulty } from '../../support/dns/faulty.ts';
import { dnsOf, runAt } from '../../support/dns/run.ts';
import { eventually } from '../../support/eventually.ts';

const A: Answer[] = [{ type: 'A', name: 'example.test', ttl: 60, data: '192.0.2.1' }];
const QUERY = { query: 'example.test' } as const;
const OVER_TCP = { query: 'example.test', protocol: 'TCP' } as const;

const HASTY = { clock: hastyClock };

function withId(message: Buffer, id: number): Buffer {
  const changed = Buffer.from(message);
  changed.writeUInt16BE(id & 0xffff, 0);
  return changed;
}

describe('a server that gives no answer', () => {
  it('fails as a network error when it keeps silent, and says how long the wait was', async () => {
    const server = await startFaulty({});
    const outcome = await runAt(server, QUERY, { maxResponseTime: 1000 }, HASTY);
    expect(outcome).toMatchObject({
      hasFailures: true,
      hasErrors: false,
      isNetworkError: true,
      overMaxResponseTime: true,
      isDegraded: false,
      responseTime: null,
      errors: [`no answer from 127.0.0.1:${server.port} within 5 s (UDP)`],
    });
  });

  // The system refuses the broadcast address to a socket that did not ask for it.
  it('fails as a network error when the system cannot send to it', async () => {
    const outcome = await runAt({ address: '255.255.255.255', port: 53 }, QUERY);
    expect(outcome).toMatchObject({
      hasFailures: true,
      isNetworkError: true,
      errors: [expect.stringMatching(/^255\.255\.255\.255:53 cannot be reached \(UDP\): E[A-Z]+$/)],
    });
  });

  it('passes on silence where the check should fail', async () => {
    const outcome = await runAt(await startFaulty({}), QUERY, { shouldFail: true }, HASTY);
    expect(outcome).toMatchObject({ hasFailures: false, isNetworkError: false, errors: [] });
  });

  it('is asked three times over UDP within the wait', async () => {
    const server = await startFaulty({});
    await runAt(server, QUERY, {}, HASTY);
    await eventually(() => expect(server.datagrams).toHaveLength(3));
    expect(new Set(server.datagrams.map((datagram) => datagram.toString('hex'))).size).toBe(1);
  });

  it('may repeat the question in capitals', async () => {
    const headerBytes = 12;
    const capitals = (message: Buffer) => {
      const letters = message.subarray(headerBytes).toString('latin1').toUpperCase();
      return Buffer.concat([message.subarray(0, headerBytes), Buffer.from(letters, 'latin1')]);
    };
    const name = 'abyz.test';
    const server = await startFaulty({
      udp: (query, _, reply) =>
        reply(capitals(replyTo(query, [{ type: 'A', name, ttl: 60, data: '192.0.2.1' }]))),
    });
    expect((await runAt(server, { query: name }, {}, HASTY)).errors).toEqual([]);
  });

  it('passes when only the first datagram is lost', async () => {
    const server = await startFaulty({
      udp: (query, before, reply) => {
        if (before === 1) reply(replyTo(query, A));
      },
    });
    const outcome = await runAt(server, QUERY, {}, HASTY);
    expect(outcome.hasFailures).toBe(false);
    expect(dnsOf(outcome).response.Answer).toHaveLength(1);
  });

  it.each(['UDP', 'TCP'] as const)('fails at once where nothing listens (%s)', async (protocol) => {
    const port = await closedPort();
    const outcome = await runAt({ address: '127.0.0.1', port }, { ...QUERY, protocol });
    expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true, overMaxResponseTime: false });
    expect(outcome.errors).toEqual([`connection to 127.0.0.1:${port} refused (${protocol}): ECONNREFUSED`]);
  });

  it('fails when a TCP connection is accepted and nothing is said', async () => {
    const outcome = await runAt(await startFaulty({}), OVER_TCP, {}, HASTY);
    expect(outcome.errors[0]).toMatch(/^no answer from .* within 5 s \(TCP\)$/);
  });
});

describe('datagrams that are no answer', () => {
  it.each<[string, (query: Buffer) => Buffer, string]>([
    ['garbage', () => Buffer.from('this is no DNS message, yet it is long enough'), 'a different ID'],
    ['three bytes', () => Buffer.from([1, 2, 3]), 'shorter than a DNS header'],
    ['the query itself', (query) => query, 'not a reply'],
    ['another id', (query) => withId(replyTo(query, A), query.readUInt16BE(0) + 1), 'a different ID'],
    [
      'a different question',
      (query) =>
        encode({
          type: 'response',
          id: query.readUInt16BE(0),
          questions: [{ type: 'A', name: 'exemple.test' }],
          answers: A,
        }),
      'a different question',
    ],
    [
      'another type',
      (query) =>
        encode({
          type: 'response',
          id: query.readUInt16BE(0),
          questions: [{ type: 'AAAA', name: 'example.test' }],
        }),
      'a different question',
    ],
    ['an answer cut off', (query) => replyTo(query, A).subarray(0, -2), 'a malformed message'],
    [
      'a record whose length lies',
      (query) => {
        const reply = replyTo(query, [...A, ...A]);
        reply.writeUInt16BE(5, query.indexOf(0, 12) + 5 + 22);
        return reply;
      },
      'a malformed message',
    ],
    [
      'a last record whose length lies',
      (query) => {
        const reply = replyTo(query, A);
        reply.writeUInt16BE(3, reply.length - 6);
        return reply;
      },
      'a malformed message',
    ],
  ])('%s is ignored until the time is up', async (_, make, hint) => {
    const server = await startFaulty({ udp: (query, _before, reply) => reply(make(query)) });
    const outcome = await runAt(server, QUERY, {}, HASTY);
    expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true });
    expect(outcome.errors[0]).toContain('within 5 s (UDP); ignored other responses: ');
    expect(outcome.errors[0]).toContain(hint);
  });

  it('do not keep the right one from being taken', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) => {
        reply(withId(replyTo(query, []), query.readUInt16BE(0) ^ 1));
        reply(Buffer.from('noise'));
        reply(replyTo(query, A));
      },
    });
    expect(dnsOf(await runAt(server, QUERY)).response.Answer).toHaveLength(1);
  });

  it('are ignored when they come from another address, even as a perfect answer', async () => {
    const stranger = createSocket('udp4');
    await new Promise<void>((resolve) => stranger.bind(0, '127.0.0.1', resolve));
    const server = createSocket('udp4');
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    server.on('message', (query, from) => stranger.send(replyTo(query, A), from.port, from.address));
    const outcome = await runAt(server.address(), QUERY, {}, HASTY);
    expect(outcome.errors[0]).toMatch(/within 5 s \(UDP\)$/);
    stranger.close();
    server.close();
  });
});

describe('replies that ask for another round', () => {
  it('takes a name in other letters for the same name', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) => {
        const shouted = Buffer.from(query);
        for (let at = 12; at < shouted.length; at += 1) {
          const byte = shouted[at] ?? 0;
          if (byte >= 0x61 && byte <= 0x7a) shouted[at] = byte - 0x20;
        }
        reply(replyTo(shouted, [{ type: 'CNAME', name: 'EXAMPLE.TEST', data: 'Web.test' }]));
      },
    });
    expect(dnsOf(await runAt(server, QUERY)).chain).toEqual(['example.test.', 'web.test.']);
  });

  it('asks without EDNS a server that does not know it', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) => {
        const knows = decode(query).additionals?.length === 0;
        reply(replyTo(query, knows ? A : [], knows ? 0 : 1));
      },
    });
    const outcome = await runAt(server, QUERY);
    expect(outcome.errors).toEqual([]);
    expect(dnsOf(outcome).response.Answer).toHaveLength(1);
  });

  it('fails where a truncated answer cannot be had over TCP', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) => reply(replyTo(query, [], TRUNCATED_RESPONSE)),
      tcp: (socket) => socket.end(),
    });
    const outcome = await runAt(server, QUERY);
    expect(outcome.errors[0]).toMatch(
      /^the answer over UDP was truncated, and TCP failed: .* closed the connection without a response \(TCP\)$/,
    );
  });

  it('reads a refusal that carries no question', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) =>
        reply(encode({ type: 'response', id: query.readUInt16BE(0), flags: 5 })),
    });
    expect((await runAt(server, QUERY)).errors).toEqual(['example.test A: answered REFUSED']);
  });

  it('joins the upper bits of a response code that EDNS carries', async () => {
    const server = await startFaulty({
      udp: (query, _before, reply) => {
        const asked = decode(query);
        const opt = asked.additionals?.[0];
        if (opt?.type !== 'OPT') return;
        reply(
          encode({
            type: 'response',
            id: query.readUInt16BE(0),
            questions: asked.questions ?? [],
            additionals: [{ ...opt, extendedRcode: 1 }],
          }),
        );
      },
    });
    expect((await runAt(server, QUERY)).errors).toEqual(['example.test A: answered BADVERS']);
  });
});

describe('answers over TCP', () => {
  const serve = (answer: (socket: Socket, query: Buffer) => void): Faults => ({
    tcp: (socket) => onQuery(socket, (query) => answer(socket, query)),
  });

  it('are read however they are cut up', async () => {
    const server = await startFaulty(
      serve(async (socket, query) => {
        socket.setNoDelay(true);
        for (const byte of framed(replyTo(query, A))) {
          await new Promise<void>((resolve) => socket.write(Buffer.from([byte]), () => resolve()));
        }
      }),
    );
    expect(dnsOf(await runAt(server, OVER_TCP)).response.Answer).toHaveLength(1);
  });

  it.each<[string, (socket: Socket, query: Buffer) => void, RegExp]>([
    [
      'end in the middle',
      (socket, query) => socket.end(framed(replyTo(query, A)).subarray(0, 20)),
      /closed the connection in the middle of its response \(TCP\)$/,
    ],
    [
      'stop in the middle',
      (socket, query) => socket.write(framed(replyTo(query, A)).subarray(0, 20)),
      /within 5 s \(TCP\); 20 bytes of a response arrived$/,
    ],
    [
      'are garbage',
      (socket) => socket.write(framed(Buffer.from('garbage'))),
      /sent an invalid response: shorter/,
    ],
    [
      'have another id',
      (socket, query) => socket.write(framed(withId(replyTo(query, A), query.readUInt16BE(0) + 1))),
      /a different ID \(TCP\)$/,
    ],
    [
      'are malformed',
      (socket, query) => socket.write(framed(replyTo(query, A).subarray(0, -1))),
      /a malformed message \(TCP\)$/,
    ],
    ['are broken off', (socket) => socket.resetAndDestroy(), /closed the connection \(TCP\): ECONNRESET$/],
  ])('fail at once or at the wait when they %s', async (_, answer, message) => {
    const server = await startFaulty(serve(answer));
    const outcome = await runAt(server, OVER_TCP, {}, HASTY);
    expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false, isNetworkError: true });
    expect(outcome.errors[0]).toMatch(message);
  });
});
