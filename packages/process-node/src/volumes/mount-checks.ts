import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { programPath } from '../environment/program-path.ts';
import { realTarget } from './real-target.ts';
import { MountError } from './volume-files.ts';

/** Where the machine keeps programs, and what decides which code they load. A mount there, or above, would put other programs in their place. */
const programDirectories = [
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib64', '/usr/libexec'],
  ...['/usr/local/bin', '/usr/local/sbin', '/usr/local/lib', '/etc/alternatives', '/etc/ssl/openssl.cnf'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld.so.preload', '/proc', '/sys', '/dev'],
];

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** Throws if something may not be mounted at a path of a container. Links of the machine count as what they lead to. */
export function expectMountable(mountPath: string): void {
  const paths = [resolve('/', mountPath), realTarget(mountPath)];
  // What else is in PATH may be anywhere, as below /tmp: it keeps its place below a mount, see `programMounts`.
  const hidden =
    programDirectories.find((directory) =>
      paths.some((path) => isBelow(path, directory) || isBelow(directory, path)),
    ) ?? programPath().find((directory) => paths.some((path) => isBelow(path, directory)));
  if (hidden === undefined) return;
  throw new MountError(
    `the process node mounts nothing at ${mountPath}: programs of this machine are found by ${hidden}. Mount it elsewhere`,
  );
}

/** Throws unless a directory of the machine is among those that pods may see. Links count as what they lead to. */
export function expectAllowedPath(path: string, allowed: readonly string[] = []): void {
  if (allowed.some((directory) => isBelow(realPath(path), realPath(directory)))) return;
  throw new MountError(
    `hostPath ${path}: the process node shows pods no such directory. Use another kind of volume, or start the node with allow: { hostPaths: ["${path}"] }`,
  );
}

/** Throws if a path below a volume leads out of it, as a link does that a container has written. */
export function expectWithin(path: string, volume: string): void {
  if (!isBelow(realPath(path), realPath(volume))) {
    throw new MountError(`subPath ${path.slice(volume.length + 1)} leads out of its volume`);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
