import { readlink, stat } from 'node:fs/promises';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';

/** As the kernel: more than this in one path is a circle. */
const mostLinks = 40;

/**
 * Where a change of what a path leads to shows: the directory of each symbolic link on the way, because any of them may be
 * pointed elsewhere, and the one that holds the file at the end; the nearest that exists while the way is cut.
 */
export async function directoriesOf(path: string): Promise<string[]> {
  const directories = new Set<string>();
  const { root } = parse(resolve(path));
  let at = root;
  let links = 0;
  const ahead = partsOf(resolve(path));
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    const next = join(at, name);
    const target = links < mostLinks ? await readlink(next).catch(() => undefined) : undefined;
    if (target !== undefined) {
      links++;
      directories.add(at);
      ahead.unshift(...partsOf(target));
      if (isAbsolute(target)) at = root;
    } else {
      if (ahead.length === 0 || !(await exists(next))) break;
      at = next;
    }
  }
  return [...directories.add(at)];
}

const partsOf = (path: string): string[] => path.split(sep).filter((part) => part !== '' && part !== '.');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
