import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ContainerMount } from '../contracts/image.ts';

/** What is started in a mount namespace. */
export interface NamespacedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly mounts: readonly ContainerMount[];
  readonly workingDirectory: string;
}

/** What every namespace of a node is made from. */
export interface NamespaceBase {
  /** An empty directory of the node: each namespace mounts its own file systems over it, so all can use the same one. */
  readonly scratch: string;
  /** The node's directory, in which the sources of mounts are. */
  readonly directory: string;
  /** Other file systems of this machine: kernel ones are shared, files get a copy on write as the root does. */
  readonly shared: readonly string[];
  readonly copied: readonly string[];
}

/**
 * A copy-on-write view of the machine's files, in which mount points can be made without a trace on the machine. Runs in a mount
 * namespace of its own, as root. Arguments: scratch, directory, shared… --, copied… --, the inner script and its arguments.
 */
const outer = `
set -e
path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin
scratch=$1 directory=$2; shift 2
root=$scratch/root number=0
overlay() {
  number=$((number + 1))
  mkdir -p "$scratch/$number/upper" "$scratch/$number/work"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$scratch/$number/upper,workdir=$scratch/$number/work" "$2"
}
mount -t tmpfs -o mode=755 tmpfs "$scratch"
mkdir "$root"
overlay / "$root"
while [ "$1" != -- ]; do mount --rbind "$1" "$root$1"; shift; done; shift
while [ "$1" != -- ]; do [ ! -e "$root$1" ] || overlay "$1" "$root$1" 2>/dev/null || mount --rbind "$1" "$root$1"; shift; done; shift
mount --rbind "$directory" "$root$directory"
inner=$1; shift
exec chroot "$root" /bin/sh -c "$inner" sh "$path" "$@"
`;

/**
 * In the new root, so that links such as /var/run lead to its own directories and never to those of the machine. All sources are bound
 * aside first: a mount at /tmp must not hide the source of the next one.
 * Arguments: PATH, working directory, sources… --, (mount path, rw or ro)… --, the command.
 */
const inner = `
set -e
path=$1 directory=$2; shift 2
aside=/.process-node number=0
while [ "$1" != -- ]; do
  number=$((number + 1))
  mkdir -p "$aside"
  if [ -d "$1" ]; then mkdir "$aside/$number"; else : > "$aside/$number"; fi
  mount --bind "$1" "$aside/$number"
  shift
done; shift
number=0
while [ "$1" != -- ]; do
  number=$((number + 1))
  if [ -d "$aside/$number" ]; then mkdir -p "$1"; else mkdir -p "\${1%/*}/"; [ -e "$1" ] || : > "$1"; fi
  mount --bind "$aside/$number" "$1"
  [ "$2" = rw ] || mount -o remount,bind,ro "$1"
  umount "$aside/$number"
  shift 2
done; shift
rm -rf "$aside"
mkdir -p "$directory"
cd "$directory"
export PATH="$path"
exec "$@"
`;

/** The command line that runs a command in a mount namespace of its own; the process that is started becomes the command. */
export function namespaceCommand(base: NamespaceBase, started: NamespacedCommand): { command: string; args: string[] } {
  // A mount below another one must come after it.
  const mounts = [...started.mounts].sort((a, b) => (a.mountPath < b.mountPath ? -1 : 1));
  return {
    command: 'unshare',
    args: [
      ...['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', outer, 'sh'],
      ...[base.scratch, base.directory, ...base.shared, '--', ...base.copied, '--', inner],
      started.workingDirectory,
      ...mounts.map(({ path }) => path),
      '--',
      ...mounts.flatMap(({ mountPath, readOnly }) => [mountPath, readOnly ? 'ro' : 'rw']),
      ...['--', started.command, ...started.args],
    ],
  };
}

/** File systems of the kernel, which cannot be copied and need not be. */
const kernelPaths = ['/proc', '/sys', '/dev'];

/** What the namespaces of a node are made from; undefined where they cannot be had. */
export async function namespaceBase(scratch: string, directory: string): Promise<NamespaceBase | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const points = mountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
  const isBelow = (path: string, above: string) => path === above || path.startsWith(`${above}/`);
  const isKernel = (path: string) => kernelPaths.some((above) => isBelow(path, above));
  const base: NamespaceBase = {
    scratch,
    directory,
    shared: kernelPaths.filter((path) => points.includes(path)),
    copied: points.filter((path) => path !== '/' && !isKernel(path)),
  };
  const tried = namespaceCommand(base, { command: '/bin/true', args: [], mounts: [], workingDirectory: '/' });
  return (await succeeds(tried)) ? base : undefined;
}

/** The fifth field of each line; spaces and the like are written as octal numbers. */
const mountPoints = (mountinfo: string): string[] => {
  const paths = mountinfo.split('\n').map((line) => line.split(' ')[4] ?? '');
  const decoded = paths.map((path) =>
    path.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return [...new Set(decoded.filter((path) => path !== ''))].sort();
};

async function succeeds({ command, args }: { command: string; args: string[] }): Promise<boolean> {
  try {
    const child = spawn(command, args, { stdio: 'ignore', env: { PATH: process.env.PATH }, timeout: 10_000 });
    const [code] = await once(child, 'exit');
    return code === 0;
  } catch {
    return false;
  }
}
