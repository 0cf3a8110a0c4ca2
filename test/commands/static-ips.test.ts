/** `sonde static-ips`, as a table, in a pipe and plain. */
import { describe, expect, it } from 'vitest';
import { command as staticIps } from '../../commands/static-ips.ts';
import { runLine, serviceAt } from '../support/command.ts';
import { serve } from '../support/http.ts';

const regions = { 'eu-west-1': ['192.0.2.1', '192.0.2.2'], 'us-east-1': ['198.51.100.7'] };

describe('static-ips', () => {
  it('prints a region and an address a row', async () => {
    const server = await serve({ body: regions });
    const { code, stdout } = await runLine(staticIps, [], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe('/v1/static-ips-by-region');
    expect(stdout).toBe('eu-west-1\t192.0.2.1\neu-west-1\t192.0.2.2\nus-east-1\t198.51.100.7\n');
  });

  it('groups them by region and family in a terminal, and cuts none', async () => {
    const ipv4 = Array.from({ length: 30 }, (_, index) => `192.0.2.${index}`);
    const server = await serve({
      body: { 'eu-west-1': [...ipv4, '2001:db8::1'], 'us-east-1': ['198.51.100.7'] },
    });
    const { stdout, stderr } = await runLine(staticIps, ['--no-color'], {
      env: serviceAt(server.url),
      isTTY: true,
      columns: 60,
    });
    expect(stdout).toMatch(/^REGION +IPV4 +IPV6\n/);
    expect(stdout).toMatch(/^us-east-1 +198\.51\.100\.7 +—$/m);
    for (const address of [...ipv4, '2001:db8::1']) expect(stdout.split(/[\s,]+/)).toContain(address);
    expect(stderr).toBe('32 addresses in 2 regions. For a firewall: -o plain.\n');
  });

  it('prints each address once, one a line, with -o plain', async () => {
    const server = await serve({ body: { ...regions, 'us-east-2': ['198.51.100.7'] } });
    const { stdout } = await runLine(staticIps, ['-o', 'plain'], { env: serviceAt(server.url) });
    expect(stdout).toBe('192.0.2.1\n192.0.2.2\n198.51.100.7\n');
  });

  it('lets no escape sequence of the service reach a terminal with -o plain', async () => {
    const server = await serve({ body: { 'us-east-1': ['\u001b[31m192.0.2.1'] } });
    const { stdout } = await runLine(staticIps, ['-o', 'plain'], { env: serviceAt(server.url), isTTY: true });
    expect(stdout).toBe('192.0.2.1\n');
  });

  it('prints the answer as it came with --json', async () => {
    const server = await serve({ body: regions });
    const { stdout } = await runLine(staticIps, ['--json'], { env: serviceAt(server.url) });
    expect(JSON.parse(stdout)).toEqual(regions);
  });

  it('finds the addresses in an answer of another shape', async () => {
    const server = await serve({ body: { 'eu-west-1': { ipv4: ['192.0.2.1'], ipv6: ['2001:db8::1'] } } });
    const { stdout } = await runLine(staticIps, [], { env: serviceAt(server.url) });
    expect(stdout).toBe('eu-west-1\t192.0.2.1\neu-west-1\t2001:db8::1\n');
  });

  it('says that there are none on stderr', async () => {
    const server = await serve({ body: {} });
    const { code, stdout, stderr } = await runLine(staticIps, [], { env: serviceAt(server.url) });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The service returned no addresses.\n',
    });
  });
});
