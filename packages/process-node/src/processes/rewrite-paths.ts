import type { ContainerMount } from '../contracts/image.ts';

/** Characters that may stand before or after a path in an argument or a variable. */
const border = String.raw`[=:,;\s"'\[\](){}]`;

/**
 * Replaces mount paths by where the mounts are on this machine: for processes that share the machine's files. Only whole paths and
 * what is below them are replaced: `/spoke/bootstrap` not in `/spoke/bootstrap-old` or `/data/spoke/bootstrap`.
 */
export function rewritePaths(text: string, mounts: readonly ContainerMount[]): string {
  // The longest first: a mount below another one is not in the other's directory.
  const byLength = [...mounts].sort((a, b) => b.mountPath.length - a.mountPath.length);
  const places = new Map(byLength.map(({ mountPath, path }) => [mountPath.replace(/\/+$/, ''), path]));
  if (places.size === 0) return text;
  const paths = [...places.keys()].map((path) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  const pattern = new RegExp(`(?<=^|${border})(${paths})(?=$|/|${border})`, 'g');
  return text.replaceAll(pattern, (path) => places.get(path) ?? path);
}
