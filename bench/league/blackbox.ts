/** Prometheus' blackbox exporter in the league: a module for each target that it can express. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { freePort } from '../../test/support/free-port.ts';
import { findProgram } from '../../test/support/needs.ts';
import { LIMIT_MS, type Runner, type Served, urlOf } from './target.ts';

const AT_ONCE = 10;
const BLACKBOX = 'prometheus-blackbox-exporter';
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function blackboxModule({ id, target: { probe } }: Served, trusted: string): object | undefined {
  const trust = { ca_file: trusted };
  const ipv4 = { preferred_ip_protocol: 'ip4' };
  switch (probe.type) {
    case 'https':
      return { prober: 'http', http: { ...ipv4, tls_config: trust } };
    case 'certificate':
      return {
        prober: 'tcp',
        tcp: { ...ipv4, tls: true, tls_config: { ...trust, server_name: probe.serverName } },
      };
    case 'http': {
      const { status, contains, lacks, header, json } = probe.expects ?? {};
      if (json !== undefined) return undefined;
      return {
        prober: 'http',
        http: {
          ...ipv4,
          ...(probe.encoding && { compression: probe.encoding }),
          ...(probe.secrets && { headers: probe.secrets }),
          ...(status !== undefined && { valid_status_codes: [status] }),
          // A runner that follows no redirect is the way to see the status of one.
          ...(status !== undefined && status >= 300 && status < 400 && { follow_redirects: false }),
          ...(contains !== undefined && { fail_if_body_not_matches_regexp: [literal(contains)] }),
          ...(lacks !== undefined && { fail_if_body_matches_regexp: [literal(lacks)] }),
          ...(header && {
            fail_if_header_not_matches: [{ header: header[0], regexp: literal(header[1]) }],
          }),
        },
      };
    }
    case 'tcp':
      // It can wait for a line, and not for the absence of one.
      if (probe.expects?.lacks !== undefined) return undefined;
      return {
        prober: 'tcp',
        tcp: {
          ...ipv4,
          query_response: [probe.expects?.contains].flatMap((text) =>
            text ? [{ expect: literal(text) }] : [],
          ),
        },
      };
    case 'dns': {
      const { contains, lacks } = probe.expects ?? {};
      const rules = {
        ...(contains !== undefined && { fail_if_none_matches_regexp: [literal(contains)] }),
        ...(lacks !== undefined && { fail_if_matches_regexp: [literal(lacks)] }),
        ...(contains === undefined &&
          lacks === undefined && { fail_if_none_matches_regexp: [`\\sIN\\s${probe.recordType}\\s`] }),
      };
      return {
        prober: 'dns',
        dns: { ...ipv4, query_name: `${id}.test`, query_type: probe.recordType, validate_answer_rrs: rules },
      };
    }
  }
}

export const blackbox: Runner = {
  name: 'blackbox exporter',
  async run(targets, trusted, folder) {
    const program = findProgram(BLACKBOX);
    if (program === undefined) return `not installed (apt-get install ${BLACKBOX})`;
    const modules = new Map(
      targets.flatMap((served) => {
        const module = blackboxModule(served, trusted);
        return module === undefined ? [] : [[served.id, { ...module, timeout: `${LIMIT_MS}ms` }] as const];
      }),
    );
    const file = join(folder, 'blackbox.json');
    await writeFile(file, JSON.stringify({ modules: Object.fromEntries(modules) }));
    const port = await freePort();
    const flags = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
    const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const origin = `http://127.0.0.1:${port}`;
      await answers(`${origin}/-/healthy`);
      const limit = pLimit(AT_ONCE);
      const asked = targets.filter(({ id }) => modules.has(id));
      const probe = async (served: Served) => {
        const isWeb = served.target.probe.type.startsWith('http');
        const target = encodeURIComponent(isWeb ? urlOf(served) : `127.0.0.1:${served.port}`);
        const response = await fetch(`${origin}/probe?module=${served.id}&target=${target}`);
        return [served.id, /^probe_success 1$/m.test(await response.text())] as const;
      };
      return new Map(await Promise.all(asked.map((served) => limit(() => probe(served)))));
    } finally {
      child.kill();
    }
  },
};

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}
