import { X509Certificate } from 'node:crypto';
import { get } from 'node:https';
import { TLSSocket } from 'node:tls';
import { createKubeClient, KubeError, realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { ScriptedTransport } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';

import { defineOptions, type OptionDefinitions } from './options/definition.ts';
import type { HostEvent, ProcessHost } from './process-host.ts';
import { type ProcessContext, runProcess } from './run-process.ts';

const options = defineOptions({ clusterName: { type: 'string', default: 'edge', description: 'Name.' } });

/** A process on a host made of data, with a free port for its endpoints. */
function start(
  main: (context: ProcessContext<typeof options>) => Promise<void>,
  { argv = [], env = {} }: { argv?: string[]; env?: Record<string, string> } = {},
) {
  const clock = new FakeClock();
  const listeners = new Map<HostEvent, (value: unknown) => void>();
  const { promise: exitCode, resolve: exit } = Promise.withResolvers<number>();
  const output = { printed: '', complained: '', log: [] as Record<string, unknown>[] };
  const host: ProcessHost = {
    argv: argv.some((flag) => flag.startsWith('--listen')) ? argv : ['--listen=127.0.0.1:0', ...argv],
    env,
    print(text) {
      output.printed += text;
    },
    printError(text) {
      output.complained += text;
    },
    logDestination: { write: (line) => output.log.push(JSON.parse(line)) },
    isTerminal: false,
    on(event, listener) {
      listeners.set(event, listener);
      return () => listeners.delete(event);
    },
    exit,
  };
  const emit = (event: HostEvent, value?: unknown) => listeners.get(event)?.(value);
  const messages = () => output.log.map((line) => line.msg);
  void runProcess({ name: 'flotilla-test', prefix: 'flotilla', version: '1.2.3', options, main, host, clock });
  return { clock, exitCode, emit, output, messages, listeners };
}

/** A request that, as the kubelet's, does not verify the certificate. */
const getInsecurely = (url: string, token?: string) =>
  new Promise<{ status: number | undefined; fingerprint: string }>((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    get(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      const { socket, statusCode: status } = response;
      const fingerprint = socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : '';
      response.resume().on('end', () => resolve({ status, fingerprint }));
    }).on('error', reject);
  });

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('a process', () => {
  it('ends with 0 when its work is done, and takes its listeners away', async () => {
    const { exitCode, output, listeners, clock, messages } = start(
      async ({ options: { clusterName }, log }) => {
        log.info(`hello ${clusterName}`);
      },
      { env: { POD_NAME: 'hub-0' } },
    );
    expect(await exitCode).toBe(0);
    expect(messages()).toEqual(['starting', 'serving health and metrics', 'hello edge', 'ended']);
    expect(output.log.every((line) => line.podName === 'hub-0')).toBe(true);
    expect(listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('that gets its signal while its endpoints start is cut off after the grace period', async () => {
    const { exitCode, emit, clock, messages } = start(() => new Promise(() => {}), {
      argv: ['--shutdown-grace-period=10s'],
    });
    while (!messages().includes('starting')) await clock.settle();
    emit('SIGTERM');
    while (!messages().includes('serving health and metrics')) await clock.settle();
    await clock.advance(10_000);
    expect(await exitCode).toBe(1);
    expect(messages()).toContain('work did not end in time and is cut off');
  });

  it.each(['--help', '-h'])('shows its options on %s, its own and those of every process', async (flag) => {
    const { exitCode, output } = start(() => Promise.reject(new Error('not to be run')), { argv: [flag] });
    expect(await exitCode).toBe(0);
    expect(output.printed).toContain('Usage: flotilla-test [flags]');
    for (const name of ['--cluster-name', '--listen', '--profiling', '-v, --v']) expect(output.printed).toContain(name);
  });

  it('shows its version', async () => {
    const { exitCode, output } = start(async () => {}, { argv: ['--version'] });
    expect([await exitCode, output.printed]).toEqual([0, 'flotilla-test 1.2.3\n']);
  });

  it('complains in words about options that are wrong, and ends with 2', async () => {
    const { exitCode, output } = start(async () => {}, { argv: ['--cluster-nam=x'] });
    expect(await exitCode).toBe(2);
    expect(output.complained).toBe(
      'Error: Config: --cluster-nam is not a known flag (did you mean --cluster-name?)\n' +
        'See flotilla-test --help for all options.\n',
    );
  });

  it.each([
    ['an address it cannot have', ['--listen=nowhere'], '"nowhere" is not an address to listen at'],
    ['a certificate without key', ['--tls-cert-file=/x'], '--tls-private-key-file is missing'],
  ])('complains about %s', async (_, argv, message) => {
    const { exitCode, output } = start(async () => {}, { argv });
    expect([await exitCode, output.complained]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ['Config', 2],
    ['Unauthorized', 3],
    ['Tls', 3],
    ['Unavailable', 4],
    ['Timeout', 4],
    ['NotFound', 1],
    ['Canceled', 1],
  ] as const)('that fails with %s ends with %d and a line with code and hint', async (code, expected) => {
    const { exitCode, output } = start(() => Promise.reject(new KubeError(code, 'it', { hint: 'fix it' })));
    expect(await exitCode).toBe(expected);
    expect(output.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'failed',
        err: expect.objectContaining({ code, hint: 'fix it' }),
      }),
    );
  });

  it('serves health, metrics and, when asked for, debugging', async () => {
    let url = '';
    const { exitCode, emit, output } = start(
      async ({ signal, kitMetrics, metrics }) => {
        kitMetrics('hub').storeSize({ resource: 'leases' }, 3);
        metrics.gauge({ name: 'works', help: 'Works.', labels: [] }).set({}, 7);
        url = String(output.log.find((line) => line.url)?.url);
        expect(await (await fetch(`${url}/readyz?verbose`)).text()).toBe('[+]ping ok\nreadyz check passed\n');
        const body = await (await fetch(`${url}/metrics`)).text();
        expect(body).toContain('flotilla_build_info{name="flotilla-test",version="1.2.3"} 1');
        expect(body).toContain('flotilla_store_objects{client="hub",resource="leases"} 3');
        expect(body).toContain('works 7');
        expect(body).toContain('process_cpu_seconds_total');
        expect((await fetch(`${url}/debug/heap-stats`)).status).toBe(200);
        emit('SIGTERM');
        expect(signal.aborted).toBe(true);
        expect((await fetch(`${url}/readyz`)).status).toBe(500);
        expect((await fetch(`${url}/livez`)).status).toBe(200);
      },
      { argv: ['--profiling'] },
    );
    expect(await exitCode, JSON.stringify(output.log)).toBe(0);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it('serves HTTPS with a certificate, and shows when that expires', async () => {
    await using directory = await temporaryDirectory();
    const ttlMs = 86_400_000;
    const authority = await createAuthority('spec-ca', realClock);
    const pair = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'], ttlMs }, realClock);
    const notAfter = new X509Certificate(pair.certificate).validToDate;
    const argv = [
      `--tls-cert-file=${await directory.write('tls.crt', pair.certificate)}`,
      `--tls-private-key-file=${await directory.write('tls.key', pair.key)}`,
    ];
    let shown = '';
    const { exitCode, clock } = start(
      async ({ metrics }) => {
        shown = (await metrics.render()).body;
      },
      { argv },
    );
    expect(await exitCode).toBe(0);
    const seconds = (notAfter.getTime() - clock.now()) / 1000;
    const origin = `${directory.path}/tls.crt`;
    expect(shown).toContain(`flotilla_certificate_expiry_seconds{client="serving",origin="${origin}"} ${seconds}`);
  });

  it('serves HTTPS beyond loopback with a certificate of its own, which it replaces, and its metrics to authorized callers', async () => {
    const transport = new ScriptedTransport(({ path, body }) =>
      path.endsWith('/tokenreviews')
        ? { body: { status: { authenticated: true, user: { username: JSON.parse(String(body)).spec.token } } } }
        : { body: { status: { allowed: JSON.parse(String(body)).spec.user === 'prometheus' } } },
    );
    const statuses: Record<string, number | undefined> = {};
    const fingerprints = new Set<string>();
    const process = start(
      async ({ authorizeMetricsWith, clock }) => {
        const url = String(process.output.log.find((line) => line.url)?.url).replace('0.0.0.0', '127.0.0.1');
        expect(url).toMatch(/^https:/);
        const status = async (path: string, token?: string) => {
          const answer = await getInsecurely(`${url}${path}`, token);
          fingerprints.add(answer.fingerprint);
          return answer.status;
        };
        statuses['before it is connected'] = await status('/metrics', 'prometheus');
        authorizeMetricsWith(createKubeClient({ transport, clock }));
        statuses['without a token'] = await status('/metrics');
        statuses['without the right'] = await status('/metrics', 'jane');
        statuses['with the right'] = await status('/metrics', 'prometheus');
        statuses['the kubelet'] = await status('/readyz');
        statuses['a remote debugger without the right'] = await status('/debug/heap-stats', 'jane');
        expect(fingerprints.size).toBe(1);
        await process.clock.advance(300 * 86_400_000);
        await expect.poll(() => status('/livez').then(() => fingerprints.size)).toBe(2);
      },
      { argv: ['--listen=0.0.0.0:0', '--profiling', '--profiling-allow-remote'] },
    );
    expect(await process.exitCode, JSON.stringify(process.output.log)).toBe(0);
    expect(statuses).toEqual({
      'before it is connected': 503,
      'without a token': 401,
      'without the right': 403,
      'with the right': 200,
      'the kubelet': 200,
      'a remote debugger without the right': 403,
    });
  });

  it('has no debug endpoints unless asked for, and no server with --listen=0', async () => {
    const { exitCode, output } = start(async () => {
      const url = output.log.find((line) => line.url)?.url;
      expect((await fetch(`${url}/debug/heap-stats`)).status).toBe(404);
    });
    expect(await exitCode).toBe(0);
    const silent = start(async () => {}, { argv: ['--listen=0'] });
    expect(await silent.exitCode).toBe(0);
    expect(silent.messages()).toEqual(['starting', 'ended']);
  });

  it('logs at the level that -v asks for', async () => {
    const main = async ({ log }: ProcessContext<OptionDefinitions>) => log.debug('detail');
    const quiet = start(main, { argv: ['-v=3'] });
    const verbose = start(main, { argv: ['-v=4'] });
    await Promise.all([quiet.exitCode, verbose.exitCode]);
    expect(quiet.messages()).not.toContain('detail');
    expect(verbose.messages()).toContain('detail');
  });
});

describe('the end of a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('begins with %s and waits for work in progress', async (signalName) => {
    const { promise: work, resolve: finish } = Promise.withResolvers<void>();
    const { clock, exitCode, emit, messages } = start(async ({ signal }) => {
      await untilAborted(signal);
      await work;
    });
    await expect.poll(messages).toContain('serving health and metrics');
    emit(signalName);
    await clock.advance(9000);
    finish();
    expect(await exitCode).toBe(0);
  });

  it('is orderly too when the work answers the signal with an abort', async () => {
    const { exitCode, emit, messages, output } = start(({ signal, clock }) => clock.sleep(1e9, signal));
    await expect.poll(messages).toContain('serving health and metrics');
    emit('SIGTERM');
    expect(await exitCode).toBe(0);
    expect(output.log.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('is a failure when the work fails on the way', async () => {
    const { exitCode, emit, messages } = start(async ({ signal }) => {
      await untilAborted(signal);
      throw new Error('could not release the lease');
    });
    await expect.poll(messages).toContain('serving health and metrics');
    emit('SIGTERM');
    expect(await exitCode).toBe(1);
    expect(messages()).toContain('failed');
  });

  it('cuts off, after the grace period and with a failure, what does not end', async () => {
    const { clock, exitCode, emit, messages, output } = start(() => new Promise(() => {}), {
      argv: ['--shutdown-grace-period=3s'],
    });
    await expect.poll(messages).toContain('serving health and metrics');
    emit('SIGTERM');
    await clock.advance(3000);
    expect(await exitCode).toBe(1);
    expect(output.log).toContainEqual(
      expect.objectContaining({ msg: 'work did not end in time and is cut off', shutdownGracePeriod: '3s' }),
    );
  });

  it('comes at once with the second signal', async () => {
    const { exitCode, emit, messages } = start(() => new Promise(() => {}));
    await expect.poll(messages).toContain('serving health and metrics');
    emit('SIGTERM');
    emit('SIGINT');
    expect(await exitCode).toBe(130);
  });
});

describe('an unhandled error', () => {
  it('from a forgotten promise is logged with its stack and counted, and the process goes on', async () => {
    const { exitCode, emit, output } = start(async ({ metrics, signal }) => {
      emit('unhandledRejection', new Error('forgotten'));
      emit('unhandledRejection', 'not even an error');
      expect(signal.aborted).toBe(false);
      expect((await metrics.render()).body).toContain('flotilla_unhandled_errors_total{kind="unhandledRejection"} 2');
    });
    expect(await exitCode).toBe(0);
    const [first, second] = output.log.filter((line) => line.level === 'error');
    expect(first?.err).toMatchObject({ message: 'forgotten', stack: expect.stringContaining('run-process.spec.ts') });
    expect(second?.err).toMatchObject({ message: 'not even an error' });
  });

  it('from an uncaught exception is logged and counted, and ends the process in order with 70', async () => {
    const { exitCode, emit, output } = start(async ({ signal, metrics }) => {
      emit('uncaughtException', new Error('from a callback'));
      expect(signal.aborted).toBe(true);
      expect((await metrics.render()).body).toContain('flotilla_unhandled_errors_total{kind="uncaughtException"} 1');
    });
    expect(await exitCode).toBe(70);
    expect(output.log).toContainEqual(
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'from a callback' }) }),
    );
  });
});
