/** What the league puts before each runner: a target whose right verdict is known because of how it is made. */
import type { Socket } from 'node:net';
import type { Responder } from '../../test/cases/servers/dns-server.ts';
import type { HttpAnswer, HttpRequest } from '../../test/cases/servers/http-server.ts';
import type { tlsServers } from '../../test/cases/servers/tls-servers.ts';

/** The requirements on the answer. Without requirements, the runner's own rule decides. */
export interface Expectation {
  readonly status?: number;
  readonly contains?: string;
  readonly lacks?: string;
  /** The value of a header contains the text. */
  readonly header?: readonly [name: string, contains: string];
  /** A member of a JSON object equals the text. */
  readonly json?: readonly [member: string, equals: string];
}

export interface HttpProbe {
  readonly type: 'http';
  readonly answer: (request: HttpRequest) => HttpAnswer;
  /** Other paths of the target, by the last segment. */
  readonly more?: Readonly<Record<string, (request: HttpRequest) => HttpAnswer>>;
  /** Secret headers of the request. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The encoding of the body, for runners that must know it before. */
  readonly encoding?: 'gzip' | 'br' | 'deflate';
  readonly expects?: Expectation;
}
export interface HttpsProbe {
  readonly type: 'https';
  readonly server: keyof typeof tlsServers;
}
/** The certificate alone, for a name that is not the address. */
export interface CertificateProbe {
  readonly type: 'certificate';
  readonly server: keyof typeof tlsServers;
  readonly serverName: string;
}
export interface TcpProbe {
  readonly type: 'tcp';
  /** Undefined: nothing listens. */
  readonly serve?: (socket: Socket) => unknown;
  readonly expects?: Pick<Expectation, 'contains' | 'lacks'>;
}
export interface DnsProbe {
  readonly type: 'dns';
  readonly recordType: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'TXT';
  readonly respond: Responder;
  readonly expects?: Pick<Expectation, 'contains' | 'lacks'>;
}
export type Probe = HttpProbe | HttpsProbe | CertificateProbe | TcpProbe | DnsProbe;

export interface Target {
  readonly kind: string;
  /** Unique within its kind. */
  readonly name: string;
  /** The right verdict: whether a check of it passes. */
  readonly isGood: boolean;
  readonly probe: Probe;
}

/** A target that listens. */
export interface Served {
  readonly target: Target;
  /** Also the name of the path and the first label. */
  readonly id: string;
  readonly port: number;
}

/** How long an attempt may last, in ms. */
export const LIMIT_MS = 5000;

export const urlOf = ({ id, port, target }: Served): string =>
  target.probe.type === 'https' ? `https://127.0.0.1:${port}/` : `http://127.0.0.1:${port}/${id}`;

/** What a runner says about a target. Undefined: it has no way to express it. */
export type Verdicts = ReadonlyMap<string, boolean>;

export interface Runner {
  readonly name: string;
  /** Runs all targets and returns the verdicts by ID. A string says why the runner cannot run here. */
  readonly run: (targets: readonly Served[], trusted: string, folder: string) => Promise<Verdicts | string>;
}
