import { spawn } from 'node:child_process';
import { KubeError } from '@flotilla/kube';
import { stringifyJson } from '@flotilla/schema';
import type { Values } from './merge-values.ts';

/** What a chart is rendered with. */
export interface HelmRelease {
  /** Directory of the chart, or an archive of it. */
  readonly chart: string;
  readonly name: string;
  readonly namespace: string;
  readonly values: Values;
  /** Of the managed cluster, such as `v1.36.0`; unset if it has not reported one. */
  readonly kubeVersion?: string;
  readonly signal?: AbortSignal;
}

/** Renders charts: returns YAML documents, with the CRDs of the chart. */
export interface HelmEngine {
  template(release: HelmRelease): Promise<string>;
}

/** Renders charts by the `helm` program, version 3 or later, which must be on the PATH or be named. It makes no request to any cluster. */
export const helmProgram = ({ path = 'helm' }: { readonly path?: string } = {}): HelmEngine => ({
  template({ chart, name, namespace, values, kubeVersion, signal }) {
    const args = [
      ...['template', name, chart, '--namespace', namespace, '--include-crds', '--no-hooks', '--values', '-'],
      ...(kubeVersion ? ['--kube-version', kubeVersion] : []),
    ];
    return run(path, args, stringifyJson(values), signal);
  },
});

function run(path: string, args: readonly string[], input: string, signal: AbortSignal | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'pipe'], ...(signal && { signal }) });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  child.on('error', (cause) =>
    reject(
      new KubeError('Config', `the program ${path} cannot be started: ${cause.message}`, {
        cause,
        hint: 'Install Helm 3 or later, or name it: helmProgram({ path }).',
      }),
    ),
  );
  child.on('close', (code) => {
    if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
    else
      reject(
        new Error(`helm template failed: ${Buffer.concat(complaints).toString('utf8').trim() || `exit code ${code}`}`),
      );
  });
  // A program that ends before it has read its input says why on its standard error.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return promise;
}
