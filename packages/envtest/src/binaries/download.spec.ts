import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../processes/free-port.ts';
import { downloadBinaries } from './download.ts';

const versions = { kubernetes: 'v1.36.3', etcd: 'v3.6.8' };
const platform = { os: 'linux', arch: 'amd64' };
const release = 'etcd-v3.6.8-linux-amd64';
const scratch = () => mkdtempSync(join(tmpdir(), 'envtest-spec-'));
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

function etcdArchive(): Buffer {
  const directory = scratch();
  mkdirSync(join(directory, release));
  writeFileSync(join(directory, release, 'etcd'), 'etcd binary');
  writeFileSync(join(directory, release, 'README.md'), 'not wanted');
  execFileSync('tar', ['-czf', join(directory, 'out.tar.gz'), '-C', directory, release]);
  return readFileSync(join(directory, 'out.tar.gz'));
}

/** What the two sites publish. */
function published(): Map<string, string | Buffer> {
  const files = new Map<string, string | Buffer>();
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kubectl']) {
    files.set(`/release/v1.36.3/bin/linux/amd64/${name}`, `${name} binary`);
    files.set(`/release/v1.36.3/bin/linux/amd64/${name}.sha256`, sha256(`${name} binary`));
  }
  const archive = etcdArchive();
  files.set(`/v3.6.8/${release}.tar.gz`, archive);
  files.set('/v3.6.8/SHA256SUMS', `0000  other.tar.gz\n${sha256(archive)}  ${release}.tar.gz\n`);
  return files;
}

let server: Server;
let files: Map<string, string | Buffer>;
let host: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const download = (output: string, target = platform) =>
  downloadBinaries({ versions, output, hosts: { kubernetes: host, etcd: host }, log: () => {}, platform: target });

test('all four come, executable, and nothing else is left', async () => {
  files = published();
  const output = scratch();
  await download(output);
  expect(readdirSync(output).sort()).toEqual(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']);
  expect(readFileSync(join(output, 'etcd'), 'utf8')).toBe('etcd binary');
  expect(readFileSync(join(output, 'kubectl'), 'utf8')).toBe('kubectl binary');
  for (const name of readdirSync(output)) expect(statSync(join(output, name)).mode & 0o777).toBe(0o755);
});

test.each([
  ['a binary', '/release/v1.36.3/bin/linux/amd64/kube-apiserver', 'kube-apiserver'],
  ['the archive of etcd', `/v3.6.8/${release}.tar.gz`, 'etcd.tar.gz'],
])('%s that differs from its published checksum is refused and removed', async (_what, path, name) => {
  files = published().set(path, 'something else');
  const output = scratch();
  await expect(download(output)).rejects.toThrow(
    new RegExp(
      `^DownloadFailed: ${host}${path} has SHA-256 ${sha256('something else')}, but [0-9a-f]{64} is published$`,
    ),
  );
  expect(readdirSync(output)).not.toContain(name);
});

test('a missing file and a missing checksum are named', async () => {
  files = published();
  files.delete('/release/v1.36.3/bin/linux/amd64/kubectl.sha256');
  await expect(download(scratch())).rejects.toThrow(/kubectl\.sha256 was answered with status 404/);
  files = published().set('/v3.6.8/SHA256SUMS', '');
  await expect(download(scratch())).rejects.toThrow(`does not list ${release}.tar.gz`);
});

test('a host that cannot be reached is named with the reason', async () => {
  const hosts = { kubernetes: `http://127.0.0.1:${await findFreePort()}` };
  const attempt = downloadBinaries({ versions, output: scratch(), hosts, log: () => {}, platform });
  await expect(attempt).rejects.toThrow(
    /^DownloadFailed: http:\/\/127\.0\.0\.1:\d+\/.* cannot be reached: .*ECONNREFUSED/,
  );
});

test('a system without official binaries gets a hint what to do instead', async () => {
  const error = await download(scratch(), { os: 'darwin', arch: 'arm64' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'DownloadFailed', hint: expect.stringContaining('--source build') });
});
