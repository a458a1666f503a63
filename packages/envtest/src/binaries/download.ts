import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { EnvtestError } from '../errors.ts';
import type { KubernetesVersions } from './versions.ts';

/** Where official releases are; a mirror has the same paths below. */
export interface DownloadHosts {
  /** Default `https://dl.k8s.io` */
  kubernetes?: string;
  /** Default `https://github.com/etcd-io/etcd/releases/download` */
  etcd?: string;
}

/** What a download needs. */
export interface DownloadOptions {
  versions: KubernetesVersions;
  /** Where the files go. */
  output: string;
  hosts?: DownloadHosts;
  log: (line: string) => void;
  /** Default: this machine's. */
  platform?: { os: string; arch: string };
}

const goArchitectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  ppc64: 'ppc64le',
  s390x: 's390x',
};

/** Downloads the official binaries and compares each with the checksum published beside it. */
export async function downloadBinaries(options: DownloadOptions): Promise<void> {
  const { versions, output, hosts = {}, log } = options;
  const { os, arch } = options.platform ?? {
    os: process.platform,
    arch: goArchitectures[process.arch] ?? process.arch,
  };
  if (os !== 'linux') {
    const hint = 'Compile them instead: flotilla-envtest binaries --source build';
    throw new EnvtestError('DownloadFailed', `there are no official control-plane binaries for ${os}`, { hint });
  }
  const kubernetes = `${hosts.kubernetes ?? 'https://dl.k8s.io'}/release/${versions.kubernetes}/bin/${os}/${arch}`;
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kubectl']) {
    log(`downloading ${name} ${versions.kubernetes} from ${kubernetes}`);
    const [published = ''] = (await fetchText(`${kubernetes}/${name}.sha256`)).trim().split(/\s+/);
    await fetchFile(`${kubernetes}/${name}`, join(output, name), published);
    await chmod(join(output, name), 0o755);
  }
  await downloadEtcd(options, hosts.etcd ?? 'https://github.com/etcd-io/etcd/releases/download', `${os}-${arch}`);
}

async function downloadEtcd({ versions, output, log }: DownloadOptions, host: string, target: string): Promise<void> {
  const release = `etcd-${versions.etcd}-${target}`;
  const url = `${host}/${versions.etcd}/${release}.tar.gz`;
  log(`downloading etcd ${versions.etcd} from ${host}`);
  const sums = await fetchText(`${host}/${versions.etcd}/SHA256SUMS`);
  const published = sums.split('\n').map((line) => line.trim().split(/\s+/));
  const sum = published.find(([, file]) => file === `${release}.tar.gz`)?.[0];
  if (!sum)
    throw new EnvtestError('DownloadFailed', `SHA256SUMS of etcd ${versions.etcd} does not list ${release}.tar.gz`);
  const archive = join(output, 'etcd.tar.gz');
  await fetchFile(url, archive, sum);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', output, `${release}/etcd`]);
  await rename(join(output, release, 'etcd'), join(output, 'etcd'));
  await chmod(join(output, 'etcd'), 0o755);
  await rm(join(output, release), { recursive: true });
  await rm(archive);
}

async function fetchFile(url: string, path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const body = (await get(url)).body ?? new ReadableStream();
  try {
    await pipeline(Readable.fromWeb(body), hashing, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    throw new EnvtestError('DownloadFailed', `${url} ended early: ${cause}`, { cause });
  }
  const got = hash.digest('hex');
  if (got !== sha256.toLowerCase()) {
    await rm(path);
    const hint = 'The file was damaged or changed on its way: try again, or check the proxy in between.';
    throw new EnvtestError('DownloadFailed', `${url} has SHA-256 ${got}, but ${sha256} is published`, { hint });
  }
}

const fetchText = async (url: string): Promise<string> => (await get(url)).text();

async function get(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new EnvtestError('DownloadFailed', `${url} cannot be reached: ${why}`, { cause });
  }
  if (!response.ok) throw new EnvtestError('DownloadFailed', `${url} was answered with status ${response.status}`);
  return response;
}
