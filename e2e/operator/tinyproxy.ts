import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EnvtestError, findFreePort } from '@flotilla/envtest';

const run = promisify(execFile);

/** The Debian package with the program alone: `tinyproxy` would start a service too. */
const debianPackage = 'tinyproxy-bin';

/** Finds tinyproxy, and installs it where this machine allows that. */
export async function ensureTinyproxy(): Promise<void> {
  if (await isInstalled()) return;
  const hint = `Install it so that \`tinyproxy -v\` works: \`apt-get install ${debianPackage}\` on Debian and Ubuntu, by root.`;
  if (process.getuid?.() !== 0) {
    throw new EnvtestError('BinariesMissing', 'tinyproxy is not installed, and only root can install it', { hint });
  }
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update'], { env });
    await run('apt-get', ['install', '-y', '--no-install-recommends', debianPackage], { env });
  } catch (cause) {
    throw new EnvtestError('BinariesMissing', 'tinyproxy is not installed, and apt-get cannot install it', {
      hint,
      cause,
    });
  }
}

const isInstalled = (): Promise<boolean> =>
  run('tinyproxy', ['-v']).then(
    () => true,
    () => false,
  );

/** A tinyproxy on loopback. */
export interface Tinyproxy extends AsyncDisposable {
  readonly url: string;
  /** What its log says it was asked to connect to, `host:port`, each time. */
  targets(): Promise<string[]>;
}

/** What it may do. */
export interface TinyproxyOptions {
  /** The only ports that it connects to. */
  readonly ports: readonly number[];
  /** The proxy behind it, `host:port`, which knows the way to the targets. */
  readonly upstream: string;
}

/** Starts it. */
export async function startTinyproxy({ ports, upstream }: TinyproxyOptions): Promise<Tinyproxy> {
  await ensureTinyproxy();
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-tinyproxy-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const port = await findFreePort();
  const log = join(directory, 'tinyproxy.log');
  const settings = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Allow 127.0.0.1',
    'Timeout 600',
    'MaxClients 200',
    'LogLevel Connect',
    `LogFile "${log}"`,
    `Upstream http ${upstream}`,
    ...ports.map((each) => `ConnectPort ${each}`),
  ];
  await writeFile(join(directory, 'tinyproxy.conf'), `${settings.join('\n')}\n`);
  const child = spawn('tinyproxy', ['-d', '-c', join(directory, 'tinyproxy.conf')], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (tries > 200 || child.exitCode !== null) throw new Error('tinyproxy did not start');
    await sleep(50);
  }
  const cleanup = stack.move();
  return {
    url: `http://127.0.0.1:${port}`,
    async targets() {
      const requests = (await readFile(log, 'utf8')).matchAll(/Request \(.*\): CONNECT (\S+) HTTP/g);
      return [...requests].map(([, target = '']) => target);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
