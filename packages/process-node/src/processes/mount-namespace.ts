import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ContainerMount } from '../contracts/image.ts';
import { realTarget } from '../volumes/real-target.ts';

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
  /**
   * Whether each container has a namespace of processes too. Its first process waits for the command, and when that has ended, the kernel
   * ends all others: whatever session, group or variables they have.
   */
  readonly ownsProcesses: boolean;
  /** Other file systems of this machine: kernel ones are shared, files get a copy on write as the root does. */
  readonly shared: readonly string[];
  readonly copied: readonly string[];
}

/**
 * A copy-on-write view of the machine's files, in which mount points can be made without a trace on the machine. Runs in a mount
 * namespace of its own, as root. Arguments: whether it is the first process of its namespace, scratch, directory, shared… --, copied… --,
 * the inner script and its arguments.
 *
 * The kernel gives a first process only signals that it traps. Those for the group reach the command too, which may handle them, so that
 * none ends the script once the command runs. Nor does the script write to the log of the container how the command ended.
 */
const outer = `
set -e
path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin
isFirst=$1 scratch=$2 directory=$3; shift 3
[ "$isFirst" = no ] || trap 'exit 143' TERM INT
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
[ "$isFirst" = yes ] || exec chroot "$root" /bin/sh -c "$inner" sh "$path" "$@"
mount -t proc proc "$root/proc"
exec 3>&2 2>/dev/null
trap : TERM INT
code=0
(exec chroot "$root" /bin/sh -c "$inner" sh "$path" "$@" 2>&3 3>&-) || code=$?
exit "$code"
`;

/**
 * In the new root, so that links such as /var/run lead to its own directories and never to those of the machine. All sources are bound
 * aside first: a mount at /tmp must not hide the source of the next one. Mount paths have no links of the machine, so that a link in one
 * is of a volume, where a container wrote it to have something mounted over the programs of the machine.
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
  [ "$(readlink -f "$1")" = "$1" ] || { echo "the process node mounts nothing at $1: a link in a volume leads elsewhere" >&2; exit 126; }
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

/** In the namespaces of a container, whose root it takes. Arguments: the root, the working directory, the command. */
const entering = `
root=$1 directory=$2; shift 2
exec chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$directory" "$@"
`;

/**
 * The command line that runs a command in namespaces of its own. The process that is started becomes the command, or waits for it where
 * `ownsProcesses` holds; then it ends with the code of the command, and all processes of the namespace have ended before.
 */
export function namespaceCommand(base: NamespaceBase, started: NamespacedCommand): { command: string; args: string[] } {
  const resolved = started.mounts.map((mount) => ({ ...mount, mountPath: realTarget(mount.mountPath) }));
  // A mount below another one must come after it.
  const mounts = resolved.sort((a, b) => (a.mountPath < b.mountPath ? -1 : 1));
  return {
    command: 'unshare',
    args: [
      ...['--mount', '--propagation', 'private', ...(base.ownsProcesses ? ['--pid', '--fork', '--kill-child'] : [])],
      ...['--', '/bin/sh', '-c', outer, 'sh', base.ownsProcesses ? 'yes' : 'no'],
      ...[base.scratch, base.directory, ...base.shared, '--', ...base.copied, '--', inner],
      started.workingDirectory,
      ...mounts.map(({ path }) => path),
      '--',
      ...mounts.flatMap(({ mountPath, readOnly }) => [mountPath, readOnly ? 'ro' : 'rw']),
      ...['--', started.command, ...started.args],
    ],
  };
}

/** The command line that runs a command in the namespaces of a container, where `pid` was started by `namespaceCommand`. */
export function enterCommand(
  { ownsProcesses, scratch }: NamespaceBase,
  pid: number,
  workingDirectory: string,
  command: readonly string[],
): { command: string; args: string[] } {
  const namespaces = ['--target', String(pid), '--mount', '--net'];
  if (!ownsProcesses) return { command: 'nsenter', args: [...namespaces, '--root', '--wd', '--', ...command] };
  const shell = ['/bin/sh', '-c', entering, 'sh', `${scratch}/root`, workingDirectory];
  const args = [...namespaces, `--pid=/proc/${pid}/ns/pid_for_children`, '--', ...shell, ...command];
  return { command: 'nsenter', args };
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
    ownsProcesses: true,
    shared: kernelPaths.filter((path) => points.includes(path)),
    copied: points.filter((path) => path !== '/' && !isKernel(path)),
  };
  for (const tried of [base, { ...base, ownsProcesses: false }]) if (await works(tried)) return tried;
  return undefined;
}

/** The fifth field of each line; spaces and the like are written as octal numbers. */
const mountPoints = (mountinfo: string): string[] => {
  const paths = mountinfo.split('\n').map((line) => line.split(' ')[4] ?? '');
  const decoded = paths.map((path) =>
    path.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return [...new Set(decoded.filter((path) => path !== ''))].sort();
};

/** Ends with this code when it is told to end: some versions of unshare end at once, and the command with them. */
const toldToEnd = 7;
const trial = `trap 'exit ${toldToEnd}' TERM; echo ready; while :; do sleep 0.1; done`;
const trialDeadlineMs = 10_000;

async function works(base: NamespaceBase): Promise<boolean> {
  const tried = { command: '/bin/sh', args: ['-c', trial], mounts: [], workingDirectory: '/' };
  const { command, args } = namespaceCommand(base, tried);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH },
    detached: true,
    timeout: trialDeadlineMs,
    killSignal: 'SIGKILL',
  });
  child.stdout.once('data', () => child.pid && process.kill(-child.pid, 'SIGTERM'));
  try {
    const [code] = await once(child, 'exit');
    return code === toldToEnd;
  } catch {
    return false;
  }
}
