import { readlink, stat } from 'node:fs/promises';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';

/** As the kernel: more than this in one path is a circle. */
const maxLinks = 40;

/**
 * Where a change of what a path leads to shows: the directory of each symbolic link on the way, because any of them may be
 * pointed elsewhere, and the one that holds the file at the end; the nearest that exists while the way is cut.
 * With each directory, the names in it that the way passes: what happens to other files there is of no interest.
 */
export async function directoriesOf(path: string): Promise<Map<string, Set<string>>> {
  const directories = new Map<string, Set<string>>();
  const add = (directory: string, name: string): void => {
    directories.set(directory, (directories.get(directory) ?? new Set()).add(name));
  };
  const { root } = parse(resolve(path));
  let at = root;
  let links = 0;
  const ahead = partsOf(resolve(path));
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    const next = join(at, name);
    const target = links < maxLinks ? await readlink(next).catch(() => undefined) : undefined;
    if (target !== undefined) {
      links++;
      add(at, name);
      ahead.unshift(...partsOf(target));
      if (isAbsolute(target)) at = root;
    } else if (ahead.length === 0 || !(await exists(next))) {
      add(at, name);
      break;
    } else {
      at = next;
    }
  }
  return directories;
}

const partsOf = (path: string): string[] => path.split(sep).filter((part) => part !== '' && part !== '.');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
