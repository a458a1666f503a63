import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { redact } from '../errors/redact.ts';
import type { ClusterAccess } from './access.ts';
import { decodeExecCredential, type ExecCredential } from './exec-credential.ts';
import type { Fields } from './fields.ts';
import type { ExecResolver } from './resolve-context.ts';

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** More than any token or certificate. */
const maxOutput = 4 * 2 ** 20;

/** What exec plugins may use. */
export interface ExecPluginOptions {
  clock?: Clock;
  /** What a plugin inherits, PATH among it: the environment of the process by default. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Whether the user can answer on standard input. Default: no. */
  interactive?: boolean;
  /** Default 60 s; a plugin that prompts the user may need more. */
  timeoutMs?: number;
}

/** Runs exec plugins, and keeps what they gave until it expires, the kubeconfig changes or `forget` is called. */
export class ExecPlugin {
  readonly #options: ExecPluginOptions;
  #cached: { key: string; credential: ExecCredential } | undefined;
  readonly #running = new Set<ChildProcess>();

  constructor(options: ExecPluginOptions) {
    this.#options = options;
  }

  /** Drops what is cached, because the server does not accept it. */
  forget(): void {
    this.#cached = undefined;
  }

  /** Ends what still runs: a plugin that hangs would keep the process alive. */
  close(): void {
    for (const child of this.#running) kill(child);
  }

  readonly resolve: ExecResolver = async (exec, { access, kubeconfigFile, clusterExtension }) => {
    const command = readCommand(exec, kubeconfigFile, access);
    const info = execInfo(exec, command, access, clusterExtension, this.#isInteractive(exec));
    const key = JSON.stringify([command, info]);
    const { clock = realClock } = this.#options;
    const cached = this.#cached;
    if (cached?.key === key && (cached.credential.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now()) {
      return cached.credential;
    }
    const output = await this.#run(command, info);
    const credential = decodeExecCredential(output, command.where, command.apiVersion);
    this.#cached = { key, credential };
    return credential;
  };

  #isInteractive(exec: Fields): boolean {
    const mode = exec.text('interactiveMode') ?? 'IfAvailable';
    const available = this.#options.interactive ?? false;
    if (mode === 'Never') return false;
    if (mode === 'IfAvailable') return available;
    if (mode !== 'Always') throw exec.wrong('interactiveMode', 'must be Never, IfAvailable or Always');
    if (!available) {
      throw exec.wrong(
        'interactiveMode',
        'is Always, and standard input is not a terminal',
        'Use a plugin that needs no input.',
      );
    }
    return true;
  }

  #run(command: ExecCommand, info: string): Promise<string> {
    const { clock = realClock, env = process.env, timeoutMs = 60_000 } = this.#options;
    const interactive = this.#isInteractive(command.fields);
    return new Promise((resolvePromise, reject) => {
      const fail = (message: string, cause?: unknown) =>
        reject(new KubeError('Config', `${command.where} ${message}`, { cause, hint: command.hint }));
      const child = spawn(command.path, command.args, {
        env: { ...env, ...command.env, KUBERNETES_EXEC_INFO: info },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
        windowsHide: true,
      });
      this.#running.add(child);
      let output = '';
      let complaints = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.length <= maxOutput) return;
        fail(`wrote more than ${maxOutput} characters, which is not a credential`);
        kill(child);
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        complaints = (complaints + text).slice(-2_000);
      });
      const stopTimer = clock.schedule(timeoutMs, () => {
        fail(`did not finish within ${timeoutMs} ms`);
        kill(child);
      });
      child.once('error', (cause) => {
        this.#running.delete(child);
        stopTimer();
        fail(`cannot be started: ${cause.message}`, cause);
      });
      child.once('close', (code, signal) => {
        this.#running.delete(child);
        stopTimer();
        if (code === 0) return resolvePromise(output);
        const stderr = complaints.trim() === '' ? 'it said nothing' : redact(complaints.trim());
        fail(`failed with ${code === null ? `signal ${signal}` : `exit code ${code}`}: ${stderr}`);
      });
    });
  }
}

/** Its pipes too: what a script started may live on with them open, and would keep us alive. */
function kill(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
}

interface ExecCommand {
  path: string;
  args: string[];
  env: Record<string, string>;
  apiVersion: string;
  hint: string;
  /** For messages. */
  where: string;
  fields: Fields;
}

function readCommand(exec: Fields, kubeconfigFile: string, access: ClusterAccess): ExecCommand {
  const command = exec.required('command');
  const apiVersion = exec.required('apiVersion');
  if (!apiVersions.includes(apiVersion)) {
    throw exec.wrong(
      'apiVersion',
      `is ${apiVersion}, which is not supported`,
      `Use ${apiVersions.join(' or ')}; newer plugins do.`,
    );
  }
  // Like kubectl: a bare name is looked up in PATH, a relative path starts at the kubeconfig.
  const isRelative = /[/\\]/.test(command) && !isAbsolute(command);
  return {
    path: isRelative ? resolve(dirname(kubeconfigFile), command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(exec.objects('env').map((item) => [item.required('name'), item.text('value') ?? ''])),
    apiVersion,
    hint: exec.text('installHint') ?? `Run \`${command}\` by hand to see what it lacks, or log in anew.`,
    where: `the exec plugin ${command} of ${access.origin}`,
    fields: exec,
  };
}

/** KUBERNETES_EXEC_INFO: the input of the plugin. */
function execInfo(
  exec: Fields,
  { apiVersion }: ExecCommand,
  access: ClusterAccess,
  config: unknown,
  interactive: boolean,
): string {
  const cluster = exec.flag('provideClusterInfo') && {
    server: access.server,
    'tls-server-name': access.tlsServerName,
    'insecure-skip-tls-verify': access.insecureSkipTlsVerify,
    'certificate-authority-data': access.ca === undefined ? undefined : Buffer.from(access.ca).toString('base64'),
    'proxy-url': access.proxyUrl,
    config,
  };
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive, ...(cluster && { cluster }) } });
}
